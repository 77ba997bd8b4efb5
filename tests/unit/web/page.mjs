// As much of a browser's page as `ui/dom.js` touches: a tree, attributes, listeners, one focus.

class Node {
  constructor(page) {
    this.ownerDocument = page;
    this.parentNode = null;
    this.childNodes = [];
  }

  get firstChild() {
    return this.childNodes[0] ?? null;
  }

  get nextSibling() {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  get isConnected() {
    return this === this.ownerDocument.body || (this.parentNode?.isConnected ?? false);
  }

  insertBefore(child, before) {
    child.parentNode?.removeChild(child);
    const at = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    if (at < 0) throw new Error("not a child");
    this.childNodes.splice(at, 0, child);
    child.parentNode = this;
  }

  removeChild(child) {
    const at = this.childNodes.indexOf(child);
    if (at < 0) throw new Error("not a child");
    this.childNodes.splice(at, 1);
    child.parentNode = null;
    // As in a browser: what leaves its place loses the focus, also where it comes back.
    if (child.contains(this.ownerDocument.activeElement)) this.ownerDocument.activeElement = this.ownerDocument.body;
  }

  contains(other) {
    for (let node = other; node; node = node.parentNode) if (node === this) return true;
    return false;
  }
}

class Text extends Node {
  constructor(page, data) {
    super(page);
    this.data = data;
  }

  get html() {
    return this.data.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  }
}

class Element extends Node {
  constructor(page, tag, namespace) {
    super(page);
    Object.assign(this, {
      tag,
      namespace,
      attributes: {},
      listeners: {},
      value: "",
      checked: false,
      disabled: false,
      written: 0,
    });
    this.style = { setProperty: (name, value) => (this.style[name] = value) };
  }

  setAttribute(name, value) {
    this.attributes[name] = value;
    this.written += 1;
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  addEventListener(name, listener) {
    (this.listeners[name] ??= []).push(listener);
  }

  dispatch(name, event = {}) {
    for (const listener of this.listeners[name] ?? []) listener.call(this, event);
  }

  focus() {
    this.ownerDocument.activeElement = this;
  }

  get html() {
    const attributes = Object.entries(this.attributes).map(([name, value]) => ` ${name}="${value}"`);
    return `<${this.tag}${attributes.join("")}>${this.childNodes.map((child) => child.html).join("")}</${this.tag}>`;
  }
}

/** A page with an empty body. */
export function newPage() {
  const page = {
    createElement: (tag) => new Element(page, tag, null),
    createElementNS: (namespace, tag) => new Element(page, tag, namespace),
    createTextNode: (data) => new Text(page, data),
  };
  page.body = page.activeElement = new Element(page, "body", null);
  return page;
}

/** A browser's storage. */
export function newStorage() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  };
}

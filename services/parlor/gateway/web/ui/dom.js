// @ts-check
/**
 * A small keyed virtual DOM.
 *
 * `h` and `svg` describe elements, `render` makes a container show a description. Elements are kept where the
 * description still has them, so focus, text being typed, scroll positions and running transitions survive a redraw.
 *
 * Which old element a new one goes on with: the one with the same `key` in the same list; without a key, the one at
 * the same place among its parent's arguments with the same tag. A hole (`null`, `false`) keeps its place, so
 * `wide && h("aside")` that comes and goes moves nothing behind it.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Calls to make once a drawing is done: the `ref` of each new element. @type {(() => void)[]} */
const newcomers = [];

/** Attributes whose false is a word and not an absence. */
const ENUMERATED = new Set(["draggable", "spellcheck", "contenteditable", "translate"]);

/**
 * @typedef {{tag: string, ns: string | null, key: string | number | null, props: Record<string, any>,
 *   children: any[], slots: Slot[] | null, el: any}} VNode
 * @typedef {{id: string, node: VNode | null, text: string, el: any}} Slot
 */

/**
 * Describes an HTML element.
 *
 * Props: `key`; `class`; `on<event>` (a listener); `style` (an object of camelCase or `--custom` names); `ref`
 * (called with the element once it exists and with null once it is gone); `value`, `checked` and `disabled` are set
 * as properties; every other name is an attribute: true is written empty, false, null and undefined take it away
 * (for `aria-…` true and false are the words). Children: text, numbers, vnodes, arrays; null and booleans are holes.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...any} children
 * @returns {VNode}
 */
export function h(tag, props, ...children) {
  return vnode(null, tag, props, children);
}

/**
 * Describes an SVG element; as `h` otherwise.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...any} children
 * @returns {VNode}
 */
export function svg(tag, props, ...children) {
  return vnode(SVG, tag, props, children);
}

/**
 * Makes `container` show exactly `content`: a vnode, text, an array of these, or nothing.
 *
 * @param {any} content
 * @param {any} container an element that only `render` fills
 */
export function render(content, container) {
  const page = container.ownerDocument;
  const focused = page.activeElement;
  container.parlorSlots = patchChildren(container, container.parlorSlots ?? [], [content], page);
  // A dialog can only be shown once it stands in the page.
  for (const tell of newcomers.splice(0)) tell();
  // Moving an element to another place in its list takes the focus from it.
  if (focused && focused !== page.activeElement && focused !== page.body && focused.isConnected) {
    focused.focus({ preventScroll: true });
  }
}

/** @returns {VNode} */
function vnode(
  /** @type {string | null} */ ns,
  /** @type {string} */ tag,
  /** @type {any} */ props,
  /** @type {any[]} */ children,
) {
  return { tag, ns, key: props?.key ?? null, props: props ?? {}, children, slots: null, el: null };
}

/**
 * The children in document order, each with an id that is stable from one drawing to the next.
 *
 * @param {any[]} children
 * @param {string} path
 * @param {Slot[]} slots
 * @param {Set<string>} taken
 */
function collect(children, path, slots, taken) {
  children.forEach((child, index) => {
    if (child === null || child === undefined || typeof child === "boolean") return;
    if (Array.isArray(child)) return collect(child, `${path}${index}/`, slots, taken);
    const isNode = typeof child === "object";
    const place = isNode && child.key !== null ? `${path}=${child.key}` : `${path}${index}`;
    let id = `${place}:${isNode ? child.tag : "#text"}`;
    // A key that stands twice is a mistake of the caller, who shall still see both.
    while (taken.has(id)) id += `'${index}`;
    taken.add(id);
    slots.push({ id, node: isNode ? child : null, text: isNode ? "" : String(child), el: null });
  });
}

/** @returns {Slot[]} */
function patchChildren(
  /** @type {any} */ parent,
  /** @type {Slot[]} */ old,
  /** @type {any[]} */ children,
  /** @type {any} */ page,
) {
  /** @type {Slot[]} */
  const slots = [];
  collect(children, "", slots, new Set());
  const known = new Map(old.map((slot) => [slot.id, slot]));
  for (const slot of slots) {
    const before = known.get(slot.id);
    known.delete(slot.id);
    slot.el = before ? patch(before, slot, page) : create(slot, page);
  }
  // What is gone leaves first, so that nothing that stays has to move because of it.
  for (const gone of known.values()) {
    forget(gone.node);
    parent.removeChild(gone.el);
  }
  let next = parent.firstChild;
  for (const slot of slots) {
    if (slot.el === next) next = next.nextSibling;
    else parent.insertBefore(slot.el, next);
  }
  return slots;
}

function create(/** @type {Slot} */ slot, /** @type {any} */ page) {
  const node = slot.node;
  if (!node) return page.createTextNode(slot.text);
  const el = node.ns ? page.createElementNS(node.ns, node.tag) : page.createElement(node.tag);
  node.el = el;
  node.slots = patchChildren(el, [], node.children, page);
  setProps(el, {}, node.props);
  if (node.props.ref) newcomers.push(() => node.props.ref(el));
  return el;
}

function patch(/** @type {Slot} */ before, /** @type {Slot} */ slot, /** @type {any} */ page) {
  const el = before.el;
  if (!slot.node || !before.node) {
    if (before.text !== slot.text) el.data = slot.text;
    return el;
  }
  slot.node.el = el;
  if (slot.node === before.node) return el;
  // The options of a select have to be there before its value can be set.
  slot.node.slots = patchChildren(el, before.node.slots ?? [], slot.node.children, page);
  setProps(el, before.node.props, slot.node.props);
  return el;
}

function forget(/** @type {VNode | null} */ node) {
  if (!node) return;
  node.slots?.forEach((slot) => forget(slot.node));
  node.props.ref?.(null);
}

function setProps(/** @type {any} */ el, /** @type {any} */ old, /** @type {any} */ props) {
  for (const name in old) if (!(name in props)) setProp(el, name, old[name], undefined);
  for (const name in props) setProp(el, name, old[name], props[name]);
}

function setProp(/** @type {any} */ el, /** @type {string} */ name, /** @type {any} */ old, /** @type {any} */ value) {
  if (name === "key" || name === "ref") return;
  if (name === "style") return setStyle(el, old ?? {}, value ?? {});
  if (name.startsWith("on")) return listen(el, name.slice(2), value);
  if (name === "value") return setValue(el, old, value ?? "");
  if (name === "checked" || name === "disabled") {
    // Against the element itself: a box that the user ticked goes back where the state says no.
    if (el[name] !== Boolean(value)) el[name] = Boolean(value);
    return;
  }
  if (old === value) return;
  const words = name.startsWith("aria-") || ENUMERATED.has(name);
  if (value === null || value === undefined || (value === false && !words)) el.removeAttribute(name);
  else el.setAttribute(name, value === true && !words ? "" : String(value));
}

/** What is being typed is the user's, until the state asks for something else. */
function setValue(/** @type {any} */ el, /** @type {any} */ old, /** @type {any} */ value) {
  const text = String(value);
  const typing = el.ownerDocument.activeElement === el;
  if (el.value !== text && (!typing || String(old ?? "") !== text)) el.value = text;
}

function setStyle(/** @type {any} */ el, /** @type {any} */ old, /** @type {any} */ style) {
  for (const name in old) if (!(name in style)) setRule(el, name, "");
  for (const name in style) if (old[name] !== style[name]) setRule(el, name, style[name] ?? "");
}

function setRule(/** @type {any} */ el, /** @type {string} */ name, /** @type {any} */ value) {
  if (name.startsWith("--")) el.style.setProperty(name, String(value));
  else el.style[name] = String(value);
}

/** One listener per event stays on the element and calls the newest function. */
function listen(/** @type {any} */ el, /** @type {string} */ event, /** @type {any} */ fn) {
  const listeners = (el.parlorListeners ??= {});
  if (!(event in listeners)) {
    el.addEventListener(event, (/** @type {any} */ happened) => listeners[event]?.call(el, happened));
  }
  listeners[event] = fn ?? null;
}

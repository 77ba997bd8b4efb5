// @ts-check
/** What the page says aside: sentences for screen readers, and short messages over the page. */

const SPOKEN = 6;
const TOAST_MS = 6_000;

/** @typedef {{id: number, text: string, tone: "plain" | "good" | "bad"}} Line */

export class Speaker {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.count = 0;
    /** What was said last, oldest first. @type {Line[]} */
    this.spoken = [];
    /** The message that is shown. @type {Line | null} */
    this.toast = null;
  }

  /** Says a sentence to a screen reader. @param {string} text */
  say(text) {
    this.spoken = [...this.spoken, this.#line(text, "plain")].slice(-SPOKEN);
    this.changed();
  }

  /** Shows a message for a while; it is said, too. @param {string} text @param {Line["tone"]} [tone] */
  show(text, tone = "plain") {
    const toast = (this.toast = this.#line(text, tone));
    setTimeout(() => this.toast === toast && this.hide(), TOAST_MS);
    this.changed();
  }

  hide() {
    this.toast = null;
    this.changed();
  }

  /** @returns {Line} */
  #line(/** @type {string} */ text, /** @type {Line["tone"]} */ tone) {
    this.count += 1;
    return { id: this.count, text, tone };
  }
}

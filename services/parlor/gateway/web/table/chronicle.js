// @ts-check
/** What has happened at a table, as sentences, the newest last. */

const MOST = 200;

/** @typedef {{id: number, text: string}} Happening */

export class Chronicle {
  constructor() {
    /** @type {Happening[]} */
    this.lines = [];
    this.count = 0;
  }

  /** @param {string} text */
  add(text) {
    this.count += 1;
    this.lines = [...this.lines, { id: this.count, text }].slice(-MOST);
  }
}

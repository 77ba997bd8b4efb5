// @ts-check
/** The server's time, as far as a client can know it, and clocks that run on it. */

/** Offset of the server's clock to ours, from the times that its frames carry. */
export class ServerClock {
  /** @param {() => number} now this machine's time in ms */
  constructor(now = Date.now) {
    this.local = now;
    /** The offsets last seen; each is the true one less the time that its frame travelled. @type {number[]} */
    this.seen = [];
  }

  /** Notes a time that the server has just sent. @param {string} instant RFC 3339 */
  heard(instant) {
    const offset = Date.parse(instant) - this.local();
    if (!Number.isFinite(offset)) return;
    this.seen.push(offset);
    if (this.seen.length > 8) this.seen.shift();
  }

  /** The server's time in ms. */
  now() {
    // The frame that travelled fastest tells best, and travel only ever makes the offset smaller.
    return this.local() + (this.seen.length ? Math.max(...this.seen) : 0);
  }
}

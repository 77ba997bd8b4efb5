// @ts-check
/**
 * Requests until they are answered: each new connection sends them again under the same id, and refusals that may
 * not last are followed by another try. So nothing that a player did is lost or done twice.
 */

/** How many requests may be unanswered; the server would refuse more, so the others wait their turn. */
export const MOST = 8;

/** How long a request is tried again after refusals that may not last, in ms. */
export const PATIENCE_MS = 30_000;

const SHORTEST_PAUSE_MS = 100;
/**
 * The connection stands, so what is away is behind the gateway and may be back any moment: a player would wait for as
 * long again as it was away. A server that wants more rest says so.
 */
const LONGEST_PAUSE_MS = 1_000;

/** Refusals after which the same is asked again: it may do better, or was carried out already. */
export const PASSING = new Set(
  [
    "TOO_FAST",
    "OVERLOADED",
    "DRAINING",
    "NO_ENGINE",
    "STORE_UNAVAILABLE",
    "COMMIT_UNCONFIRMED",
    "CONFLICT",
    "TIMEOUT",
  ].map((reason) => `ERROR_REASON_${reason}`),
);

/** What was asked and refused; it changed nothing. */
export class Refused extends Error {
  /** @param {{reason?: string, message?: string, metadata?: Record<string, string>}} refusal */
  constructor(refusal) {
    super(refusal.message || refusal.reason);
    this.reason = refusal.reason ?? "ERROR_REASON_UNSPECIFIED";
    this.metadata = refusal.metadata ?? {};
    /** The room without a seat for this player that may be watched instead. */
    this.watchable = "";
  }
}

/** The session is over; nothing will be answered any more. */
export class SessionOver extends Error {}

/**
 * How long the server asks to wait, in ms; 0 where it does not say.
 *
 * @param {{metadata?: Record<string, string>} | undefined} refusal
 */
export function retryAfter(refusal) {
  const ms = Number(refusal?.metadata?.retry_after_ms);
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}

/**
 * @typedef {{requestId: string, frame: any, until: number, pause: number, sent: boolean, resting: boolean,
 *   resolve: (answer: any) => void, reject: (error: Error) => void}} Request
 */

/** The requests of one session. */
export class Requests {
  /**
   * @param {(frame: any) => boolean} send false where there is no connection
   * @param {{setTimeout: (fn: () => void, ms: number) => any, now: () => number, random: () => number}} world
   */
  constructor(send, world) {
    this.send = send;
    this.world = world;
    /** @type {Request[]} */
    this.unanswered = [];
  }

  /**
   * The answer to a request. Rejects with `Refused` or `SessionOver`.
   *
   * @param {string} requestId
   * @param {any} frame
   * @returns {Promise<any>}
   */
  ask(requestId, frame) {
    return new Promise((resolve, reject) => {
      const until = this.world.now() + PATIENCE_MS;
      this.unanswered.push({
        requestId,
        frame,
        until,
        pause: SHORTEST_PAUSE_MS,
        sent: false,
        resting: false,
        resolve,
        reject,
      });
      this.#sendOn();
    });
  }

  /** A new connection is open: what was not answered over the old one is sent again, in order. */
  resumed() {
    const until = this.world.now() + PATIENCE_MS;
    for (const request of this.unanswered) {
      request.sent = false;
      // Nobody could be asked meanwhile.
      request.until = until;
    }
    this.#sendOn();
  }

  /** Takes an answer: the oldest request with its id has it. @param {any} answer */
  take(answer) {
    const request = this.unanswered.find((each) => each.sent && each.requestId === answer.requestId);
    if (!request) return;
    const refusal = answer.refused;
    const wait = Math.max(retryAfter(refusal), request.pause * (0.5 + this.world.random() / 2));
    if (refusal && PASSING.has(refusal.reason) && this.world.now() + wait < request.until) {
      request.sent = false;
      request.resting = true;
      request.pause = Math.min(request.pause * 2, LONGEST_PAUSE_MS);
      this.world.setTimeout(() => {
        request.resting = false;
        this.#sendOn();
      }, wait);
      return;
    }
    this.unanswered.splice(this.unanswered.indexOf(request), 1);
    if (refusal) request.reject(new Refused(refusal));
    else request.resolve(answer);
    this.#sendOn();
  }

  /** Nothing will be answered any more. */
  end() {
    for (const request of this.unanswered.splice(0)) request.reject(new SessionOver());
  }

  #sendOn() {
    let places = MOST - this.unanswered.filter((request) => request.sent).length;
    for (const request of this.unanswered) {
      if (places <= 0) return;
      if (request.sent || request.resting) continue;
      if (!this.send(request.frame)) return;
      request.sent = true;
      places -= 1;
    }
  }
}

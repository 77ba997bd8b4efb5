// @ts-check
/** Instants (RFC 3339) and durations (`30s`, `1.500s`) of the JSON form, as milliseconds and back. */

/** @param {string} instant @returns {number} ms since 1970 */
export const toMs = (instant) => Date.parse(instant);

/** @param {number} ms @returns {string} */
export const toInstant = (ms) => new Date(ms).toISOString();

/** @param {string} span such as `30s` or `1.500s` @returns {number} ms */
export const spanMs = (span) => Math.round(Number.parseFloat(span) * 1000);

/**
 * Written as the server writes it: milliseconds only where there are any.
 * @param {number} ms not negative
 * @returns {string}
 */
export function toSpan(ms) {
  const fraction = ms % 1000;
  const seconds = (ms - fraction) / 1000;
  return fraction ? `${seconds}.${String(fraction).padStart(3, "0")}s` : `${seconds}s`;
}

/** @param {number} ms @returns {string} such as `0:07` or `12:30`, rounded up as a countdown is */
export function clockText(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// @ts-check
/** Instants (RFC 3339) and durations (`30s`, `1.500s`) of the JSON form. */

/** @param {string} span such as `30s`, `1.500s`, `-0.250s` @returns {number} ms */
export const spanMs = (span) => Math.round(Number.parseFloat(span) * 1000);

/**
 * An instant moved by some milliseconds, written as the server writes it.
 * @param {string} instant
 * @param {number} ms
 */
export const later = (instant, ms) => new Date(Date.parse(instant) + ms).toISOString();

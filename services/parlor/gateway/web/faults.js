// @ts-check
/** Defects of one part of the page, kept from the others. */

/**
 * What `work` gives; where it throws, the browser is told as of any uncaught error, and `instead` is given.
 *
 * @template T
 * @param {() => T} work
 * @param {T} instead
 * @returns {T}
 */
export function guarded(work, instead) {
  try {
    return work();
  } catch (error) {
    globalThis.reportError?.(error);
    return instead;
  }
}

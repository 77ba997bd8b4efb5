// @ts-check
/** Where the focus goes when the page shows something else. */

/** Moves it to the page's main part, which is nothing to press and takes it only so. @param {Document} page */
export function toMain(page) {
  const main = page.getElementById("main");
  main?.setAttribute("tabindex", "-1");
  main?.focus({ preventScroll: true });
}

// @ts-check
/** Why something was refused, in the player's words. */

import { knows, t } from "./words.js";

/**
 * @param {{reason: string, message?: string, metadata?: Record<string, string>}} refused
 * @returns {string}
 */
export function reasonText(refused) {
  const key = `reason.${refused.reason.replace("ERROR_REASON_", "")}`;
  // A newer server knows more reasons, and says something in English about each.
  return knows(key) ? t(key) : t("reason.unknown", { message: refused.message ?? refused.reason });
}

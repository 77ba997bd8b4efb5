// @ts-check
/**
 * What the page says, in Chinese and English.
 *
 * A sentence is found by its key and may hold `{name}` (the parameter of that name) and `{n|card|cards}` (the first
 * word where the parameter is 1, else the second). A key without a sentence is shown as it is.
 */

/** @typedef {"zh" | "en"} Lang */

/** @type {Record<Lang, Record<string, string>>} */
const sentences = { zh: {}, en: {} };

/** @type {Lang} */
let current = "en";

/** The languages, each by its own name. */
export const LANGUAGES = /** @type {const} */ ({ zh: "中文", en: "English" });

/**
 * Adds sentences to both languages.
 *
 * @param {{zh: Record<string, string>, en: Record<string, string>}} words
 */
export function addWords(words) {
  Object.assign(sentences.zh, words.zh);
  Object.assign(sentences.en, words.en);
}

/** @returns {Lang} the language that is spoken */
export function lang() {
  return current;
}

/** Speaks another language from now on. @param {Lang} language */
export function setLang(language) {
  current = language;
}

/**
 * The language of a list of preferences, such as `navigator.languages`.
 *
 * @param {readonly string[]} preferences
 * @returns {Lang}
 */
export function preferred(preferences) {
  for (const preference of preferences) {
    if (/^zh\b/i.test(preference)) return "zh";
    if (/^en\b/i.test(preference)) return "en";
  }
  return "en";
}

/**
 * The sentence of a key in the language that is spoken.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  const sentence = sentences[current][key] ?? sentences.en[key];
  if (sentence === undefined) return key;
  return sentence.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, other) => {
    if (one === undefined) return String(params[name] ?? "");
    return Number(params[name]) === 1 ? one : other;
  });
}

/** Whether there is a sentence for `key`. @param {string} key */
export function knows(key) {
  return key in sentences[current] || key in sentences.en;
}

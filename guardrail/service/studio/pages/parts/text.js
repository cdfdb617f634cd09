// @ts-check
/** Texts of others on the page: characters that would reorder or hide what people read are shown by their number. */
import { h } from "./h.js";

/** Bidirectional controls, other controls, zero-width characters, tags. */
const UNSEEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;

/**
 * The text as nodes; what cannot be seen is a mark such as `U+202E`, and the character itself is left out.
 * @param {string} text
 * @returns {Node[]}
 */
export function plain(text) {
  const nodes = [];
  let place = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (found.index > place) nodes.push(document.createTextNode(text.slice(place, found.index)));
    const code = /** @type {number} */ (found[0].codePointAt(0));
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    nodes.push(h("span", { class: "unseen", title: "a character that cannot be seen" }, name));
    place = found.index + found[0].length;
  }
  if (place < text.length) nodes.push(document.createTextNode(text.slice(place)));
  return nodes;
}

/** The same as a text, for names in sentences, choices and charts. @param {unknown} text */
export function clean(text) {
  return plain(String(text ?? "")).map((node) => node.textContent).join("");
}

/**
 * A text of others in one line, cut where it is long.
 * @param {string} text
 * @param {number} [most] characters
 * @returns {Node[]}
 */
export function brief(text, most = 120) {
  const line = text.slice(0, 2 * most).replace(/\s+/g, " ").trim();
  return plain(line.length > most ? `${line.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…` : line);
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [several]
 */
export function counted(count, one, several = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
}

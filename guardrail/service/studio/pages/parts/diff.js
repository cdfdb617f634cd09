// @ts-check
/** What changed between two texts, by words. */
import { h } from "./h.js";
import { plain } from "./text.js";

/** Most cells of the table of common subsequences; beyond it the changed stretch is shown whole. */
const MOST = 4_000_000;

/**
 * Stretches of both texts in order.
 * @param {string} before
 * @param {string} after
 * @returns {{kind: "same" | "gone" | "new", text: string}[]}
 */
export function diff(before, after) {
  const [one, other] = [before, after].map((text) => text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  /** @type {{kind: "same" | "gone" | "new", text: string}[]} */
  const found = [];
  /** @param {"same" | "gone" | "new"} kind @param {string} text */
  const add = (kind, text) => {
    const last = found.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text) found.push({ kind, text });
  };
  add("same", one.slice(0, start).join(""));
  middle(one.slice(start, one.length - end), other.slice(start, other.length - end), add);
  add("same", end ? one.slice(-end).join("") : "");
  return slid(found);
}

/**
 * A change may be read in several places: “a. [B. ]C” is the same as “a[. B]. C”, and reads better.
 * @param {ReturnType<typeof diff>} found
 */
function slid(found) {
  for (let at = 1; at + 1 < found.length; at++) {
    const [before, here, after] = found.slice(at - 1, at + 2);
    if (here.kind === "same" || before.kind !== "same" || after.kind !== "same") continue;
    const first = /^[^\s\p{L}\p{N}]/u.exec(here.text)?.[0];
    if (!first || !after.text.startsWith(first)) continue;
    before.text += first;
    here.text = here.text.slice(first.length) + first;
    after.text = after.text.slice(first.length);
  }
  return found.filter(({ text }) => text);
}

/**
 * @param {string[]} one
 * @param {string[]} other
 * @param {(kind: "same" | "gone" | "new", text: string) => void} add
 */
function middle(one, other, add) {
  const wide = other.length + 1;
  if ((one.length + 1) * wide > MOST) {
    add("gone", one.join(""));
    add("new", other.join(""));
    return;
  }
  const longest = new Uint16Array((one.length + 1) * wide);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      longest[i * wide + j] =
        one[i] === other[j]
          ? longest[(i + 1) * wide + j + 1] + 1
          : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
    }
  }
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      add("same", one[i]);
      i++;
      j++;
    } else if (j >= other.length || (i < one.length && longest[(i + 1) * wide + j] >= longest[i * wide + j + 1])) {
      add("gone", one[i++]);
    } else {
      add("new", other[j++]);
    }
  }
}

/** As people read it: what is gone is struck out, what is new is underlined. @param {string} before @param {string} after */
export function diffText(before, after) {
  const tags = /** @type {const} */ ({ same: "span", gone: "del", new: "ins" });
  return h("p", { class: "diff", dir: "auto" }, ...diff(before, after).map(({ kind, text }) => h(tags[kind], {}, ...plain(text))));
}

// @ts-check
/** Choosing words at fault of a sentence with the arrow keys, or what was marked with the mouse. */
import { h, say } from "../parts/h.js";

/**
 * The part of an element's text that is marked with the mouse, in UTF-16 units of that text.
 * @param {Node} element
 * @param {string} text what it shows
 * @returns {[number, number] | null}
 */
export function marked(element, text) {
  if (element.textContent !== text) return null; // a character that cannot be seen is shown by its number
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!element.contains(range.startContainer) || !element.contains(range.endContainer)) return null;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const start = before.toString().length;
  const end = start + range.toString().length;
  return end > start ? [start, end] : null;
}

/** Words of a text with their places; of a script without spaces, characters. @param {string} text */
function pieces(text) {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  return [...segmenter.segment(text)].filter((piece) => piece.isWordLike).slice(0, 400);
}

/**
 * A strip of words: arrows, Home and End move, Shift with them widens, Enter takes, Escape leaves.
 * @param {string} text
 * @param {(span: [number, number] | null) => void} done the chosen stretch in UTF-16 units; null = left as it was
 */
export function wordStrip(text, done) {
  const words = pieces(text);
  let [from, to] = [0, 0];
  const options = words.map((word) => h("span", { role: "option", class: "word" }, word.segment));
  const strip = h("div", { class: "word-strip", role: "listbox", tabindex: "0", "aria-multiselectable": "true", "aria-label": "Words at fault" }, options);
  const mark = () => {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    options.forEach((option, place) => option.setAttribute("aria-selected", String(place >= low && place <= high)));
    options[to]?.scrollIntoView({ block: "nearest" });
    say(text.slice(words[low].index, words[high].index + words[high].segment.length));
  };
  strip.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, End: words.length, Home: -words.length }[event.key];
    if (step) {
      to = Math.max(0, Math.min(words.length - 1, to + step));
      if (!event.shiftKey) from = to;
      mark();
    } else if (event.key === "Enter" || event.key === " ") {
      const [low, high] = [words[Math.min(from, to)], words[Math.max(from, to)]];
      done([low.index, high.index + high.segment.length]);
    } else if (event.key === "Escape") {
      done(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  options.forEach((option, place) =>
    option.addEventListener("click", (event) => {
      to = place;
      if (!event.shiftKey) from = to;
      mark();
      strip.focus();
    }),
  );
  if (words.length) mark();
  return { strip, any: words.length > 0 };
}

// @ts-check
/** The passages of an answer, with sentences that can be marked as evidence. */
import { h } from "../parts/h.js";
import { offsets } from "../parts/offsets.js";
import { plain } from "../parts/text.js";

const FIRST = 40;

/** @typedef {{passage: number, span: number[]}} Mark */

/**
 * @param {any[]} passages with `text`, `title`, `id`, `sentences`
 * @param {(marks: Mark[]) => void} changed somebody marked or unmarked a sentence
 * @param {() => void} leave the keyboard goes back to judging
 */
export function passageColumn(passages, changed, leave) {
  /** @type {{box: HTMLElement, mark: Mark}[]} */
  const boxes = [];
  const list = h("div", { class: "stack" });
  const same = (/** @type {Mark} */ a, /** @type {Mark} */ b) => a.passage === b.passage && a.span[0] === b.span[0] && a.span[1] === b.span[1];
  const current = () => boxes.filter(({ box }) => box.getAttribute("aria-checked") === "true").map(({ mark }) => mark);
  /** @param {number} place */
  const go = (place) => {
    const found = boxes[Math.max(0, Math.min(boxes.length - 1, place))];
    if (!found) return;
    for (const { box } of boxes) box.tabIndex = -1;
    found.box.tabIndex = 0;
    found.box.focus();
  };
  /** @param {HTMLElement} box */
  const toggle = (box) => {
    box.setAttribute("aria-checked", String(box.getAttribute("aria-checked") !== "true"));
    changed(current());
  };
  /** @param {any} passage @param {number} number */
  const shown = (passage, number) => {
    const { toUnits } = offsets(passage.text);
    /** @type {Node[]} */
    const parts = [];
    let at = 0;
    for (const span of passage.sentences) {
      const [start, end] = [toUnits(span[0]), toUnits(span[1])];
      const box = h("span", { role: "checkbox", class: "evidence-mark", "aria-checked": "false", tabindex: boxes.length ? "-1" : "0" }, plain(passage.text.slice(start, end)));
      box.addEventListener("click", () => toggle(box));
      boxes.push({ box, mark: { passage: number, span } });
      parts.push(...plain(passage.text.slice(at, start)), box);
      at = end;
    }
    const title = passage.title ? `${passage.id} · ${passage.title}` : passage.id || `Passage ${number + 1}`;
    return h("section", { class: "panel" }, h("h3", {}, plain(title)), h("p", { class: "label-passage" }, parts, plain(passage.text.slice(at))));
  };
  /** @param {number} from @param {number} to */
  const add = (from, to) => list.append(...passages.slice(from, to).map((passage, place) => shown(passage, from + place)));
  add(0, FIRST);
  const more = h("button", { type: "button", onclick: () => (more.remove(), add(FIRST, passages.length)) }, `Show all ${passages.length} passages`);
  list.addEventListener("keydown", (event) => {
    const place = boxes.findIndex(({ box }) => box === document.activeElement);
    if (place < 0) return;
    if (event.key === "ArrowDown" || event.key === "ArrowRight") go(place + 1);
    else if (event.key === "ArrowUp" || event.key === "ArrowLeft") go(place - 1);
    else if (event.key === " ") toggle(boxes[place].box);
    else if (event.key === "Enter" || event.key === "Escape") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    element: h("div", { class: "stack" }, list, passages.length > FIRST && more),
    enter: () => go(Math.max(0, boxes.findIndex(({ box }) => box.tabIndex === 0))),
    /** @param {Mark[]} marks @param {Mark[]} hints */
    show(marks, hints) {
      for (const { box, mark } of boxes) {
        box.setAttribute("aria-checked", String(marks.some((one) => same(one, mark))));
        box.classList.toggle("hinted", hints.some((hint) => hint.passage === mark.passage && hint.span[0] < mark.span[1] && mark.span[0] < hint.span[1]));
      }
    },
  };
}

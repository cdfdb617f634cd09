// @ts-check
/** What a threshold does, live: the table holds every step of the slider, so nothing is asked for while it moves. */
import { h } from "../parts/h.js";
import { words } from "../parts/verdicts.js";

/** @typedef {{n: number, cases: number, held: number[], low: number[], high: number[]}} HeldBack */
/** @typedef {{kind: string, name: string, found: HeldBack, alarms: HeldBack, held: HeldBack}} Slice */

const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;

/** @param {HeldBack} column @param {number} step @param {string} none */
export function figure(column, step, none) {
  if (!column.n) return h("span", { class: "soft" }, none);
  const held = column.held[step];
  const cases = column.cases === column.n ? "" : `, ${column.cases} cases`;
  return h(
    "span",
    {},
    h("strong", {}, percent(held / column.n)),
    h("span", { class: "soft small" }, ` ${held} of ${column.n}${cases}; ${percent(column.low[step])} to ${percent(column.high[step])}`),
  );
}

/** @param {string} name @param {string} what @param {Node} shown */
function card(name, what, shown) {
  return h("div", { class: "panel measure" }, h("h3", {}, name), shown, h("p", { class: "soft small" }, what));
}

/** The three figures of all answers. @param {Slice} all @param {number} step */
export function headline(all, step) {
  return [
    card("Errors found", "of the wrong answers", figure(all.found, step, "no wrong answer is labelled")),
    card("False alarms", "of the right answers", figure(all.alarms, step, "no right answer is labelled")),
    card("Held back", "of all: flagged, edited or blocked, as the policy says", figure(all.held, step, "none")),
  ];
}

/** @param {string} caption @param {string} first @param {[string, "found" | "alarms" | "held"][]} columns @param {Slice[]} slices @param {number} step */
function table(caption, first, columns, slices, step) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "small" }, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, first), columns.map(([title]) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, slices.map((slice) =>
        h("tr", {}, h("th", { scope: "row" }, words(slice.name)), columns.map(([, name]) => h("td", {}, figure(slice[name], step, "–")))))),
    ),
  );
}

/** Tables by error type and language. @param {Slice[]} slices @param {number} step */
export function parts(slices, step) {
  const [types, languages] = ["type", "language"].map((kind) => slices.filter((slice) => slice.kind === kind));
  return [
    types.length > 0 && table("By kind of error", "Kind", [["Errors found", "found"]], types, step),
    languages.length > 0 && table("By language", "Language", [["Errors found", "found"], ["False alarms", "alarms"], ["Held back", "held"]], languages, step),
  ].filter((part) => part !== false);
}

/**
 * @param {any} data thresholds and slices of the API
 * @param {number} start threshold to begin with
 * @param {(threshold: number) => void} moved
 */
export function slider(data, start, moved) {
  const nearest = data.thresholds.reduce((/** @type {number} */ best, /** @type {number} */ value, /** @type {number} */ place) => (Math.abs(value - start) < Math.abs(data.thresholds[best] - start) ? place : best), 0);
  const input = h("input", { id: "set-threshold", type: "range", min: "0", max: String(data.thresholds.length - 1), step: "1", value: String(nearest) });
  const shown = h("output", { for: "set-threshold", class: "mono" });
  const cards = h("div", { class: "figures" });
  const more = h("div", { class: "stack" });
  const move = () => {
    const step = Number(input.value);
    const threshold = data.thresholds[step];
    shown.textContent = threshold.toFixed(2);
    input.setAttribute("aria-valuetext", threshold.toFixed(2));
    cards.replaceChildren(...headline(data.slices[0], step));
    more.replaceChildren(...parts(data.slices, step));
    moved(threshold);
  };
  input.addEventListener("input", move);
  move();
  return h(
    "section",
    { class: "stack", "aria-label": "What a threshold does" },
    h("div", { class: "row threshold" }, h("label", { for: "set-threshold" }, "Threshold"), input, shown),
    h("p", { class: "soft small" }, "An answer is delivered as supported from this score on. Behind each share: how many, and the 95 % interval (Wilson)."),
    cards,
    more,
  );
}

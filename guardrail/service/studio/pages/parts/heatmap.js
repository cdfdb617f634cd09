// @ts-check
/** The support matrix: segments × passages. Each cell says its number; colour only repeats it. */
import { h } from "./h.js";
import { several } from "./more.js";
import { brief, counted } from "./text.js";
import { SIGNS } from "./verdicts.js";

const ROWS = 40;
const COLUMNS = 12;

/**
 * @param {any} data a report with `matrix`
 * @param {import("./lights.js").Lights} lights
 * @returns {HTMLElement | null} null where no engine filled a matrix
 */
export function heatmap(data, lights) {
  const rows = data.matrix?.rows ?? [];
  if (!rows.length) return null;
  /** How much rests on each passage. @type {Map<number, number>} */
  const weights = new Map();
  for (const row of rows) {
    for (const [number, supported, contradicted] of row.cells) {
      weights.set(number, Math.max(weights.get(number) ?? 0, supported, contradicted));
    }
  }
  const read = [...weights.keys()].sort((one, other) => one - other);
  const heaviest = [...read].sort((one, other) => (weights.get(other) ?? 0) - (weights.get(one) ?? 0));
  const few = heaviest.slice(0, COLUMNS).sort((one, other) => one - other);
  const box = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Segments by passages" });
  const draw = (/** @type {number[]} */ columns) => box.replaceChildren(table(data, rows, columns, lights));
  draw(few);
  const all = h("button", { type: "button", onclick: () => (draw(read.slice(0, 200)), all.remove()) }, `Show ${Math.min(read.length, 200)} of ${counted(read.length, "passage")}`);
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "soft small" }, "P(supported) ", h("span", { class: "heat heat-s4" }, ".80"), ", P(contradicted) ", h("span", { class: "heat heat-c4" }, "✗ .80"), ", whichever is higher. An empty cell was not read."),
    box,
    read.length > few.length && all,
  );
}

/**
 * @param {any} data
 * @param {any[]} rows
 * @param {number[]} columns
 * @param {import("./lights.js").Lights} lights
 */
function table(data, rows, columns, lights) {
  const verdicts = new Map(data.findings.map((/** @type {any} */ found) => [found.id, found]));
  const body = h("tbody");
  several(
    body,
    rows,
    ROWS,
    (row) => line(row, columns, verdicts.get(row.segment_id), data, lights),
    (count) => counted(count, "segment"),
    { wrap: (button) => h("tr", {}, h("td", { colspan: columns.length + 2 }, button)) },
  );
  const heads = columns.map((number) => h("th", { scope: "col", title: data.passages[number].title ?? "" }, ...brief(data.passages[number].title || data.passages[number].id, 34)));
  return h("table", { class: "heatmap" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Segment"), h("th", { scope: "col" }, "All"), ...heads)), body);
}

/**
 * @param {any} row
 * @param {number[]} columns
 * @param {any} found
 * @param {any} data
 * @param {import("./lights.js").Lights} lights
 */
function line(row, columns, found, data, lights) {
  const cells = new Map(row.cells.map((/** @type {number[]} */ [number, supported, contradicted]) => [number, [supported, contradicted]]));
  const head = h("th", { scope: "row" }, found && h("span", { class: `sign verdict-${found.verdict}`, "aria-hidden": "true" }, SIGNS[found.verdict]), " ", ...brief(found?.text ?? row.segment_id, 48));
  return h(
    "tr",
    {},
    lights.join(head, [row.segment_id]),
    heat(row.supported === null ? undefined : [row.supported, row.contradicted]),
    ...columns.map((number) => {
      const cell = heat(cells.get(number));
      return cells.has(number) ? lights.join(cell, [row.segment_id]) : cell;
    }),
  );
}

/** @param {number[] | undefined} cell */
function heat(cell) {
  if (!cell) return h("td", { class: "heat" });
  const [supported, contradicted] = cell;
  const against = contradicted > supported;
  const value = against ? contradicted : supported;
  const step = Math.min(5, Math.floor(value * 6));
  return h("td", { class: `heat heat-${against ? "c" : "s"}${step}` }, `${against ? "✗ " : ""}${value.toFixed(2).replace(/^0/, "")}`);
}

// @ts-check
/** The passages, with the evidence of all findings underlined; those that nothing rests on come last, folded. */
import { h } from "./h.js";
import { roving } from "./lights.js";
import { several } from "./more.js";
import { offsets } from "./offsets.js";
import { pieces } from "./cut.js";
import { brief, counted, plain } from "./text.js";

const AT_ONCE = 40;
const LONG = 20_000;

/**
 * @param {any} data a report with `passages` (with texts) and `findings`
 * @param {import("./lights.js").Lights} lights
 */
export function passagesColumn(data, lights) {
  /** Evidence by passage id. @type {Map<string, {span: number[], id: string}[]>} */
  const evidence = new Map();
  for (const found of data.findings) {
    for (const quote of found.evidence) {
      const known = evidence.get(quote.passage_id) ?? [];
      evidence.set(quote.passage_id, known);
      known.push({ span: quote.span, id: found.id });
    }
  }
  const numbered = data.passages.map((/** @type {any} */ passage, /** @type {number} */ index) => ({ ...passage, number: index + 1 }));
  const used = numbered.filter((/** @type {any} */ passage) => evidence.has(passage.id));
  const others = numbered.filter((/** @type {any} */ passage) => !evidence.has(passage.id));
  const text = h("div", { class: "column-text" });
  const named = (/** @type {number} */ count) => counted(count, "passage");
  if (used.length) several(text, used, AT_ONCE, (passage) => shown(passage, evidence.get(passage.id) ?? [], lights), named);
  else text.append(h("p", { class: "soft" }, data.passages.length ? "No passage speaks of the answer." : "There are no passages."));
  if (others.length) {
    const rest = h("div", { class: "stack" });
    const folded = h("details", { class: "others" }, h("summary", {}, `${named(others.length)} without evidence`), rest);
    folded.addEventListener("toggle", () => several(rest, others, AT_ONCE, (passage) => shown(passage, [], lights), named), { once: true });
    text.append(folded);
  }
  roving(text, ".evidence");
  return h("section", { class: "column panel", "aria-label": "Passages" }, h("h3", {}, `Passages `, h("span", { class: "soft small" }, `${used.length} of ${data.passages.length} with evidence`)), text);
}

/**
 * @param {any} passage
 * @param {{span: number[], id: string}[]} quotes
 * @param {import("./lights.js").Lights} lights
 */
function shown(passage, quotes, lights) {
  const { toUnits } = offsets(passage.text);
  const ranges = quotes.map(({ span, id }) => ({ start: toUnits(span[0]), end: toUnits(span[1]), id }));
  const cut = pieces(passage.text, ranges);
  const body = h("p", { class: "passage-text", dir: "auto" }, ...cut.map((piece) => part(piece, lights)));
  const title = passage.title || `Passage ${passage.number}`;
  return h(
    "article",
    { class: "passage", "data-passage": passage.id },
    h("h4", {}, ...brief(title), " ", h("span", { class: "soft mono" }, ...brief(passage.id, 40))),
    body,
  );
}

/**
 * @param {import("./cut.js").Piece} piece
 * @param {import("./lights.js").Lights} lights
 */
function part(piece, lights) {
  if (!piece.ids.length) return long(piece.text);
  const mark = h("mark", { class: "evidence", role: "button", tabindex: -1, "aria-pressed": "false", "aria-description": `evidence of ${piece.ids.length > 3 ? `${piece.ids.length} segments` : piece.ids.join(", ")}` }, ...plain(piece.text));
  mark.addEventListener("keydown", (event) => {
    if (!["Enter", " ", "Escape"].includes(event.key)) return;
    event.preventDefault();
    const back = lights.of(lights.selected, ".segment")[0] ?? lights.of(piece.ids[0], ".segment")[0];
    if (back) /** @type {HTMLElement} */ (back).focus();
  });
  return lights.join(mark, piece.ids);
}

/** A stretch without evidence; where it is very long, its begin and a button. @param {string} text */
function long(text) {
  if (text.length <= LONG) return h("span", {}, ...plain(text));
  const rest = h("button", { type: "button", class: "more", onclick: () => rest.replaceWith(...plain(text.slice(LONG))) }, `Show all ${text.length.toLocaleString("en")} characters`);
  return h("span", {}, ...plain(text.slice(0, LONG)), rest);
}

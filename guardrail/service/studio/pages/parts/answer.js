// @ts-check
/** The answer, each segment coloured by its verdict. */
import { h } from "./h.js";
import { roving } from "./lights.js";
import { several } from "./more.js";
import { offsets } from "./offsets.js";
import { pieces } from "./cut.js";
import { counted, plain } from "./text.js";
import { SIGNS } from "./verdicts.js";

const AT_ONCE = 300;
/** Share of a segment from which words at fault are no longer told from the others: all of it is at fault. */
const WHOLE = 0.9;

/**
 * @param {any} data a report with `answer`, `findings`, `skipped`
 * @param {import("./lights.js").Lights} lights
 */
export function answerColumn(data, lights) {
  const { toUnits } = offsets(data.answer);
  const findings = new Map(data.findings.map((/** @type {any} */ found) => [found.id, found]));
  const ranges = data.findings.map((/** @type {any} */ found) => ({
    start: toUnits(found.span[0]),
    end: toUnits(found.span[1]),
    id: found.id,
  }));
  const cut = pieces(data.answer, ranges);
  const text = h("div", { class: "column-text", dir: "auto" });
  several(
    text,
    cut,
    AT_ONCE,
    (piece) => (piece.ids.length ? segment(piece, findings, lights, toUnits) : h("span", {}, ...plain(piece.text))),
    () => counted(data.findings.length, "segment"),
    { group: "chunk" },
  );
  roving(text, ".segment");
  text.addEventListener("keydown", (event) => jump(event, text));
  const hint = h("p", { class: "soft small keys" }, h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " segment, ", h("kbd", {}, "n"), " next fault, ", h("kbd", {}, "Enter"), " its evidence");
  return h("section", { class: "column panel", "aria-label": "Answer" }, h("h3", {}, "Answer"), hint, text);
}

/**
 * @param {import("./cut.js").Piece} piece
 * @param {Map<string, any>} findings
 * @param {import("./lights.js").Lights} lights
 * @param {(point: number) => number} toUnits
 */
function segment(piece, findings, lights, toUnits) {
  const found = findings.get(piece.ids[0]);
  const faults = piece.ids
    .map((id) => findings.get(id).focus)
    .filter(Boolean)
    .map(([start, end]) => ({ start: toUnits(start) - piece.start, end: toUnits(end) - piece.start, id: "fault" }))
    .map(({ start, end, id }) => ({ start: Math.max(0, start), end: Math.min(piece.text.length, end), id }))
    .filter(({ start, end }) => end - start < WHOLE * piece.text.length);
  const element = h(
    "span",
    {
      class: `segment verdict-${found.verdict}`,
      role: "button",
      tabindex: -1,
      "aria-pressed": "false",
      "data-verdict": found.verdict,
      "data-id": found.id,
    },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[found.verdict]),
    h("span", { class: "visually-hidden" }, `${found.verdict}: `),
    ...pieces(piece.text, faults).map((part) =>
      h("span", { class: part.ids.length ? "fault" : "words" }, ...plain(part.text)),
    ),
  );
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const [evidence] = lights.of(found.id, ".evidence");
    if (evidence) /** @type {HTMLElement} */ (evidence).focus();
  });
  return lights.join(element, piece.ids);
}

/**
 * `n` and `p`: the next and the previous segment that is not supported.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} box
 */
function jump(event, box) {
  if (!["n", "p"].includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = /** @type {HTMLElement[]} */ ([...box.querySelectorAll(".segment")]);
  const here = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const rest = event.key === "n" ? all.slice(here + 1) : all.slice(0, Math.max(here, 0)).reverse();
  const next = rest.find((element) => element.dataset.verdict !== "supported");
  if (next) {
    event.preventDefault();
    next.focus();
  }
}

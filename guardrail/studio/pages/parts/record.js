// @ts-check
/** One recorded answer: its texts in two columns, what was found, and where it came from. */
import { count, time } from "./figures.js";
import { h } from "./h.js";
import { lightTogether, pieces } from "./pieces.js";
import { badge, shown, words } from "./verdicts.js";

/** Passages without evidence that are shown at once. */
const SHOWN = 5;

/**
 * @param {any} record as the API's /api/record gives it
 * @param {...(Node | string | null)} more what stands below the heading
 */
export function recordPanel(record, ...more) {
  const root = h(
    "article",
    { class: "record stack" },
    h("div", { class: "row" }, verdictOf(record), h("span", { class: "soft" }, facts(record))),
    ...more,
    record.missing && h("p", { class: "note" }, record.missing),
    record.question && h("p", { dir: "auto" }, h("strong", {}, "Question: "), h("bdi", {}, record.question)),
    columns(record),
    origin(record),
  );
  lightTogether(root);
  return root;
}

/** @param {any} record */
function verdictOf(record) {
  return record.verdict === "unchecked" ? h("span", { class: "verdict verdict-unverified" }, "not checked") : badge(record.verdict);
}

/** @param {any} record */
function facts(record) {
  const parts = [
    record.score !== null && `score ${shown(record.score)}`,
    record.action && record.action !== "none" && `action ${record.action}`,
    record.label && `a person says: ${record.label}`,
    time(record.at),
    record.weight > 1 && `stands for ${count(record.weight)} answers`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** @param {any} record */
function columns(record) {
  /** @type {import("./pieces.js").Stretch[]} */
  const inAnswer = [];
  /** @type {Map<string, import("./pieces.js").Stretch[]>} */
  const inPassages = new Map();
  record.findings.forEach((/** @type {any} */ finding, /** @type {number} */ place) => {
    inAnswer.push({ span: finding.span, finding: place, kind: `segment segment-${finding.verdict}` });
    if (finding.focus) inAnswer.push({ span: finding.focus, finding: place, kind: "focus" });
    for (const quote of finding.evidence ?? []) {
      const stretches = inPassages.get(quote.passage_id) ?? [];
      stretches.push({ span: quote.span, finding: place, kind: "evidence" });
      inPassages.set(quote.passage_id, stretches);
    }
  });
  const held = record.spans_hold !== false;
  const answer = h("div", { class: "text", dir: "auto" }, ...(held ? pieces(record.answer, inAnswer) : [record.answer]));
  return h(
    "div",
    { class: "columns" },
    h("div", { class: "stack" },
      h("section", { class: "panel stack" }, h("h3", {}, "Answer"), record.answer ? answer : h("p", { class: "soft" }, "No text.")),
      delivered(record),
      record.findings.length > 0 && findings(record)),
    passages(record, held ? inPassages : new Map()),
  );
}

/** @param {any} record @param {Map<string, import("./pieces.js").Stretch[]>} stretches */
function passages(record, stretches) {
  const cited = record.passages.filter((/** @type {any} */ p) => stretches.has(p.id));
  const others = record.passages.filter((/** @type {any} */ p) => !stretches.has(p.id));
  const atOnce = others.slice(0, SHOWN);
  const later = others.slice(SHOWN);
  /** @param {any} passage */
  const one = (passage) =>
    h("div", { class: "passage" }, h("h4", {}, h("bdi", {}, passage.title || `Passage ${passage.id}`)), h("div", { class: "text", dir: "auto" }, ...pieces(passage.text, stretches.get(passage.id) ?? [])));
  const rest = h("details", { ontoggle: () => rest.children.length === 1 && rest.append(...later.map(one)) }, h("summary", {}, `${count(later.length)} further passages without evidence`));
  return h(
    "section",
    { class: "panel stack" },
    h("h3", {}, `Passages (${count(record.passages.length)})`),
    ...[...cited, ...atOnce].map(one),
    later.length ? rest : null,
    record.passages.length ? null : h("p", { class: "soft" }, "No passages."),
  );
}

/** @param {any} record */
function findings(record) {
  const list = record.findings.map((/** @type {any} */ finding, /** @type {number} */ place) =>
    h(
      "li",
      { class: "finding", tabindex: 0, "data-findings": place },
      h("p", { class: "row" }, badge(finding.verdict), h("span", { class: "soft small" }, `score ${shown(finding.score)}`), finding.error_type && h("strong", { class: "small" }, words(finding.error_type)), finding.cause && h("span", { class: "small" }, `cause: ${words(finding.cause)}`)),
      h("p", { dir: "auto" }, finding.text),
      finding.reason && h("p", { class: "soft small" }, finding.reason),
      ...(finding.evidence ?? []).map((/** @type {any} */ quote) => h("blockquote", { dir: "auto", class: "small" }, quote.quote)),
    ),
  );
  return h("section", { class: "stack" }, h("h3", {}, `Findings (${count(record.findings.length)})`), h("ol", { class: "findings" }, ...list));
}

/** @param {any} record */
function delivered(record) {
  if (record.delivered === null || record.delivered === undefined || record.delivered === record.answer) return null;
  return h("section", { class: "panel stack" }, h("h3", {}, "What was delivered"), h("div", { class: "text", dir: "auto" }, record.delivered || "Nothing."));
}

/** @param {any} record */
function origin(record) {
  /** @type {[string, any][]} */
  const rows = [["Id", record.id], ["Trace", record.trace_id], ["Policy", record.policy], ["Rule", record.rule], ["Engine", record.engine], ["Note", record.note], ...Object.entries(record.labels ?? {}).map(([key, value]) => /** @type {[string, any]} */ ([words(key), value]))];
  const known = rows.filter(([, value]) => value);
  return h("dl", { class: "origin small" }, ...known.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", { class: key === "Id" || key === "Trace" ? "mono" : "" }, String(value)))));
}

// @ts-check
/** One recorded answer as Check shows it, with where it came from and what is missing. */
import { answerColumn } from "./answer.js";
import { copyButton } from "./copy.js";
import { count, time } from "./figures.js";
import { h } from "./h.js";
import { Lights } from "./lights.js";
import { passagesColumn } from "./passages.js";
import { report } from "./report.js";
import { clean, plain } from "./text.js";
import { words } from "./verdicts.js";

/**
 * @param {any} record as the API's /api/record gives it
 * @param {...(Node | null)} more what stands below the heading
 */
export function recordPanel(record, ...more) {
  const data = {
    ...record,
    ...Object.fromEntries(["policy", "rule", "engine", "action"].map((key) => [key, record[key] && clean(record[key])])),
    findings: record.findings.map((/** @type {any} */ finding) => ({ ...finding, id: clean(finding.id), error_type: finding.error_type && clean(finding.error_type), cause: finding.cause && clean(finding.cause), evidence: finding.evidence ?? [] })),
    skipped: record.skipped ?? [],
    seconds: record.seconds ?? undefined,
    text: record.delivered ?? undefined,
  };
  return h(
    "article",
    { class: "record stack" },
    h("p", { class: "soft" }, clean(facts(record))),
    record.missing && h("p", { class: "note" }, record.missing),
    record.question && h("p", { dir: "auto" }, h("strong", {}, "Question: "), ...plain(record.question)),
    ...more,
    record.verdict === "unchecked" ? unchecked(data) : report(data),
    origin(record),
  );
}

/** An answer without a report. @param {any} data */
function unchecked(data) {
  const lights = new Lights(() => {});
  return h("div", { class: "columns" }, answerColumn(data, lights), passagesColumn(data, lights));
}

/** @param {any} record */
function facts(record) {
  const parts = [
    record.verdict === "unchecked" && "not checked yet",
    time(record.at),
    record.action && record.action !== "none" && `action ${record.action}`,
    record.label && `a person says: ${record.label}`,
    record.weight > 1 && `stands for ${count(record.weight)} answers`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** @param {any} record */
function origin(record) {
  /** @type {[string, any][]} */
  const rows = [["Id", record.id], ["Trace", record.trace_id], ["Policy", record.policy], ["Rule", record.rule], ["Engine", record.engine], ["Note", record.note], ...Object.entries(record.labels ?? {}).map(([key, value]) => /** @type {[string, any]} */ ([words(key), value]))];
  const known = rows.filter(([, value]) => value);
  return h(
    "div",
    { class: "origin row" },
    h("dl", { class: "small" }, ...known.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", { class: key === "Id" || key === "Trace" ? "mono" : "" }, ...plain(String(value)))))),
    record.trace_id && copyButton("Copy the trace id", () => record.trace_id, "Copied."),
  );
}

// @ts-check
/** One answer with its report: two columns, the selected finding, and what holds for the whole answer below. */
import { answerColumn } from "./answer.js";
import { diffText } from "./diff.js";
import { findingPanel } from "./finding.js";
import { h } from "./h.js";
import { heatmap } from "./heatmap.js";
import { Lights } from "./lights.js";
import { passagesColumn } from "./passages.js";
import { people, relations } from "./relations.js";
import { counted, plain } from "./text.js";
import { badge, SIGNS, shown } from "./verdicts.js";

/** What became of an answer. @type {Record<string, string>} */
const ACTIONS = {
  allow: "It is delivered as it is.",
  flag: "It is delivered as it is, and flagged.",
  annotate: "It is delivered with notes.",
  redact: "What is not supported is taken out.",
  rewrite: "It is rewritten.",
  regenerate: "A new answer is asked for.",
  block: "It is not delivered.",
};

/**
 * @param {any} data a report as `POST api/check` replies: `answer`, `passages` with texts, `findings`, and where they
 *   are there `matrix`, `groups`, `relations`, `action`, `policy`, `text` (what is delivered)
 * @returns {HTMLElement}
 */
export function report(data) {
  const findings = new Map(data.findings.map((/** @type {any} */ found) => [found.id, found]));
  const panel = h("div", { class: "finding stack", "aria-live": "polite" }, h("p", { class: "soft" }, data.findings.length ? "Point at a segment, or press Tab and an arrow key." : "The answer has no segment to check."));
  const lights = new Lights((id) => {
    if (findings.has(id)) panel.replaceChildren(...findingPanel(findings.get(id), data).filter((node) => node instanceof Node));
  });
  const columns = h(
    "div",
    { class: "columns" },
    answerColumn(data, lights),
    passagesColumn(data, lights),
    h("aside", { class: "panel side", "aria-label": "Finding" }, h("h3", {}, "Finding"), panel),
  );
  const worst = data.findings.find((/** @type {any} */ found) => found.verdict === data.verdict) ?? data.findings[0];
  if (worst) lights.select(worst.id);
  return h(
    "div",
    { class: "report stack" },
    summary(data),
    columns,
    section("Support matrix", heatmap(data, lights)),
    section("Who is who", people(data, lights)),
    section("Relations", relations(data, lights)),
    section("Delivered", data.text === undefined ? null : delivered(data)),
  );
}

/** The verdict on the answer, and how many findings of each kind. @param {any} data */
function summary(data) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { verdict } of data.findings) counts[verdict] = (counts[verdict] ?? 0) + 1;
  const by = Object.keys(SIGNS).filter((verdict) => counts[verdict]).map((verdict) => `${counts[verdict]} ${verdict}`);
  return h(
    "div",
    { class: "row summary" },
    h("h2", { tabindex: -1, class: "result" }, "Result ", badge(data.verdict)),
    h("span", {}, `score ${shown(data.score)}`),
    h("span", { class: "soft" }, `${counted(data.findings.length, "segment")}${by.length ? `: ${by.join(", ")}` : ""}`),
    data.seconds !== undefined && h("span", { class: "soft" }, `${data.engine}, ${data.seconds.toFixed(2)} s`),
    data.reason && h("p", { class: "reason" }, ...plain(data.reason)),
  );
}

/**
 * @param {string} title
 * @param {HTMLElement | null} content
 */
function section(title, content) {
  return content && h("details", { class: "panel", open: true }, h("summary", {}, h("h3", {}, title)), content);
}

/** @param {any} data */
function delivered(data) {
  const same = data.text === data.answer;
  return h(
    "div",
    { class: "stack" },
    h("p", {}, data.action && h("strong", {}, `${data.action}: `), ACTIONS[data.action] ?? "", data.exhausted && " A new answer was asked for, and nothing here writes one.", data.policy && h("span", { class: "soft" }, ` Policy ${data.policy}, rule “${data.rule}”.`)),
    same ? h("p", { class: "soft" }, "The text is unchanged.") : data.text === "" ? h("p", { class: "soft" }, "Nothing is left of the text.") : diffText(data.answer, data.text),
  );
}

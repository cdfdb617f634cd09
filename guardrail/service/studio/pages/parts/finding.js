// @ts-check
/** The side panel: one finding in full. */
import { h } from "./h.js";
import { brief, plain } from "./text.js";
import { badge, shown, words } from "./verdicts.js";

/**
 * @param {any} found a finding
 * @param {any} data its report
 */
export function findingPanel(found, data) {
  /** @type {[string, any][]} */
  const facts = [
    ["Score", h("span", {}, h("meter", { min: 0, max: 1, value: found.score, "aria-label": `score ${shown(found.score)}` }), ` ${shown(found.score)}`)],
    ["Error type", words(found.error_type)],
    ["Not verified", words(found.cause)],
    ["Passages disagree", found.conflict && "some support it, others contradict it"],
    ["About", found.entity && brief(found.entity)],
    ["Policy", found.action && `${found.action}${data.policy ? ` (${data.policy})` : ""}`],
    ["Reads alone", found.claim && found.claim !== found.text && plain(found.claim)],
  ];
  const titles = new Map(data.passages.map((/** @type {any} */ passage) => [passage.id, passage.title || passage.id]));
  return [
    h("div", { class: "row" }, badge(found.verdict), h("span", { class: "soft mono" }, found.id)),
    found.reason && h("p", { class: "reason", dir: "auto" }, ...plain(found.reason)),
    h("dl", { class: "facts" }, ...facts.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, ...[value].flat())])),
    h("h4", {}, found.evidence.length ? "Evidence" : "No evidence"),
    ...found.evidence.slice(0, 8).map((/** @type {any} */ quote) =>
      h("blockquote", { dir: "auto" }, h("p", {}, ...brief(quote.quote, 400)), h("footer", { class: "soft small" }, ...brief(String(titles.get(quote.passage_id) ?? quote.passage_id)))),
    ),
  ];
}

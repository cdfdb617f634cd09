// @ts-check
/** A threshold with a guarantee for a wanted error rate, in the words of `guardrail calibrate`. */
import { post } from "../parts/api.js";
import { h } from "../parts/h.js";
import { failed } from "../parts/states.js";
import { headline } from "./slider.js";

/** @type {[string, string][]} */
const RISKS = [
  ["missed", "wrong answers delivered, of the wrong ones"],
  ["delivered-wrong", "wrong answers delivered, of all answers"],
  ["false-alarm", "right answers flagged, of the right ones"],
];

/**
 * @param {() => Record<string, any>} chosen engine, policy and labels
 * @param {(asked: Record<string, any>) => void} take make a policy file of it
 */
export function guaranteePanel(chosen, take) {
  const target = h("input", { id: "set-target", type: "number", min: "0.1", max: "99.9", step: "any", value: "10", class: "short" });
  const risk = h("select", { id: "set-risk" }, RISKS.map(([value, words]) => h("option", { value }, words)));
  const delta = h("select", { id: "set-delta" }, [["", "in expectation"], ["0.1", "with 90 % certainty"], ["0.05", "with 95 % certainty"]].map(([value, words]) => h("option", { value }, words)));
  const shared = h("select", { id: "set-case" }, [["passage", "a question or a passage"], ["question", "a question"]].map(([value, words]) => h("option", { value }, words)));
  const result = h("div", { class: "stack", role: "status" });
  const field = (/** @type {string} */ id, /** @type {string} */ words, /** @type {Node} */ control) => h("div", { class: "field" }, h("label", { for: id }, words), control);
  const asked = () => ({ ...chosen(), target: Number(target.value) / 100, risk: risk.value, delta: delta.value ? Number(delta.value) : null, case: shared.value });

  /** @param {Event} event */
  async function ask(event) {
    event.preventDefault();
    const wanted = asked();
    try {
      const found = await post("set/guarantee", wanted);
      result.replaceChildren(...(found.refused ? [h("p", { class: "panel refusal" }, found.refused)] : shown(found, wanted)));
    } catch (error) {
      result.replaceChildren(failed(error));
    }
  }

  /** @param {any} found @param {Record<string, any>} wanted */
  function shown(found, wanted) {
    const { figures } = found;
    return [
      h("p", {}, "Threshold ", h("strong", { class: "mono" }, String(found.threshold)), ` · from ${found.n} cases`),
      h("p", {}, found.guarantee),
      h("p", { class: "small" }, `In these data: ${wanted.risk} ${(100 * figures.observed_risk).toFixed(1)} %; ${found.cost}. Read: ${figures.right} right, ${figures.wrong} wrong, ${figures.declines} that decline (left out).`),
      ...(found.warning ? [h("p", { class: "panel refusal" }, found.warning)] : []),
      h("div", { class: "figures" }, headline(found.slices[0], 0)),
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => take(wanted) }, "Make a policy file of this guarantee")),
    ];
  }

  return h(
    "section",
    { class: "panel stack", "aria-label": "Guarantee" },
    h("h2", {}, "A guarantee"),
    h("form", { class: "row label-fields", onsubmit: ask }, field("set-target", "At most (%)", target), field("set-risk", "of", risk), field("set-delta", "How sure", delta), field("set-case", "One case shares", shared), h("button", { type: "submit" }, "Find the threshold")),
    result,
  );
}

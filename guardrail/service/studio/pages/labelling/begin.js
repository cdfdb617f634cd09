// @ts-check
/** Before labelling: who, which queue, which draw; and what is still being looked at in the background. */
import { get, post } from "../parts/api.js";
import { h } from "../parts/h.js";
import { labeller, nameLabeller } from "./kept.js";

/** @type {[string, string][]} */
export const ORDERS = [
  ["random", "a random draw"],
  ["worst", "worst first"],
  ["uncertain", "most uncertain first"],
  ["engines", "engines disagree"],
  ["people", "people disagree"],
];

export const NOTHING = /** @type {Record<string, string>} */ ({
  random: "None of the answers can be labelled: a label needs an answer and its passages.",
  worst: "No answer has been checked yet, or none can be labelled.",
  uncertain: "No answer has a score yet, or none can be labelled.",
  engines: "The engines judged these answers alike. Name a second engine when you start the studio (--engine), or take a random draw.",
  people: "No two people differ on an answer. That takes two who labelled the same ones.",
});

/** @typedef {{by: string, order: string, seed: string, engine: string, limit: string}} Choice */

/**
 * @param {Partial<Choice>} before
 * @param {string[]} engines
 * @param {(choice: Choice) => void} start
 */
export function beginForm(before, engines, start) {
  const name = h("input", { id: "label-by", type: "text", maxlength: "60", required: true, value: before.by || labeller(), autocomplete: "off" });
  const order = h("select", { id: "label-order" }, ORDERS.map(([value, words]) => h("option", { value, selected: value === (before.order ?? "random") }, words)));
  const seed = h("input", { id: "label-seed", type: "number", min: "0", max: "999999999", value: before.seed ?? "1", class: "short" });
  const limit = h("input", { id: "label-limit", type: "number", min: "1", max: "500", value: before.limit ?? "60", class: "short" });
  const engine = h("select", { id: "label-engine" }, h("option", { value: "" }, "as recorded"), engines.map((value) => h("option", { value, selected: value === before.engine }, value)));
  const second = h("div", { class: "field", hidden: true }, h("label", { for: "label-engine" }, "Second engine"), engine);
  const hint = h("p", { class: "soft small" });
  const changed = () => {
    second.hidden = order.value !== "engines";
    hint.textContent = order.value === "random"
      ? "Labels of a random draw stand for all your answers: the view Set can guarantee thresholds from them. Answers that share a passage count once there, so label answers about many passages. The same draw number gives the same answers in the same order."
      : "These answers are picked. Their labels find faults, but rates and guarantees need a random draw.";
  };
  order.addEventListener("change", changed);
  changed();
  const field = (/** @type {string} */ id, /** @type {string} */ words, /** @type {Node} */ control) => h("div", { class: "field" }, h("label", { for: id }, words), control);
  return h(
    "form",
    {
      class: "panel stack",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        nameLabeller(name.value.trim());
        start({ by: name.value.trim(), order: order.value, seed: seed.value || "1", limit: limit.value || "60", engine: second.hidden ? "" : engine.value });
      },
    },
    h("h2", {}, "Label answers"),
    h("div", { class: "row label-fields" }, field("label-by", "Your name", name), field("label-order", "Which answers", order), second, field("label-limit", "How many", limit), field("label-seed", "Draw no.", seed)),
    hint,
    h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Start")),
  );
}

/**
 * Ask for the queue until nothing is looked at in the background any more.
 * @param {Choice} choice
 * @param {HTMLElement} root where progress is shown
 * @param {AbortSignal} signal
 */
export async function queueOf(choice, root, signal) {
  for (;;) {
    const found = await get("label/queue", { ...choice }, { signal });
    const { job } = found;
    if (!job || job.state !== "running") return found;
    const words = job.total === null ? "Beginning …" : `Judging answers: ${job.done} of ${job.total}`;
    root.replaceChildren(
      h("div", { class: "state" }, h("p", { role: "status" }, words), h("progress", { value: job.total ? String(job.done) : null, max: String(job.total ?? 1), "aria-label": words }),
        h("button", { type: "button", onclick: () => post("label/stop", {}) }, "Stop, and take these")),
    );
    await new Promise((done) => setTimeout(done, 700));
    if (signal.aborted) throw new Error("left");
  }
}

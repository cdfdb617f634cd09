// @ts-check
/** The policy file: what it would hold, what that changes, and the question before anything is overwritten. */
import { post } from "../parts/api.js";
import { h } from "../parts/h.js";
import { failed } from "../parts/states.js";

/** @param {string} line */
function diffLine(line) {
  const kind = /^(\+\+\+|---|@@)/.test(line) ? "place" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
  return h("span", { class: `diff-line ${kind}` }, `${line}\n`);
}

/** @param {{name: string, exists: boolean} | null} out the only file that may be written */
export function filePanel(out) {
  const body = h("div", { class: "stack" });
  const none = out
    ? h("p", { class: "soft" }, `Written to ${out.name}, after you have seen what changes.`)
    : h("p", { class: "soft" }, "The studio may write no file yet. Start it with the policy file that it may write: guardrail studio … --policy-out policy.yaml; in a service, studio.policy_out of its settings.");
  body.replaceChildren(none);

  /** @param {Record<string, any>} asked threshold or guarantee */
  async function draft(asked) {
    try {
      const made = await post("set/draft", asked);
      if (!made.diff.length) return body.replaceChildren(h("p", {}, `${made.name} says just this already.`), h("pre", { class: "policy", tabindex: "0" }, made.text));
      const over = made.over !== "";
      body.replaceChildren(
        h("p", {}, over ? `${made.name} is there. This would change it so:` : `${made.name} is not there yet. It would hold:`),
        h("pre", { class: "policy", tabindex: "0", "aria-label": "What changes" }, made.diff.map(diffLine)),
        ...(made.comments === 0 ? [] : [h("p", { class: "panel refusal" }, `${made.comments} comment ${made.comments === 1 ? "line" : "lines"} of the file would be lost.`)]),
        h("div", { class: "row" },
          h("button", { type: "button", class: "primary", onclick: () => write(asked, made) }, over ? `Overwrite ${made.name}` : `Write ${made.name}`),
          h("button", { type: "button", onclick: () => body.replaceChildren(none) }, "Leave it")),
      );
      body.querySelector("button")?.focus();
    } catch (error) {
      body.replaceChildren(failed(error));
    }
    return undefined;
  }

  /** @param {Record<string, any>} asked @param {any} made */
  async function write(asked, made) {
    try {
      const done = await post("set/write", { ...asked, over: made.over });
      body.replaceChildren(
        h("p", { role: "status" }, `Written: ${done.name}, threshold ${done.threshold}. Use it so, in Python or on the command line:`),
        h("pre", { class: "policy", tabindex: "0" }, `guard = Guard(policy=Policy.load("${done.name}"))\nguardrail check answers.jsonl --policy ${done.name}`),
      );
    } catch (error) {
      body.replaceChildren(failed(error, () => draft(asked)));
    }
  }

  return { element: h("section", { class: "panel stack", "aria-label": "Policy file" }, h("h2", {}, "Policy file"), body), draft };
}

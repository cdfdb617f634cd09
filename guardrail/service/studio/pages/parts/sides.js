// @ts-check
/** The sides of a comparison: engines with policies, or what was recorded. */
import { select } from "./filters.js";
import { h } from "./h.js";

const MOST = 4;
const RECORDED = "(as recorded)";

/**
 * @param {{engines: string[], policies: string[]}} choices
 * @returns {{fields: HTMLElement, read: () => any[]}}
 */
export function sides(choices) {
  const rows = h("ol", { class: "sides" });
  const add = h("button", { type: "button", onclick: () => append(choices.engines[0], choices.policies[0]) }, "Add a side");

  /** @param {string} engine @param {string} policy */
  function append(engine, policy) {
    const number = rows.children.length + 1;
    const engines = select("engine", [[RECORDED, "as recorded"], ...choices.engines.map((name) => /** @type {[string, string]} */ ([name, name]))], engine);
    const policies = select("policy", choices.policies.map((name) => [name, name]), policy);
    engines.setAttribute("aria-label", `Engine of side ${number}`);
    policies.setAttribute("aria-label", `Policy of side ${number}`);
    const still = () => { policies.hidden = engines.value === RECORDED; };
    engines.addEventListener("change", still);
    still();
    const drop = h("button", { type: "button", class: "link", onclick: () => { row.remove(); check(); add.focus(); } }, `Remove side ${number}`);
    const row = h("li", {}, h("span", { class: "row" }, engines, policies, number > 2 && drop));
    rows.append(row);
    check();
  }

  function check() {
    add.disabled = rows.children.length >= MOST;
  }

  append(RECORDED, choices.policies[0]);
  append(choices.engines[0], choices.policies[0]);
  const read = () =>
    [...rows.children].map((row) => {
      const [engine, policy] = [...row.querySelectorAll("select")].map((control) => control.value);
      return engine === RECORDED ? { recorded: true } : { engine, policy };
    });
  return { fields: h("div", { class: "stack" }, rows, h("p", {}, add)), read };
}

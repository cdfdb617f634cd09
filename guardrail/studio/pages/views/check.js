// @ts-check
/** Check one answer. */
import { get } from "../parts/api.js";
import { h } from "../parts/h.js";

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} _params
 */
export async function show(root, _params) {
  const choices = await get("choices");
  root.replaceChildren(h("p", {}, `Policies: ${choices.policies.join(", ")}`));
}

// @ts-check
/** The filters of recorded answers: only those that the source has values for. */
import { count } from "./figures.js";
import { h } from "./h.js";
import { clean } from "./text.js";
import { words } from "./verdicts.js";

/** @typedef {{records: number, labelled: number, since: number | null, until: number | null, values: Record<string, [string, number][]>, source: any}} Choices */

/** @type {[string, string][]} */
const TIMES = [["", "any time"], ["1h", "last hour"], ["24h", "last 24 hours"], ["7d", "last 7 days"], ["30d", "last 30 days"]];

/** Names of all filters, as the address has them. */
export const FILTERS = ["text", "verdict", "error_type", "application", "model", "retriever", "index", "release", "topic", "policy", "engine", "since", "until", "labelled"];

/**
 * @param {Choices} choices
 * @param {URLSearchParams} params what is set
 * @param {() => void} onchange called after each change
 * @param {{search?: boolean}} [options]
 * @returns {{form: HTMLFormElement, read: () => Record<string, string>}}
 */
export function filters(choices, params, onchange, options = {}) {
  const fields = [];
  if (options.search) fields.push(field("text", "Search texts", h("input", { type: "search", name: "text", value: params.get("text") ?? "", maxlength: 500 })));
  for (const [name, values] of Object.entries(choices.values)) {
    if (values.length < 2 && !params.has(name)) continue; // nothing to choose
    /** @type {[string, string][]} */
    const shown = values.map(([value, n]) => [value, `${clean(words(value))} (${count(n)})`]);
    fields.push(field(name, words(name), select(name, [["", "any"], ...shown], params.get(name))));
  }
  if (choices.since !== null) fields.push(field("since", "Time", select("since", TIMES, params.get("since"))));
  if (choices.until !== null) fields.push(field("until", "Until", h("input", { type: "date", name: "until", value: params.get("until") ?? "" })));
  if (choices.labelled) fields.push(field("labelled", "Labelled", select("labelled", [["", "any"], ["yes", "by a person"], ["no", "by nobody"]], params.get("labelled"))));
  const clear = h("button", { type: "button", onclick: () => { reset(form); onchange(); } }, "Clear filters");
  const form = h("form", { class: "filters", role: "search", "aria-label": "Filters", onsubmit: submit, onchange: () => onchange() }, ...fields, clear);
  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    onchange();
  }
  return { form, read: () => read(form) };
}

/** @param {string} name @param {string} title @param {HTMLElement} control */
function field(name, title, control) {
  control.id = `filter-${name}`;
  return h("p", { class: "field" }, h("label", { for: control.id }, title), control);
}

/** @param {string} name @param {[string, string][]} choices @param {string | null} chosen */
export function select(name, choices, chosen) {
  const known = !chosen || choices.some(([value]) => value === chosen);
  const all = known ? choices : [...choices, /** @type {[string, string]} */ ([chosen, chosen])];
  return h("select", { name }, all.map(([value, title]) => h("option", { value, selected: value === (chosen ?? "") }, title)));
}

/** @param {HTMLFormElement} form */
function read(form) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const [name, value] of new FormData(form)) if (value) found[name] = String(value);
  return found;
}

/** @param {HTMLFormElement} form */
function reset(form) {
  for (const control of form.querySelectorAll("input, select")) /** @type {HTMLInputElement} */ (control).value = "";
}

/**
 * Put what is set into the address, so that it can be copied and reloaded; the view is not shown anew.
 * @param {string} view
 * @param {Record<string, string | null | undefined>} values
 */
export function keepInAddress(view, values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  history.replaceState(null, "", `${location.pathname}#/${view}${query.size ? `?${query}` : ""}`);
}

// @ts-check
/** Compare: engines, policies and what was recorded on the same answers, or releases on the same questions. */
import { get, post } from "../parts/api.js";
import { differing, tables } from "../parts/compared.js";
import { count } from "../parts/figures.js";
import { filters, select } from "../parts/filters.js";
import { h, say } from "../parts/h.js";
import { sides } from "../parts/sides.js";
import { noRecords, skippedRows } from "../parts/sources.js";
import { empty, failed } from "../parts/states.js";
import { clean } from "../parts/text.js";
import { words } from "../parts/verdicts.js";

const LABELS = ["release", "index", "model", "retriever", "application", "topic"];
const PAUSE = 400;

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params
 */
export async function show(root, params) {
  const guards = get("choices");
  guards.catch(() => {}); // said where it is awaited
  const choices = await noRecords(root, () => get("records/choices"));
  if (!choices) return undefined;
  const { engines, policies } = await guards;
  const labels = LABELS.filter((key) => (choices.values[key]?.length ?? 0) > 1);
  const judges = sides({ engines, policies });
  const way = select("way", [["", "engines and policies, on the same answers"], ...labels.map((key) => /** @type {[string, string]} */ ([key, `two values of ${words(key)}, on the same questions`]))], params.get("by"));
  const values = h("p", { class: "row" });
  const how = h("p", { class: "row" });
  const chosen = filters(choices, new URLSearchParams(), () => {});
  const start = h("button", { class: "primary", type: "submit" }, "Compare");
  const progress = h("div", { class: "stack" });
  const result = h("div", { class: "stack" });
  const list = h("div", { class: "stack" }, empty("Nothing compared yet", "Choose the sides, and press Compare. The answers on which they differ most come first."));
  way.id = "way";
  way.addEventListener("change", change);
  how.replaceChildren(
    h("span", { class: "together" }, h("label", { for: "limit" }, "Answers"), h("input", { id: "limit", type: "number", min: 1, max: 500, value: 50, required: true })),
    h("span", { class: "together" }, h("label", { for: "take" }, "which"), Object.assign(select("take", [["newest", "the newest"], ["worst", "the worst"], ["random", "any (random)"]], null), { id: "take" })),
  );
  const form = h("form", { class: "panel stack", onsubmit: begin }, h("p", { class: "row" }, h("label", { for: "way" }, "Compare"), way), judges.fields, values, how, h("p", { class: "row" }, start));
  root.replaceChildren(h("h2", { class: "visually-hidden" }, "Compare"), skippedRows(choices.source) ?? "", h("details", { class: "panel" }, h("summary", {}, "Filters"), chosen.form), form, progress, result, list);
  change();
  let left = false;
  /** @type {string | null} */
  let running = null;

  function change() {
    const key = way.value;
    judges.fields.hidden = how.hidden = Boolean(key);
    values.hidden = !key;
    if (!key) return;
    /** @type {[string, string][]} */
    const known = choices.values[key].map((/** @type {[string, number]} */ [value, n]) => [value, `${clean(value)} (${count(n)})`]);
    const two = ["first", "second"].map((name, place) => Object.assign(select(name, known, known[place][0]), { id: `value-${name}` }));
    values.replaceChildren(h("label", { for: "value-first" }, "First"), two[0], h("label", { for: "value-second" }, "second"), two[1]);
  }

  /** @param {Event} event */
  async function begin(event) {
    event.preventDefault();
    start.disabled = true;
    for (const part of [progress, result, list]) part.replaceChildren();
    const number = /** @type {HTMLInputElement} */ (form.querySelector("#limit"));
    const asked = way.value
      ? { by: way.value, values: [...values.querySelectorAll("select")].map((control) => control.value) }
      : { sides: judges.read(), limit: Number(number.value), order: /** @type {HTMLSelectElement} */ (form.querySelector("#take")).value };
    try {
      running = (await post("compare", { ...asked, filters: chosen.read() })).id;
      await follow(/** @type {string} */ (running));
    } catch (error) {
      progress.replaceChildren(failed(error));
    }
    start.disabled = false;
  }

  /** @param {string} id */
  async function follow(id) {
    const bar = h("progress", { "aria-label": "Answers compared" });
    const text = h("span", { role: "status" });
    const stop = h("button", { type: "button", onclick: () => { stop.disabled = true; post(`compare/${id}/stop`, {}).catch(() => {}); } }, "Stop");
    progress.replaceChildren(h("p", { class: "row" }, bar, text, stop));
    stop.focus();
    for (;;) {
      const state = await get(`compare/${id}`);
      if (left) return;
      if (state.total !== null) Object.assign(bar, { max: state.total || 1, value: state.total ? state.done : 1 });
      text.textContent = `${count(state.done)} of ${state.total === null ? "…" : count(state.total)}`;
      result.replaceChildren(...tables(state));
      if (state.state !== "running") return ended(state);
      await new Promise((go) => setTimeout(go, PAUSE));
    }
  }

  /** @param {any} state */
  function ended(state) {
    running = null;
    const said = { done: "Done.", stopped: "Stopped. What was compared until then:", failed: `This did not work: ${state.error}` }[/** @type {"done"} */ (state.state)];
    const reasons = Object.entries(state.passed_over).map(([why, n]) => h("li", {}, `${count(Number(n))} not compared: ${why}`));
    const hint = state.state === "done" && !state.n && state.same === "questions" ? " No question was asked in both; among the newest 2,000 records of each." : "";
    progress.replaceChildren(h("p", { tabindex: -1, class: state.state === "failed" ? "note" : "" }, `${said} ${count(state.n)} ${state.same} compared.${hint}`), reasons.length ? h("ul", { class: "small" }, ...reasons) : "");
    list.replaceChildren(...differing(state));
    say(said);
    /** @type {HTMLElement} */ (progress.firstElementChild).focus();
  }

  return () => {
    left = true;
    if (running) post(`compare/${running}/stop`, {}).catch(() => {}); // nobody would see the rest
  };
}

// @ts-check
/** What changed between two releases (or indexes, models, ...): one table, the clearest change first. */
import { askAhead, named } from "./ahead.js";
import { count, points, shareCell, time } from "./figures.js";
import { FILTERS, filters, keepInAddress, select } from "./filters.js";
import { h } from "./h.js";
import { empty, failed, loading } from "./states.js";
import { clean } from "./text.js";
import { words } from "./verdicts.js";

const COMPARED = ["release", "index", "model", "retriever", "application", "topic", "policy", "engine"];

/** The changes of an address. @param {URLSearchParams} params */
export function changesAhead(params) {
  return askAhead("changes", { ...named(params, [...FILTERS, "first", "second"]), by: params.get("by") || COMPARED[0] });
}

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params
 * @param {import("./filters.js").Choices} choices
 * @param {ReturnType<typeof changesAhead>} ask
 */
export async function showChanges(root, params, choices, ask) {
  const keys = COMPARED.filter((key) => (choices.values[key]?.length ?? 0) > 1);
  if (!keys.length) {
    root.replaceChildren(empty("Nothing to compare", 'No label has two values. Set one where answers are checked: Telemetry(labels={"release": "v41"}).'));
    return undefined;
  }
  let turn = 0;
  const by = select("by", keys.map((key) => [key, words(key)]), keys.includes(params.get("by") ?? "") ? params.get("by") : keys[0]);
  const sides = h("span", { class: "row" });
  const found = h("div", { class: "stack" });
  const chosen = filters(choices, params, () => load(side("first"), side("second")));
  by.id = "by";
  by.addEventListener("change", () => load(null, null));
  root.replaceChildren(
    h("p", { class: "row" }, h("label", { for: "by" }, "Compare"), by, sides),
    h("details", { class: "panel", open: FILTERS.some((name) => params.has(name)) }, h("summary", {}, "Filters"), chosen.form),
    found,
  );

  /** @param {string} name @returns {string | null} */
  function side(name) {
    const control = sides.querySelector(`#side-${name}`);
    return control instanceof HTMLSelectElement ? control.value : null;
  }

  /** @param {string | null} first @param {string | null} second */
  async function load(first, second) {
    const mine = ++turn;
    found.replaceChildren(loading());
    const query = { ...chosen.read(), by: by.value, first, second };
    keepInAddress("browse", { tab: "changes", ...query });
    try {
      const changes = await ask(query);
      if (mine !== turn) return;
      /** @type {[string, string][]} */
      const values = changes.values.map((/** @type {any} */ v) => [v.value, `${clean(v.value)} (${count(v.records)} records, since ${time(v.since)})`]);
      const control = (/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ value) => {
        const made = select(name, values, value);
        made.id = `side-${name}`;
        made.addEventListener("change", () => load(side("first"), side("second")));
        return [h("label", { for: made.id }, title), made];
      };
      const focused = document.activeElement?.id;
      sides.replaceChildren(...control("first", "from", changes.first), ...control("second", "to", changes.second));
      if (focused?.startsWith("side-")) document.getElementById(focused)?.focus();
      found.replaceChildren(...(changes.whole ? table(changes) : [empty("Nothing to compare", `Only one value of ${words(changes.by)} fits these filters.`)]));
    } catch (error) {
      if (mine === turn) found.replaceChildren(failed(error, () => load(null, null)));
    }
  }

  await load(params.get("first"), params.get("second"));
  return () => { turn++; };
}

/** @param {any} changes */
function table(changes) {
  /** @param {any} change */
  const row = (change) =>
    h(
      "tr",
      { class: change.clear ? "is-clear" : "" },
      h("th", { scope: "row" }, change.key ? `${words(change.key)} ${clean(change.value)}` : "all answers"),
      h("td", {}, shareCell(change.first.unfaithful)),
      h("td", {}, shareCell(change.second.unfaithful)),
      h("td", { class: "nowrap" }, points(change.unfaithful), change.clear && h("strong", { class: change.unfaithful.value > 0 ? "worse" : "better" }, change.unfaithful.value > 0 ? " worse" : " better")),
      h("td", {}, shareCell(change.first.unverified)),
      h("td", {}, shareCell(change.second.unverified)),
    );
  const [first, second] = [clean(changes.first), clean(changes.second)];
  const head = ["slice", `unfaithful in ${first}`, `in ${second}`, "change", `unverified in ${first}`, `in ${second}`];
  const missing = changes.compared - changes.slices.length;
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Changes" },
      h("table", {}, h("caption", { class: "visually-hidden" }, `What changed from ${first} to ${second}`),
        h("thead", {}, h("tr", {}, ...head.map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, row(changes.whole), ...changes.slices.map(row)))),
    h("p", { class: "soft small" }, `Unfaithful: contradicted or unsupported, of the answers that were judged. In brackets and beside each share: 95 % intervals; n: records. "Worse" and "better" where the interval of the change leaves out 0. Of ${count(changes.compared)} slices about one in 20 would by chance alone.${missing > 0 ? ` ${count(missing)} small slices are not shown.` : ""}`),
  ];
}

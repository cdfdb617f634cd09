// @ts-check
/** What came of a comparison: the table, the pairs, and the answers on which the sides differ most. */
import { get } from "./api.js";
import { chance, count, points, shareCell } from "./figures.js";
import { h } from "./h.js";
import { recordPanel } from "./record.js";
import { failed, loading } from "./states.js";
import { brief } from "./text.js";
import { badge, shown } from "./verdicts.js";

const MEASURES = { unfaithful: "called unfaithful", acted: "changed or withheld" };

/** @param {any} state as /api/compare/<id> gives it */
export function tables(state) {
  if (!state.n) return [h("p", { class: "soft" }, "No answer has been compared yet.")];
  const head = (/** @type {string[]} */ titles, numbers = 1) => h("thead", {}, h("tr", {}, ...titles.map((title, place) => h("th", { scope: "col", class: place >= titles.length - numbers ? "number" : "" }, title))));
  const box = (/** @type {string} */ title, /** @type {HTMLElement} */ table) => h("section", { class: "stack" }, h("h3", {}, title), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table));
  const bySide = state.sides.map((/** @type {any} */ side) => h("tr", {}, h("th", { scope: "row" }, side.name), h("td", {}, shareCell(side.unfaithful)), h("td", {}, shareCell(side.acted)), h("td", { class: "number" }, count(side.left_out))));
  const byPair = state.pairs.filter((/** @type {any} */ pair) => pair.paired.n).map((/** @type {any} */ { first, second, measure, paired }) =>
    h("tr", {},
      h("th", { scope: "row" }, `${state.names[second]} against ${state.names[first]}`),
      h("td", {}, MEASURES[/** @type {"acted"} */ (measure)]),
      h("td", {}, points({ value: paired.difference, low: paired.low, high: paired.high })),
      h("td", { class: "number" }, `${count(paired.only_first)} and ${count(paired.only_second)}`),
      h("td", { class: "number" }, chance(paired.p)),
      h("td", { class: "number" }, count(paired.n))));
  return [
    box(`Shares of ${count(state.n)} ${state.same}`, h("table", {}, head(["side", "unfaithful", "changed or withheld", "not judged"]), h("tbody", {}, ...bySide))),
    box("Two at a time", h("table", {}, head(["second against first", "share", "difference (95 % interval)", "only first, only second", "McNemar p", "n"], 3), h("tbody", {}, ...byPair))),
    h("p", { class: "soft small" }, "The p value is the exact one of McNemar's test: how often chance alone would tell two sides so far apart. Each answer counts once, however many it stands for in the store. n: answers that both judged."),
  ];
}

/**
 * The answers on which the sides differ most.
 * @param {any} state
 */
export function differing(state) {
  const rows = state.rows.map((/** @type {any} */ row) => {
    const first = row.opinions.find(Boolean);
    const place = h("div", {});
    const box = h("details", { ontoggle: () => box.open && !place.hasChildNodes() && open(state, row.number, place) },
      h("summary", {},
        h("span", { class: "row" }, row.differs && h("strong", {}, "differ"), !row.differs && row.acts_differ && h("strong", {}, "act differently"),
          ...row.opinions.map((/** @type {any} */ opinion, /** @type {number} */ side) => h("span", { class: "row small" }, `${state.names[side]}:`, opinion ? badge(opinion.verdict) : "no verdict", opinion && shown(opinion.score)))),
        h("span", { class: "clipped", dir: "auto" }, ...brief(first?.question || first?.answer || "", 240))),
      place);
    return h("li", {}, box);
  });
  if (!rows.length) return [];
  return [h("h3", {}, state.rows.length < state.n ? `The ${count(rows.length)} of ${count(state.n)} ${state.same} with the greatest differences` : "Greatest differences first"), h("ol", { class: "differing" }, ...rows)];
}

/** @param {any} state @param {number} number @param {HTMLElement} place */
async function open(state, number, place) {
  place.replaceChildren(loading());
  try {
    const found = await get(`compare/${state.id}/answers/${number}`);
    place.replaceChildren(h("div", { class: "opinions" }, ...found.opinions.map((/** @type {any} */ opinion, /** @type {number} */ side) =>
      h("section", { class: "stack" }, h("h4", {}, found.names[side]), opinion ? recordPanel(opinion) : h("p", { class: "soft" }, "This side has no verdict.")))));
  } catch (error) {
    place.replaceChildren(failed(error, () => open(state, number, place)));
  }
}

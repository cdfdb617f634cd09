// @ts-check
/** Watch: rates over time, whole or by a label, defined as in the Grafana dashboard. */
import { askAhead, named } from "../parts/ahead.js";
import { get } from "../parts/api.js";
import { lineChart } from "../parts/chart.js";
import { count, interval, percent, shareCell, time } from "../parts/figures.js";
import { FILTERS, filters, keepInAddress, select } from "../parts/filters.js";
import { h } from "../parts/h.js";
import { noRecords, skippedRows } from "../parts/sources.js";
import { empty, failed, loading } from "../parts/states.js";
import { clean } from "../parts/text.js";
import { words } from "../parts/verdicts.js";

const BY = ["release", "index", "model", "retriever", "application", "topic", "policy", "engine"];
const MARGIN = 60;

/** @type {{title: string, of: (figures: any) => any, format: (value: number | null) => string, most?: number, whole?: boolean, about: string}[]} */
const CHARTS = [
  { title: "Unfaithful share", of: (f) => f.unfaithful, format: percent, about: "contradicted or unsupported, of the answers that were judged" },
  { title: "Unverified share", of: (f) => f.unverified, format: percent, about: "not verified, of all answers" },
  { title: "Mean score", of: (f) => ({ value: f.score, n: f.unfaithful.n }), format: (v) => (v === null ? "–" : v.toFixed(2)), most: 1, about: "of the answers that were judged, 0 to 1" },
  { title: "Answers", of: (f) => ({ value: f.answers, n: f.records }), format: (v) => (v === null ? "–" : count(v)), whole: true, about: "estimated where the store keeps a sample" },
];

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params
 */
export async function show(root, params) {
  const ask = askAhead("watch", named(params, [...FILTERS, "by"]));
  const choices = await noRecords(root, () => get("records/choices"));
  if (!choices) return undefined;
  const keys = BY.filter((key) => choices.values[key]);
  let asked = 0;
  /** @type {any} */
  let last = null;
  /** @type {[string, string][]} */
  const ways = [["", "nothing (all answers)"], ...keys.map((key) => /** @type {[string, string]} */ ([key, words(key)]))];
  const by = select("by", ways, params.get("by"));
  by.id = "by";
  by.addEventListener("change", () => load());
  const chosen = filters(choices, params, () => load());
  const charts = h("div", { class: "stack" });
  root.replaceChildren(
    h("h2", { class: "visually-hidden" }, "Rates over time"),
    skippedRows(choices.source) ?? "",
    h("details", { class: "panel", open: FILTERS.some((name) => params.has(name)) }, h("summary", {}, "Filters"), chosen.form),
    h("p", { class: "row" }, h("label", { for: "by" }, "Lines by"), by),
    charts,
  );

  async function load() {
    const mine = ++asked;
    const query = { ...chosen.read(), by: by.value };
    keepInAddress("watch", query);
    charts.replaceChildren(loading());
    try {
      const found = await ask(query);
      if (mine !== asked) return;
      last = found.series;
      draw();
    } catch (error) {
      if (mine === asked) charts.replaceChildren(failed(error, load));
    }
  }

  function draw() {
    if (!last) {
      charts.replaceChildren(empty("No answers to count", "No record with a time fits these filters."));
      return;
    }
    const wide = charts.clientWidth;
    const width = Math.max(260, (wide > 900 ? Math.floor((wide - 16) / 2) : wide) - 30);
    charts.replaceChildren(...notes(last), tiles(last.whole.whole), h("div", { class: "charts" }, ...CHARTS.map((chart) => lineChart(drawing(chart, last), width))), ...slices(last, by.value));
  }

  let width = innerWidth;
  const redraw = () => {
    if (Math.abs(innerWidth - width) < MARGIN || !last) return;
    width = innerWidth;
    draw();
  };
  addEventListener("resize", redraw);
  await load();
  return () => {
    asked++;
    removeEventListener("resize", redraw);
  };
}

/** @param {typeof CHARTS[number]} chart @param {any} series */
function drawing(chart, series) {
  const all = { ...series.whole, value: "all answers" };
  const shown = series.lines.length ? series.lines : [all];
  const alone = shown.length === 1;
  const lines = shown.map((/** @type {any} */ line) => {
    const figures = line.points.map((/** @type {any} */ point) => (point ? chart.of(point) : { value: null, n: 0 }));
    const ends = alone && figures.some((/** @type {any} */ f) => f.low !== undefined);
    return {
      name: clean(line.value),
      values: figures.map((/** @type {any} */ f) => f.value),
      n: figures.map((/** @type {any} */ f) => f.n),
      ...(ends ? { low: figures.map((/** @type {any} */ f) => f.low ?? null), high: figures.map((/** @type {any} */ f) => f.high ?? null) } : {}),
    };
  });
  const whole = shown.map((/** @type {any} */ line) => `${clean(line.value)} ${chart.format(chart.of(line.whole).value)}`).join(", ");
  return {
    title: chart.title,
    subtitle: chart.about,
    about: `${chart.title} over time, ${chart.about}. Over the whole time: ${whole}.`,
    lines,
    times: series.whole.points.map((/** @type {any} */ _, /** @type {number} */ place) => series.start + place * series.step),
    step: series.step,
    marks: series.marks.map((/** @type {any} */ mark) => ({ label: clean(`${mark.key} ${mark.value}`), place: (mark.at - series.start) / series.step })),
    format: chart.format,
    most: chart.most,
    whole: chart.whole,
  };
}

/** @param {any} figures */
function tiles(figures) {
  /** @type {[string, string, string][]} */
  const shown = [
    ["Unfaithful", percent(figures.unfaithful.value), interval(figures.unfaithful)],
    ["Unfaithful and not stopped", percent(figures.not_stopped.value), interval(figures.not_stopped)],
    ["Unverified", percent(figures.unverified.value), interval(figures.unverified)],
    ["Answers", count(figures.answers), `${figures.records < figures.answers ? "estimated from " : ""}n ${count(figures.records)} records`],
  ];
  return h("dl", { class: "tiles" }, ...shown.map(([title, value, more]) => h("div", { class: "panel" }, h("dt", { class: "small soft" }, title), h("dd", { class: "figure" }, value), h("dd", { class: "small soft" }, more))));
}

/** @param {any} series @param {string} by */
function slices(series, by) {
  if (!series.lines.length) return [];
  const rows = series.lines.map((/** @type {any} */ { value, whole }) => h("tr", {}, h("th", { scope: "row" }, clean(value)), h("td", {}, shareCell(whole.unfaithful)), h("td", {}, shareCell(whole.not_stopped)), h("td", {}, shareCell(whole.unverified)), h("td", { class: "number" }, whole.score === null ? "–" : whole.score.toFixed(2)), h("td", { class: "number" }, count(whole.answers))));
  const head = [words(by), "unfaithful", "unfaithful, not stopped", "unverified", "mean score", "answers"];
  const rest = series.values - series.lines.length;
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `By ${words(by)}` }, h("table", {}, h("caption", { class: "visually-hidden" }, `Over the whole time, by ${words(by)}`), h("thead", {}, h("tr", {}, ...head.map((title, place) => h("th", { scope: "col", class: place > 3 ? "number" : "" }, title)))), h("tbody", {}, ...rows))),
    ...(rest > 0 ? [h("p", { class: "soft small" }, `${count(rest)} more values have fewer records and no line.`)] : []),
  ];
}

/** @param {any} series */
function notes(series) {
  return [
    series.since && `Rates begin at ${time(series.since)}: of the time before, records were deleted by number.`,
    !series.sampled && "The store keeps no answers that nobody objected to (sample=0), so the shares are among faulty answers.",
  ].filter(Boolean).map((text) => h("p", { class: "note" }, text));
}

// @ts-check
/** A line chart, with the same numbers as a table below it. Colours never stand alone: lines have dashes and names. */
import { h, svg } from "./h.js";

/**
 * @typedef {{name: string, values: (number | null)[], low?: (number | null)[], high?: (number | null)[], n: number[]}} Line
 * @typedef {{title: string, subtitle: string, about: string, lines: Line[], times: number[], step: number, marks: {label: string, place: number}[], format: (value: number | null) => string, most?: number, whole?: boolean}} Chart
 */

const HEIGHT = 210;
const LEFT = 52;
const RIGHT = 12;
const TOP = 18;
const BOTTOM = 26;

/** @param {Chart} chart @param {number} width of the drawing in CSS pixels */
export function lineChart(chart, width) {
  const round = Math.max(chart.most ?? 0, nice(1.1 * Math.max(0, ...chart.lines.flatMap((line) => line.values.map((v) => v ?? 0)))));
  const most = chart.whole ? 4 * Math.ceil(round / 4) : round; // four steps, each a whole number
  /** @param {number} place */
  const x = (place) => LEFT + ((width - LEFT - RIGHT) * (place + 0.5)) / chart.times.length;
  /** @param {number} value */
  const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(1, value / (most || 1)));
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => [
    svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(part * most), y2: y(part * most) }),
    svg("text", { class: "tick", x: LEFT - 6, y: y(part * most) + 4, "text-anchor": "end" }, chart.format(part * most)),
  ]);
  const every = Math.ceil(chart.times.length / Math.max(2, Math.floor(width / 110)));
  const ticks = chart.times.map((at, place) => place % every ? null : svg("text", { class: "tick", x: x(place), y: HEIGHT - 8, "text-anchor": "middle" }, moment(at, chart.step)));
  const marks = chart.marks.map(({ label, place }, number) => {
    const at = LEFT + ((width - LEFT - RIGHT) * place) / chart.times.length;
    const late = at > width * 0.7;
    return [
      svg("line", { class: "mark", x1: at, x2: at, y1: TOP - 4, y2: HEIGHT - BOTTOM }),
      svg("text", { class: "tick", x: at + (late ? -4 : 4), y: TOP + 6 + 13 * (number % 3), "text-anchor": late ? "end" : "start" }, label),
    ];
  });
  const drawn = chart.lines.map((line, number) => [band(line, number, x, y), path(line, number, x, y)]);
  const picture = svg("svg", { class: "chart", width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": chart.about }, ...grid.flat(), ...ticks, ...drawn.flat(2), ...marks.flat());
  const legend = chart.lines.length > 1 && h("ul", { class: "legend small" }, ...chart.lines.map((line, number) => h("li", {}, sample(number), line.name)));
  return h("figure", { class: "panel stack" }, h("figcaption", {}, h("h3", {}, chart.title), h("p", { class: "soft small" }, chart.subtitle)), h("div", { class: "scroll" }, picture), legend, table(chart));
}

/** @param {Line} line @param {number} number @param {(p: number) => number} x @param {(v: number) => number} y */
function path(line, number, x, y) {
  const found = [];
  let drawing = "";
  line.values.forEach((value, place) => {
    if (value === null) {
      drawing = drawing && `${drawing} `;
      return;
    }
    const broken = place === 0 || line.values[place - 1] === null;
    drawing += `${broken ? "M" : "L"}${x(place).toFixed(1)} ${y(value).toFixed(1)}`;
    const alone = broken && (line.values[place + 1] ?? null) === null;
    if (alone || line.values.length < 25) found.push(svg("circle", { class: `dot line-${number}`, cx: x(place), cy: y(value), r: 2.5 }));
  });
  if (drawing) found.unshift(svg("path", { class: `line line-${number}`, d: drawing }));
  return found;
}

/** The interval, where the line is alone. @param {Line} line @param {number} number @param {(p: number) => number} x @param {(v: number) => number} y */
function band(line, number, x, y) {
  const { low, high } = line;
  if (!low || !high) return [];
  const found = [];
  for (let place = 0; place < low.length; place++) {
    const [from, to] = [low[place], high[place]];
    if (from !== null && to !== null) found.push(svg("line", { class: `bar line-${number}`, x1: x(place), x2: x(place), y1: y(from), y2: y(to) }));
  }
  return found;
}

/** @param {number} number */
function sample(number) {
  return svg("svg", { class: "sample", width: 28, height: 10, "aria-hidden": "true" }, svg("path", { class: `line line-${number}`, d: "M1 5L27 5" }));
}

/** @param {Chart} chart */
function table(chart) {
  const head = chart.lines.flatMap((line) => [line.name, "n"]);
  const rows = chart.times.map((at, place) =>
    h("tr", {}, h("th", { scope: "row" }, moment(at, chart.step, true)), ...chart.lines.flatMap((line) => [
      h("td", { class: "number" }, value(chart, line, place)),
      h("td", { class: "number" }, String(line.n[place])),
    ])));
  return h("details", {}, h("summary", {}, "The same as a table"),
    h("div", { class: "scroll table-box", tabindex: 0, role: "region", "aria-label": `${chart.title}, as a table` },
      h("table", { class: "small" }, h("caption", { class: "visually-hidden" }, chart.about), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "from (UTC)"), ...head.map((title) => h("th", { scope: "col", class: "number" }, title)))), h("tbody", {}, ...rows))));
}

/** @param {Chart} chart @param {Line} line @param {number} place */
function value(chart, line, place) {
  const shown = chart.format(line.values[place]);
  const [low, high] = [line.low?.[place] ?? null, line.high?.[place] ?? null];
  return low === null || high === null ? shown : `${shown} (${chart.format(low)} to ${chart.format(high)})`;
}

/** @param {number} at Unix seconds @param {number} step @param {boolean} [whole] */
function moment(at, step, whole = false) {
  const text = new Date(at * 1000).toISOString();
  if (whole) return text.slice(0, 16).replace("T", " ");
  return step >= 86_400 ? text.slice(5, 10) : step >= 3_600 ? `${text.slice(5, 10)} ${text.slice(11, 13)}h` : text.slice(11, 16);
}

/** The next round number. @param {number} value */
function nice(value) {
  if (value <= 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((part) => part * unit).find((round) => round >= value) ?? value;
}

// @ts-check
/** Figures in words: each share says its interval and its n. */
import { h } from "./h.js";

/**
 * @typedef {{value: number | null, low: number | null, high: number | null, n: number, answers: number}} Share
 * @typedef {{value: number | null, low: number | null, high: number | null}} Difference
 */

const WHOLE = new Intl.NumberFormat("en");

/** @param {number} number */
export function count(number) {
  return WHOLE.format(Math.round(number));
}

/** 0.0634 as "6.3 %". @param {number | null | undefined} share */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const digits = share !== 0 && Math.abs(share) < 0.001 ? 2 : 1;
  return `${(share * 100).toFixed(digits)} %`;
}

/** The interval and n: "5.9 to 6.8 %, n 41,000" @param {Share} share */
export function interval(share) {
  return share.value === null ? "n 0" : `${bare(share.low)} to ${percent(share.high)}, n ${count(share.n)}`;
}

/** @param {number | null} share */
function bare(share) {
  return percent(share).replace(" %", "");
}

/** A change in percentage points, with its sign. @param {Difference} change */
export function points(change) {
  if (change.value === null) return "–";
  return `${signed(change.value)} (${signed(change.low)} to ${signed(change.high)}) points`;
}

/** @param {number | null} share */
function signed(share) {
  const number = ((share ?? 0) * 100).toFixed(1);
  if (Number(number) === 0) return "0.0"; // "-0.0" is no figure
  return Number(number) > 0 ? `+${number}` : number.replace("-", "−");
}

/** A p value. @param {number | null} p */
export function chance(p) {
  if (p === null) return "–";
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

/** Unix seconds as a time in UTC; "" where it is not known. @param {number | null | undefined} at */
export function time(at) {
  if (!at || Math.abs(at) > 8e12) return "";
  return `${new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A share as a table cell's content. @param {Share} share */
export function shareCell(share) {
  return share.value === null
    ? h("span", { class: "soft" }, "–")
    : h("span", { class: "share" }, h("strong", {}, percent(share.value)), h("span", { class: "soft small" }, interval(share)));
}

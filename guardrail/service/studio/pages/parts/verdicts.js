// @ts-check
/** Verdicts and error types in words and signs. */
import { h } from "./h.js";

/** @typedef {"supported" | "contradicted" | "unsupported" | "unverified" | "abstained"} Verdict */

/** @type {Record<string, string>} */
export const SIGNS = { supported: "✓", contradicted: "✗", unsupported: "?", unverified: "–", abstained: "○" };

/** A badge with sign and word. @param {string} verdict */
export function badge(verdict) {
  const sign = h("span", { "aria-hidden": "true" }, SIGNS[verdict] ?? "");
  return h("span", { class: `verdict verdict-${verdict in SIGNS ? verdict : "unverified"}` }, sign, verdict);
}

/** An identifier such as `causal_confusion` in words. @param {string | null | undefined} name */
export function words(name) {
  return (name ?? "").replaceAll("_", " ");
}

/** A score (0..1) as people read it. @param {number | null | undefined} score */
export function shown(score) {
  return score === null || score === undefined ? "–" : score.toFixed(2);
}

// @ts-check
/** One answer with its sentences, the one at hand, and what is said of it. */
import { h } from "../parts/h.js";
import { offsets } from "../parts/offsets.js";
import { plain } from "../parts/text.js";
import { SIGNS, words } from "../parts/verdicts.js";

export const WHOLE = "";
export const WRONG = ["contradicted", "unsupported"];

/** Key, label, words on the button. @type {[string, string, string][]} */
export const JUDGEMENTS = [
  ["1", "supported", "Supported"],
  ["2", "contradicted", "Contradicted"],
  ["3", "unsupported", "Not in the passages"],
  ["u", "unsure", "Unsure"],
];

export const ERROR_TYPES = [
  "hallucination", "contradiction", "entity_inversion", "conflation", "conceptual_substitution", "overgeneralization",
  "causal_confusion", "sufficient_necessary", "inclusion_relation", "other_logic", "mixed_entities",
];

/** A label in words. @param {string | undefined} label */
export function inWords(label) {
  return JUDGEMENTS.find(([, name]) => name === label)?.[2] ?? words(label);
}

/**
 * The answer as text, each sentence an element of its own; what lies between was not checked.
 * @param {any} sheet as the API gives it
 * @param {(segment: string) => void} chosen
 */
export function answerText(sheet, chosen) {
  const { toUnits, toPoints } = offsets(sheet.answer);
  /** @type {Map<string, HTMLElement>} */
  const parts = new Map();
  /** @type {Map<string, string>} */
  const texts = new Map();
  /** @type {Node[]} */
  const children = [];
  let at = 0;
  for (const { id, span } of sheet.segments) {
    const [start, end] = [Math.max(at, toUnits(span[0])), toUnits(span[1])];
    const text = sheet.answer.slice(start, end);
    const part = h("span", { class: "sentence", onclick: () => chosen(id) }, plain(text));
    parts.set(id, part);
    texts.set(id, text);
    children.push(...plain(sheet.answer.slice(at, start)), part);
    at = Math.max(at, end);
  }
  return {
    element: h("p", { class: "answer-text", lang: "" }, children, plain(sheet.answer.slice(at))),
    parts,
    text: (/** @type {string} */ id) => texts.get(id) ?? sheet.answer,
    /** From a stretch of a sentence in UTF-16 units to one of the answer in code points. */
    toSpan: (/** @type {string} */ id, /** @type {[number, number]} */ [from, to]) => {
      const span = sheet.segments.find((/** @type {any} */ one) => one.id === id)?.span ?? [0, 0];
      const start = toUnits(span[0]);
      return [toPoints(start + from), toPoints(start + to)];
    },
    ofSpan: (/** @type {number[]} */ [start, end]) => sheet.answer.slice(toUnits(start), toUnits(end)),
  };
}

/**
 * Show what is said, and which sentence is at hand.
 * @param {Map<string, HTMLElement>} parts
 * @param {Record<string, {label: string}>} said
 * @param {string} current
 */
export function markSentences(parts, said, current) {
  for (const [id, part] of parts) {
    const label = said[id]?.label;
    part.className = `sentence${label ? ` said-${label}` : ""}${id === current ? " at-hand" : ""}`;
    if (id === current) part.setAttribute("aria-current", "true");
    else part.removeAttribute("aria-current");
    part.title = label ? inWords(label) : "Not labelled yet";
  }
}

/** What the guard thinks, which is shown only when asked for. @param {any} hint */
export function hintLine(hint) {
  if (!hint) return h("p", { class: "soft small" }, "The guard says nothing of this.");
  const kind = hint.error_type ? `, ${words(hint.error_type)}` : "";
  const score = hint.verdict === "unverified" ? "" : `, score ${hint.score.toFixed(2)}`;
  return h("p", { class: "small" }, `The guard: ${SIGNS[hint.verdict] ?? ""} ${hint.verdict}${kind}${score}. ${hint.reason ?? ""}`);
}

/** What others say of the sentence, where that is to be settled. @param {Record<string, any>} others @param {string} segment */
export function othersLine(others, segment) {
  const lines = Object.entries(others).map(([by, said]) => `${by}: ${inWords(said[segment]?.label) || "nothing"}`);
  return lines.length ? h("p", { class: "small" }, lines.join(" · ")) : null;
}

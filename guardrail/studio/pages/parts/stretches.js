// @ts-check
/** A text with stretches of findings in it, which may overlap: cut where any of them begins or ends. */
import { h } from "./h.js";
import { offsets } from "./offsets.js";

/** @typedef {{span: [number, number], finding: number, kind: string}} Stretch offsets in code points */

/**
 * The text as text nodes and spans; a span names its findings in `data-findings`, and its class is that of its kinds.
 * @param {string} text
 * @param {Stretch[]} stretches
 * @returns {(string | HTMLElement)[]}
 */
export function pieces(text, stretches) {
  const { toUnits } = offsets(text);
  const cut = stretches
    .map(({ span, finding, kind }) => ({ start: toUnits(span[0]), end: Math.min(text.length, toUnits(span[1])), finding, kind }))
    .filter(({ start, end }) => start < end);
  const borders = [...new Set([0, text.length, ...cut.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  const found = [];
  for (let place = 0; place + 1 < borders.length; place++) {
    const [start, end] = [borders[place], borders[place + 1]];
    const over = cut.filter((one) => one.start <= start && end <= one.end);
    const part = text.slice(start, end);
    found.push(
      over.length
        ? h("span", { class: [...new Set(over.map(({ kind }) => kind))].join(" "), "data-findings": over.map(({ finding }) => finding).join(" ") }, part)
        : part,
    );
  }
  return found;
}

/**
 * Light what belongs to a finding wherever the pointer or the focus is on a part of it, inside this element.
 * @param {HTMLElement} root
 */
export function lightTogether(root) {
  /** @param {Event} event */
  const light = (event) => {
    const at = event.target instanceof Element ? event.target.closest("[data-findings]") : null;
    const wanted = new Set(at?.getAttribute("data-findings")?.split(" ") ?? []);
    for (const part of root.querySelectorAll("[data-findings]")) {
      part.classList.toggle("lit", (part.getAttribute("data-findings") ?? "").split(" ").some((finding) => wanted.has(finding)));
    }
  };
  for (const kind of ["pointerover", "focusin", "pointerleave"]) root.addEventListener(kind, light);
}

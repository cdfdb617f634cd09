// @ts-check
/** What is said of a sentence beyond its label: kind of error, words at fault, evidence; and what the guard thinks. */
import { h } from "../parts/h.js";
import { words as plain } from "../parts/verdicts.js";
import { ERROR_TYPES, hintLine, othersLine, WRONG } from "./sheet.js";
import { marked, wordStrip } from "./words.js";

/**
 * @param {{sheet: () => any, segment: () => string, said: () => any, answer: any, correct: (what: Record<string, any>) => void, focus: () => void, again: () => void}} given
 */
export function details({ sheet, segment, said, answer, correct, focus, again }) {
  let hinted = false;
  const kind = h("select", { id: "label-type" }, h("option", { value: "" }, "not said"), ERROR_TYPES.map((value) => h("option", { value }, plain(value))));
  kind.addEventListener("change", () => correct({ error_type: kind.value || null }));
  kind.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") (event.preventDefault(), focus());
    event.stopPropagation();
  });
  const fault = h("span", {});
  const strip = h("div", {});
  const clear = h("button", { type: "button", class: "link", onclick: () => (correct({ error_spans: [] }), focus()) }, "the whole sentence");
  const wrong = h(
    "div",
    { class: "stack wrong-details" },
    h("div", { class: "row" }, h("kbd", {}, "t"), h("label", { for: "label-type" }, "Kind of error"), kind),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => words() }, h("kbd", {}, "w"), " Words at fault"), fault, clear),
    strip,
  );
  const proof = h("p", { class: "small soft" });
  const opinion = h("div", {});
  const others = h("div", {});
  const toggle = h("button", { type: "button", "aria-pressed": "false" }, h("kbd", {}, "h"), " What the guard thinks");
  const hint = () => {
    hinted = !hinted;
    again();
  };
  toggle.addEventListener("click", hint);

  /** @param {[number, number]} span */
  const take = (span) => correct({ error_spans: [answer.toSpan(segment(), span)] });

  function words() {
    if (!WRONG.includes(said()?.label)) return;
    const part = answer.parts.get(segment());
    const selected = part && marked(part, answer.text(segment()));
    if (selected) {
      take(selected);
      getSelection()?.removeAllRanges();
      return;
    }
    const made = wordStrip(answer.text(segment()), (span) => {
      strip.replaceChildren();
      if (span) take(span);
      focus();
    });
    if (!made.any) return;
    strip.replaceChildren(made.strip, h("p", { class: "small soft" }, "Arrows move, Shift widens, Enter takes, Escape leaves."));
    made.strip.focus();
  }

  return {
    element: h("div", { class: "stack" }, wrong, others, proof, h("div", { class: "row" }, toggle), opinion),
    words,
    type: () => WRONG.includes(said()?.label) && kind.focus(),
    hint,
    hinted: () => hinted,
    refresh() {
      const now = said();
      wrong.hidden = !WRONG.includes(now?.label);
      strip.replaceChildren();
      kind.value = now?.error_type ?? "";
      const spans = now?.error_spans ?? [];
      fault.textContent = spans.length ? spans.map((/** @type {number[]} */ span) => `“${answer.ofSpan(span)}”`).join(", ") : "the whole sentence";
      clear.hidden = !spans.length;
      const number = now?.evidence?.length ?? 0;
      proof.replaceChildren(h("kbd", {}, "e"), number ? ` ${number} evidence ${number === 1 ? "sentence" : "sentences"} marked` : " marks evidence: arrows move, Space marks, Enter comes back");
      toggle.setAttribute("aria-pressed", String(hinted));
      opinion.replaceChildren(hinted ? hintLine(sheet().hints[segment()]) : "");
      others.replaceChildren(othersLine(sheet().others, segment()) ?? "");
    },
  };
}

// @ts-check
/** A list of recorded answers; a link opens one. Arrow keys go from one to the next. */
import { time } from "./figures.js";
import { h } from "./h.js";
import { brief, plain } from "./text.js";
import { badge, shown, words } from "./verdicts.js";

/**
 * @param {any} record a summary
 * @param {(id: string) => void} open
 */
export function recordItem(record, open) {
  const fault = record.fault;
  const labels = Object.entries(record.labels ?? {}).map(([key, value]) => `${key} ${value}`).join(" · ");
  return h(
    "li",
    {},
    h(
      "a",
      {
        class: "record-item",
        href: `#/browse?id=${encodeURIComponent(record.id)}`,
        "data-id": record.id,
        onclick: (/** @type {MouseEvent} */ event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a second tab
          event.preventDefault();
          open(record.id);
        },
      },
      h(
        "span",
        { class: "row" },
        record.verdict === "unchecked" ? h("span", { class: "verdict verdict-unverified" }, "not checked") : badge(record.verdict),
        h("span", { class: "small soft" }, [record.verdict !== "unchecked" && `score ${shown(record.score)}`, words(fault?.error_type), time(record.at)].filter(Boolean).join(" · ")),
        record.label && h("span", { class: "small" }, `person: ${record.label}`),
      ),
      h("span", { class: "question", dir: "auto" }, ...brief(record.question ?? (record.answer ? "" : "(no texts kept)"), 240)),
      h("span", { class: "clipped", dir: "auto" }, ...(fault ? [...plain(fault.before), h("mark", {}, ...plain(fault.words)), ...plain(fault.after)] : brief(record.answer ?? "", 240))),
      labels && h("span", { class: "small soft" }, ...brief(labels, 300)),
    ),
  );
}

/** @param {KeyboardEvent} event */
export function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !(event.target instanceof HTMLElement)) return;
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const links = [...list.querySelectorAll("a.record-item")];
  const next = links[links.indexOf(event.target) + step];
  if (next instanceof HTMLElement) {
    event.preventDefault();
    next.focus();
  }
}

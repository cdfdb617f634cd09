// @ts-check
/** Browse: recorded answers by filters, one of them opened, and what changed between two releases. */
import { askAhead, named } from "../parts/ahead.js";
import { ApiError, get, post } from "../parts/api.js";
import { changesAhead, showChanges } from "../parts/changes.js";
import { count } from "../parts/figures.js";
import { FILTERS, filters, keepInAddress, select } from "../parts/filters.js";
import { h, say } from "../parts/h.js";
import { recordPanel } from "../parts/record.js";
import { recordItem, walk } from "../parts/record_list.js";
import { failed, loading } from "../parts/states.js";
import { noRecords, skippedRows } from "../parts/sources.js";

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params
 */
export async function show(root, params) {
  const tab = params.get("tab") === "changes" ? "changes" : "answers";
  const ask = tab === "changes" ? changesAhead(params) : askAhead("records", { order: "worst", ...named(params, FILTERS), ...(params.get("order") && named(params, ["order"])) });
  const choices = await noRecords(root, () => get("records/choices"));
  if (!choices) return undefined;
  const body = h("div", { class: "stack" });
  const tabs = h(
    "p",
    { class: "row tabs" },
    ...[["answers", "Answers"], ["changes", "What changed"]].map(([name, title]) =>
      h("a", { href: name === "answers" ? "#/browse" : "#/browse?tab=changes", "aria-current": name === tab && "page" }, title)),
  );
  root.replaceChildren(h("h2", { class: "visually-hidden" }, "Recorded answers"), tabs, skippedRows(choices.source) ?? "", body);
  if (tab === "changes") return showChanges(body, params, choices, ask);
  return showAnswers(body, params, choices, ask);
}

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params
 * @param {any} choices
 * @param {(query: Record<string, any>) => Promise<any>} ask a page of records
 */
async function showAnswers(root, params, choices, ask) {
  let id = params.get("id");
  /** A later question makes an earlier reply out of date. */
  let asked = 0;
  const chosen = filters(choices, params, () => load(true), { search: true });
  const order = select("order", [["worst", "worst first"], ["newest", "newest first"]], params.get("order") ?? "worst");
  order.id = "order";
  order.addEventListener("change", () => load(true));
  const list = h("ol", { class: "record-list", onkeydown: walk });
  const said = h("span", { class: "soft small", role: "status" });
  const more = h("button", { type: "button", hidden: true, onclick: () => load(false) });
  const detail = h("section", { class: "detail", tabindex: -1, hidden: true, "aria-label": "The answer that is open" });
  const master = h(
    "div",
    { class: "stack" },
    h("details", { class: "panel", open: matchMedia("(min-width: 50rem)").matches }, h("summary", {}, "Filters"), chosen.form),
    h("p", { class: "row" }, h("label", { for: "order" }, "Order"), order, said),
    list,
    h("p", {}, more),
  );
  root.replaceChildren(master, detail);
  detail.addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && close());
  /** @type {string | null} */
  let after = null;
  let total = 0;
  let searched = 0;

  const keep = () => keepInAddress("browse", { ...chosen.read(), order: order.value === "worst" ? "" : order.value, id });

  /** @param {boolean} anew */
  async function load(anew) {
    const mine = ++asked;
    keep();
    if (anew) {
      after = null;
      searched = 0;
      list.replaceChildren();
      said.replaceChildren(loading());
    }
    more.disabled = true;
    try {
      const page = await ask({ ...chosen.read(), order: order.value, after });
      if (mine !== asked) return;
      const items = page.records.map((/** @type {any} */ record) => recordItem(record, open));
      list.append(...items);
      after = page.after;
      if (page.total !== null) total = page.total;
      searched += page.searched ?? 0;
      const shown = list.children.length;
      const text = page.searched === null ? `${count(shown)} of ${count(total)} answers` : `${count(shown)} found in the ${count(searched)} answers searched so far${after ? "" : ", which are all"}`;
      said.replaceChildren(shown || after ? text : "No answer fits these filters.");
      more.hidden = !after;
      more.disabled = false;
      more.textContent = page.searched === null ? "Show more" : "Search on";
      if (!anew) items[0]?.querySelector("a")?.focus();
      mark();
    } catch (error) {
      if (mine !== asked) return;
      said.replaceChildren();
      const field = error instanceof ApiError && error.field;
      list.replaceChildren(h("li", {}, failed(error, field ? undefined : () => load(true))));
    }
  }

  function mark() {
    for (const link of list.querySelectorAll("a.record-item")) {
      if (link.getAttribute("data-id") === id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** @param {string} chosenId @param {string} [focus] id of the control that was used */
  async function open(chosenId, focus) {
    id = chosenId;
    keep();
    mark();
    master.hidden = true;
    detail.hidden = false;
    const bar = pager(chosenId);
    detail.replaceChildren(bar, loading());
    let shown;
    try {
      const record = await get("record", { id: chosenId });
      shown = recordPanel(record, record.verdict === "unchecked" ? checkButton(record) : null);
    } catch (error) {
      shown = failed(error, () => open(chosenId));
    }
    if (id !== chosenId) return;
    detail.replaceChildren(bar, shown);
    const used = focus && document.getElementById(focus);
    if (used instanceof HTMLButtonElement && !used.disabled) used.focus();
    else detail.focus();
    scrollTo(0, 0);
    say("Answer opened");
  }

  /** @param {string} here */
  function pager(here) {
    const ids = [...list.querySelectorAll("a.record-item")].map((link) => link.getAttribute("data-id") ?? "");
    const place = ids.indexOf(here);
    const to = (/** @type {string} */ name, /** @type {string} */ title, /** @type {string | undefined} */ other) =>
      h("button", { type: "button", id: name, disabled: place < 0 || !other, onclick: () => other && open(other, name) }, title);
    return h("p", { class: "row" }, h("button", { type: "button", onclick: close }, "Back to the list"), h("kbd", {}, "Esc"), to("previous", "← Previous", ids[place - 1]), to("next", "Next →", ids[place + 1]), place >= 0 && h("span", { class: "soft small" }, `${count(place + 1)} of the ${count(ids.length)} in the list`));
  }

  /** @param {any} record */
  function checkButton(record) {
    const button = h("button", { class: "primary", type: "button", onclick: check }, "Check this answer");
    const place = h("p", {}, button);
    async function check() {
      button.disabled = true;
      place.append(loading("Checking …"));
      try {
        await post("record/check", { id: record.id });
        await load(true);
        await open(record.id);
      } catch (error) {
        place.replaceChildren(failed(error, () => open(record.id)));
      }
    }
    return place;
  }

  function close() {
    const link = [...list.querySelectorAll("a.record-item")].find((one) => one.getAttribute("data-id") === id);
    id = null;
    keep();
    mark();
    detail.hidden = true;
    detail.replaceChildren();
    master.hidden = false;
    if (link instanceof HTMLElement) link.focus();
  }

  await load(true);
  if (id) await open(id);
  return () => { asked++; id = null; };
}

// @ts-check
/** The desk: one answer after the other, one sentence after the other. */
import { get } from "../parts/api.js";
import { h, say } from "../parts/h.js";
import { failed, loading } from "../parts/states.js";
import { ORDERS } from "./begin.js";
import { details } from "./details.js";
import { Keeper } from "./kept.js";
import { passageColumn } from "./passages.js";
import { plain } from "../parts/text.js";
import { peoplePanel } from "./people.js";
import { answerText, inWords, JUDGEMENTS, markSentences, WHOLE, WRONG } from "./sheet.js";

/**
 * @param {HTMLElement} root
 * @param {import("./begin.js").Choice} choice
 * @param {{id: string, state: string}[]} items
 * @param {() => void} change choose another queue
 * @returns {() => void} to call when the desk is left
 */
export function desk(root, choice, items, change) {
  /** @type {any} */
  let sheet;
  /** @type {any} */
  let view;
  let at = Math.max(0, items.findIndex((item) => item.state === "new" || item.state === "begun"));
  let segment = WHOLE;
  let turn = 0;
  let marks = /** @type {any[]} */ ([]);
  /** Labels that did not reach the disk, the earliest first. */
  let lost = /** @type {{place: number, segment: string}[]} */ ([]);
  const status = h("p", { class: "soft small desk-status", role: "status" });
  const trouble = h("div", {});
  const progress = h("progress", { max: String(items.length), value: "0", "aria-label": "Answers done" });
  const count = h("span", { class: "small" });
  const toSet = h("a", { href: "#/set" }, "Set a threshold from its labels");
  const end = h("p", { class: "panel", hidden: true }, "This queue is done. ", toSet, ", or choose other answers with Change.");
  const body = h("div", { class: "label-columns" });
  const keeper = new Keeper((left, error, warning) => {
    status.textContent = left ? "Keeping …" : error ? "" : "Kept.";
    if (error) trouble.replaceChildren(failed(error, goBack));
    else if (warning) trouble.replaceChildren(h("p", { class: "panel", role: "alert" }, warning));
  });
  const button = (/** @type {string} */ key, /** @type {string} */ words, /** @type {() => void} */ act, name = "") =>
    h("button", { type: "button", onclick: act, class: name, "aria-keyshortcuts": key }, h("kbd", {}, key), ` ${words}`);
  const bar = h(
    "div",
    { class: "row judgements", role: "group", "aria-label": "Judge the sentence" },
    JUDGEMENTS.map(([key, label, words]) => button(key, words, () => judge(label), `judge-${label}`)),
    button("0", "The answer declines", () => whole("abstained")),
    button("s", "Skip the answer", () => whole("skipped")),
    button("z", "Undo", undo),
    button("p", "Previous", () => step(-1)),
    button("n", "Next", () => step(1)),
  );
  const order = ORDERS.find(([name]) => name === choice.order)?.[1] ?? choice.order;
  const top = h("div", { class: "row desk-top" }, h("strong", {}, choice.by), h("span", { class: "soft small" }, `${order}, draw ${choice.seed}`), progress, count, h("button", { type: "button", onclick: change }, "Change"));
  root.replaceChildren(top, bar, trouble, end, status, body, peoplePanel());

  const said = () => sheet.said[segment];
  const segments = () => (sheet.segments.length ? sheet.segments.map((/** @type {any} */ one) => one.id) : [WHOLE]);

  function showProgress() {
    const done = items.filter((item) => item.state === "done" || item.state === "skipped").length;
    progress.value = done;
    count.textContent = `${done} of ${items.length} done`;
    const all = done === items.length;
    const now = all && end.hidden;
    end.hidden = !all;
    if (now) say("This queue is done. A threshold is set from the labels in the view Set.");
    if (now && document.activeElement === view?.left) toSet.focus(); // the keys still judge
  }

  /** @param {number} place @param {string | null} wanted the sentence to begin with; null = the first without a label, "last" = the last */
  async function open(place, wanted = null) {
    const mine = ++turn;
    const next = Math.max(0, Math.min(items.length - 1, place));
    showProgress();
    try {
      let found;
      for (let sent = -1; sent !== keeper.sent; ) { // what is said meanwhile, of the answer that still stands there, must be in what is read
        sent = keeper.sent;
        await keeper.last;
        if (mine !== turn || lost.length) return; // nobody goes on while a label is missing
        found = await get("label/item", { id: items[next].id, by: choice.by, order: choice.order });
        if (mine !== turn) return;
      }
      [at, sheet] = [next, found]; // not before: keys are about what is shown
    } catch (error) {
      if (mine !== turn) return;
      [at, sheet, view] = [next, undefined, undefined];
      body.replaceChildren(failed(error, () => open(next, wanted)), button("n", "Next", () => open(next + 1)));
      return;
    }
    const known = segments();
    segment = wanted !== null && known.includes(wanted) ? wanted : (known.find((/** @type {string} */ id) => !sheet.said[id]) ?? known[0]);
    if (wanted === "last") segment = known[known.length - 1];
    const answer = answerText(sheet, (id) => (goTo(id), focus()));
    const passages = passageColumn(sheet.passages, evidence, focus);
    const more = details({ sheet: () => sheet, segment: () => segment, said, answer, correct, focus, again: () => refresh() });
    const state = h("p", { class: "small soft" });
    const left = h("section", { class: "panel stack answer-side", tabindex: "-1", "aria-label": "Answer" }, h("p", { class: "asked" }, plain(sheet.question ?? "No question is known.")), answer.element, state, more.element);
    body.replaceChildren(left, h("section", { class: "stack", "aria-label": "Passages" }, passages.element));
    view = { answer, passages, more, left, state };
    goTo(segment);
    focus();
  }

  function focus() {
    view?.left.focus({ preventScroll: true });
  }

  /** @param {string} id */
  function goTo(id) {
    segment = id;
    marks = said()?.evidence ?? [];
    refresh();
    view.answer.parts.get(id)?.scrollIntoView({ block: "nearest" });
    say(`Sentence ${segments().indexOf(id) + 1} of ${segments().length}: ${(view.answer.parts.get(id) ?? view.answer.element).textContent.slice(0, 300)}`);
  }

  function refresh() {
    markSentences(view.answer.parts, sheet.said, segment);
    const place = segments().indexOf(segment) + 1;
    const skipped = sheet.said[WHOLE]?.label;
    const label = said()?.label;
    view.state.textContent = `Answer ${at + 1} of ${items.length} · ${sheet.segments.length ? `sentence ${place} of ${segments().length}` : "as a whole"} · ${label ? inWords(label) : "not labelled yet"}${WRONG.includes(label) ? " · n goes on" : ""}${skipped && segment !== WHOLE ? ` · the answer: ${inWords(skipped)}` : ""}`;
    for (const [, name] of JUDGEMENTS) bar.querySelector(`.judge-${name}`)?.setAttribute("aria-pressed", String(label === name));
    view.more.refresh();
    view.passages.show(marks, view.more.hinted() ? (sheet.hints[segment]?.evidence ?? []) : []);
  }

  /** @param {Record<string, any>} what */
  function keep(what) {
    const [item, place] = [sheet, at];
    const sent = { label: null, error_type: null, error_spans: [], evidence: [], ...what };
    const key = what.segment;
    if (key !== WHOLE && item.said[WHOLE]?.label === "skipped") delete item.said[WHOLE];
    item.said[key] = sent;
    refresh();
    keeper.send("say", { item: item.id, by: choice.by, order: choice.order, ...sent }).then((kept) => {
      if (!kept) return notKept(place, key);
      items[place].state = kept.state;
      showProgress();
    });
  }

  /** Say which labels are missing beside what went wrong; its button leads to the first of them. @param {number} place @param {string} key */
  function notKept(place, key) {
    lost.push({ place, segment: key });
    const many = lost.length === 1 ? "The last label was" : `${lost.length} labels were`;
    trouble.prepend(h("p", { role: "alert" }, `${many} not kept, from answer ${lost[0].place + 1} on. What was kept before is safe.`));
  }

  function goBack() {
    const from = lost[0] ?? { place: at, segment };
    lost = [];
    trouble.replaceChildren();
    open(from.place, from.segment);
  }

  /** @param {string} label */
  function judge(label) {
    if (!sheet) return;
    const before = said();
    const wrong = WRONG.includes(label) && WRONG.includes(before?.label);
    keep({ segment, label, evidence: marks, error_type: wrong ? before.error_type : null, error_spans: wrong ? before.error_spans : [] });
    if (!WRONG.includes(label)) step(1, true);
    else say(`${inWords(label)}. n goes on.`);
  }

  /** @param {string} label */
  function whole(label) {
    if (!sheet) return;
    keep({ segment: WHOLE, label });
    open(at + 1);
  }

  /** What is corrected of a label that stands. @param {Record<string, any>} what */
  function correct(what) {
    if (said()) keep({ ...said(), segment, ...what });
  }

  /** @param {any[]} found */
  function evidence(found) {
    marks = found;
    if (said() && said().label !== "skipped") correct({ evidence: found });
  }

  /** @param {number} by @param {boolean} [judged] */
  function step(by, judged = false) {
    if (!sheet) return void open(at + by);
    const known = segments();
    const next = known.indexOf(segment) + by;
    if (next >= 0 && next < known.length) goTo(known[next]);
    else if (by > 0 && at + 1 < items.length) open(at + 1);
    else if (by < 0 && at > 0) open(at - 1, "last");
    else if (judged) say("This is the last one of the queue.");
  }

  async function undo() {
    const kept = await keeper.send("undo", { by: choice.by });
    if (!kept) return;
    let place = items.findIndex((item) => item.id === kept.item);
    if (place < 0) place = items.push({ id: kept.item, state: kept.state }) - 1;
    items[place].state = kept.state;
    progress.max = items.length;
    await open(place, kept.segment);
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, [role=listbox]")) return;
    const label = JUDGEMENTS.find(([key]) => key === event.key.toLowerCase())?.[1];
    const act = label
      ? () => judge(label)
      : { 0: () => whole("abstained"), s: () => whole("skipped"), z: undo, n: () => step(1), p: () => step(-1), e: () => view?.passages.enter(),
          t: () => view?.more.type(), w: () => view?.more.words(), h: () => view?.more.hint() }[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  document.addEventListener("keydown", pressed);
  body.replaceChildren(loading());
  open(at);
  return () => document.removeEventListener("keydown", pressed);
}

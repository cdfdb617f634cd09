// @ts-check
/** The passages of a check, to write, paste, drop and remove. */
import { h, say } from "./h.js";
import { several } from "./more.js";
import { passagesOf } from "./share.js";
import { counted } from "./text.js";

const AT_ONCE = 8;
const MOST_BYTES = 24 * 1024 * 1024;

/**
 * Fields for passages.
 * @param {import("./share.js").Draft} draft changed as people write
 * @param {(draft: Partial<import("./share.js").Draft>) => void} onRecord a file held a whole check
 */
export function passageFields(draft, onRecord) {
  const list = h("div", { class: "stack" });
  const count = h("span", { class: "soft small" });
  const wrong = h("p", { class: "wrong small", role: "alert", hidden: true });
  const picker = h("input", { type: "file", multiple: true, class: "visually-hidden", tabindex: -1, "aria-label": "Files with passages", accept: ".txt,.md,.json,.jsonl,text/*,application/json", onchange: () => take(picker.files ?? []) });

  function draw() {
    list.replaceChildren();
    if (!draft.passages.length) draft.passages.push({ text: "" });
    several(list, draft.passages, AT_ONCE, (passage, index) => field(passage, index, remove), (all) => counted(all, "passage"));
    const filled = draft.passages.filter((passage) => passage.text.trim()).length;
    count.textContent = filled > 1 ? counted(filled, "passage") : "";
  }

  /** @param {number} index */
  function remove(index) {
    draft.passages.splice(index, 1);
    draw();
    /** @type {HTMLElement | null} */ (list.querySelector("textarea"))?.focus();
  }

  /** @param {Iterable<File>} files */
  async function take(files) {
    wrong.hidden = true;
    try {
      for (const file of files) await takeFile(file, draft, onRecord);
    } catch (error) {
      wrong.textContent = error instanceof Error ? error.message : String(error);
      wrong.hidden = false;
    }
    draft.passages = draft.passages.filter((passage) => passage.text.trim() || passage.title);
    draw();
    say(counted(draft.passages.length, "passage"));
  }

  const box = h(
    "fieldset",
    { class: "stack drop" },
    h("legend", {}, "Passages ", count),
    list,
    wrong,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: () => { draft.passages.push({ text: "" }); draw(); /** @type {HTMLElement} */ (list.querySelector(".passage-field:last-of-type textarea"))?.focus(); } }, "Add passage"),
      h("button", { type: "button", onclick: () => picker.click() }, "Add files …"),
      picker,
      h("span", { class: "soft small" }, "or drop files here: .txt, .md, .json, .jsonl"),
    ),
  );
  box.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("over");
  });
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("over");
    take([...(event.dataTransfer?.files ?? [])]);
  });
  draw();
  return { box, draw };
}

/**
 * @param {import("./share.js").Draft["passages"][number]} passage
 * @param {number} index
 * @param {(index: number) => void} remove
 */
function field(passage, index, remove) {
  const title = h("input", { type: "text", value: passage.title ?? "", placeholder: "Title (optional)", "aria-label": `Title of passage ${index + 1}` });
  title.addEventListener("input", () => { passage.title = title.value; });
  const text = h("textarea", { rows: 3, value: passage.text, dir: "auto", "aria-label": `Passage ${index + 1}` });
  text.addEventListener("input", () => { passage.text = text.value; });
  const off = h("button", { type: "button", class: "quiet", "aria-label": `Remove passage ${index + 1}`, onclick: () => remove(index) }, "Remove");
  return h("div", { class: "passage-field" }, h("div", { class: "row" }, title, off), text);
}

/**
 * @param {File} file
 * @param {import("./share.js").Draft} draft
 * @param {(draft: Partial<import("./share.js").Draft>) => void} onRecord
 */
async function takeFile(file, draft, onRecord) {
  if (file.size > MOST_BYTES) throw new Error(`${file.name} is over 24 MiB. Take a part of it.`);
  const text = await file.text();
  if (!/\.jsonl?$/i.test(file.name)) {
    draft.passages.push({ title: file.name, text });
    return;
  }
  let raw;
  try {
    raw = /\.jsonl$/i.test(file.name) ? text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line)) : JSON.parse(text);
  } catch {
    throw new Error(`${file.name} is not valid JSON.`);
  }
  const record = Array.isArray(raw) ? raw[0] : raw;
  if (typeof record?.answer === "string") {
    onRecord({ question: typeof record.question === "string" ? record.question : "", answer: record.answer, passages: passagesOf(record.passages) });
    return;
  }
  const found = passagesOf(Array.isArray(raw) ? raw : raw?.passages);
  if (!found.length) throw new Error(`${file.name} holds neither an answer nor passages: {"answer", "passages"}, or texts.`);
  draft.passages.push(...found);
}

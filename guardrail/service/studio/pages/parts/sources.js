// @ts-check
/** What stands where a studio has no recorded answers, and where a file has rows that could not be read. */
import { ApiError } from "./api.js";
import { count } from "./figures.js";
import { h } from "./h.js";
import { empty } from "./states.js";

/**
 * The choices for filters; where there are no records the view says so, and null is returned.
 * @param {HTMLElement} root
 * @param {() => Promise<any>} ask
 */
export async function noRecords(root, ask) {
  let choices;
  try {
    choices = await ask();
  } catch (error) {
    if (!(error instanceof ApiError) || error.field !== "source") throw error;
    root.replaceChildren(empty("No recorded answers", error.message));
    return null;
  }
  sayWhere(choices.source.name);
  if (choices.records) return choices;
  const hint = choices.source.kind === "store"
    ? `${choices.source.name} holds no records yet. They appear here as a guarded service writes them: Telemetry(recorder=RecordStore("${choices.source.name}")).`
    : `${choices.source.name} holds no answer that could be read.`;
  root.replaceChildren(empty("Nothing recorded yet", hint, skippedRows(choices.source) ?? ""));
  return null;
}

/** The name of the file, beside the views. @param {string | null} name */
export function sayWhere(name) {
  const place = document.getElementById("source");
  if (place) place.textContent = name ?? "";
}

/** @param {any} source */
export function skippedRows(source) {
  if (!source.wrong) return null;
  return h(
    "details",
    { class: "note" },
    h("summary", {}, `${count(source.wrong)} rows of ${source.name} could not be read`),
    h("ul", { class: "small" }, ...source.skipped.map((/** @type {string} */ why) => h("li", {}, why))),
  );
}

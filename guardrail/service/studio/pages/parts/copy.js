// @ts-check
/** Copying: to the clipboard, or where the browser keeps it from pages, into a field to copy from. */
import { h, say } from "./h.js";

/**
 * A button that copies what `make` gives.
 * @param {string} name
 * @param {() => string | Promise<string>} make
 * @param {string} done what is said then
 */
export function copyButton(name, make, done) {
  const button = h("button", { type: "button", onclick: copy }, name);
  async function copy() {
    const old = button.parentElement?.querySelector(".copied");
    old?.remove();
    let note;
    try {
      const text = await make();
      try {
        await navigator.clipboard.writeText(text);
        note = h("span", { class: "copied soft small", role: "status" }, done);
      } catch {
        note = h("textarea", { class: "copied mono", rows: 4, readonly: true, "aria-label": `${name}: press Ctrl+C` }, text);
      }
    } catch (error) {
      note = h("span", { class: "copied small", role: "alert" }, error instanceof Error ? error.message : String(error));
    }
    button.parentElement?.append(note);
    if (note instanceof HTMLTextAreaElement) note.select();
    say(note.textContent ?? "");
  }
  return button;
}

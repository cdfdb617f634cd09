// @ts-check
/** What stands where data is not, or not yet. */
import { ApiError, IN_SERVICE, keepToken } from "./api.js";
import { h } from "./h.js";

/** @param {string} [what] what is awaited */
export function loading(what = "Loading …") {
  return h("p", { class: "state state-loading", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), what);
}

/**
 * @param {string} title
 * @param {string} text what to do so that there is something
 * @param {...(Node | string)} more
 */
export function empty(title, text, ...more) {
  return h("div", { class: "state state-empty" }, h("h2", {}, title), h("p", {}, text), ...more);
}

/**
 * An error with what to do next; where the token is missing, with a place to put it.
 * @param {unknown} error
 * @param {() => void} [retry]
 */
export function failed(error, retry) {
  const message = error instanceof Error ? error.message : String(error);
  const locked = error instanceof ApiError && error.locked;
  return h(
    "div",
    { class: "state state-error", role: "alert" },
    h("h2", {}, locked ? "This page is locked" : "This did not work"),
    h("p", {}, message),
    locked ? unlock(retry) : retry && h("button", { type: "button", onclick: retry }, "Try again"),
  );
}

/** @param {(() => void) | undefined} retry */
function unlock(retry) {
  const type = IN_SERVICE ? "password" : "text";
  const field = h("input", { id: "token", type, autocomplete: "off", spellcheck: "false" });
  return h(
    "form",
    {
      class: "row",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        keepToken(IN_SERVICE ? field.value.trim() : /token=([\w-]+)/.exec(field.value)?.[1] ?? field.value.trim());
        if (retry) retry();
        else location.reload();
      },
    },
    h("label", { for: "token" }, IN_SERVICE ? "Key of the service" : "Address or token"),
    field,
    h("button", { type: "submit" }, "Unlock"),
  );
}

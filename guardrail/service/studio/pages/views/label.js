// @ts-check
/** Label sentences of answers, by single keys. */
import { ApiError, get } from "../parts/api.js";
import { h } from "../parts/h.js";
import { sayWhere } from "../parts/sources.js";
import { empty, failed, loading } from "../parts/states.js";
import { beginForm, NOTHING, queueOf } from "../labelling/begin.js";
import { desk } from "../labelling/desk.js";
import { isNamed, labeller } from "../labelling/kept.js";
import { peoplePanel } from "../labelling/people.js";

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params `order`, `seed`, `limit` and `engine` of a queue under way
 */
export async function show(root, params) {
  const ended = new AbortController();
  /** @type {(() => void) | undefined} */
  let leave;
  const before = { by: labeller(), order: params.get("order") ?? "random", seed: params.get("seed") ?? "1", limit: params.get("limit") ?? "60", engine: params.get("engine") ?? "" };
  const place = h("div", { class: "stack" });
  root.replaceChildren(place);

  const begin = async () => {
    leave?.();
    leave = undefined;
    history.replaceState(null, "", "#/label");
    const guards = get("choices");
    guards.catch(() => {}); // said where it is awaited
    await get("label/people"); // whether there is anything to label at all
    const { engines, source } = await guards;
    sayWhere(source);
    const form = beginForm(before, engines, start);
    place.replaceChildren(form, peoplePanel());
    const first = form.querySelector(before.by ? "button" : "input"); // Enter begins
    if (first instanceof HTMLElement) first.focus({ preventScroll: true });
  };

  /** @param {import("../labelling/begin.js").Choice} choice */
  const start = async (choice) => {
    Object.assign(before, choice);
    const { by: _, ...shown } = choice;
    history.replaceState(null, "", `#/label?${new URLSearchParams(shown)}`);
    place.replaceChildren(loading("Drawing answers …"));
    try {
      const found = await queueOf(choice, place, ended.signal);
      if (ended.signal.aborted) return;
      if (!found.items.length) {
        place.replaceChildren(empty("Nothing to label here", found.job?.error ?? NOTHING[choice.order] ?? "", h("button", { type: "button", onclick: begin }, "Choose another queue")));
        return;
      }
      leave = desk(place, choice, found.items, begin);
    } catch (error) {
      if (!ended.signal.aborted) place.replaceChildren(nothing(error) ?? failed(error, () => start(choice)));
    }
  };

  try {
    if (params.has("order") && isNamed()) await start(before);
    else await begin();
  } catch (error) {
    const said = nothing(error);
    if (!said) throw error;
    place.replaceChildren(said);
  }
  return () => {
    ended.abort();
    leave?.();
  };
}

/** Where the studio was started without answers: what to do; any other error: null. @param {unknown} error */
function nothing(error) {
  return error instanceof ApiError && error.field === "source" ? empty("Nothing to label yet", error.message) : null;
}

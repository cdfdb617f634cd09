// @ts-check
/** Long lists: some at once, and a button that says how many there are. */
import { h } from "./h.js";

/** Elements made before the browser may do something else. */
const CHUNK = 200;

/**
 * Append the first `most` elements, and a button for the others. They come in chunks, so that the page never freezes.
 * @template T
 * @param {HTMLElement} box
 * @param {T[]} items
 * @param {number} most
 * @param {(item: T, index: number) => Node} make
 * @param {(count: number) => string} name such as `n => counted(n, "passage")`
 * @param {{wrap?: (button: HTMLElement) => HTMLElement, group?: string}} [how] `wrap` puts the button into what the box
 *   may hold, such as a row; `group` is the class of an element around each chunk, which the browser can leave out of its
 *   layout while it is out of sight
 * @returns {(index: number) => void} makes sure that the item of this index is there, at once
 */
export function several(box, items, most, make, name, { wrap = (button) => button, group } = {}) {
  let done = 0;
  const button = h("button", { type: "button", class: "more", onclick: () => chunk(true) });
  const last = wrap(button);

  /** @param {number} end */
  function fill(end) {
    const made = document.createDocumentFragment();
    for (; done < Math.min(end, items.length); done++) made.append(make(items[done], done));
    last.before(group ? h("div", { class: group }, made) : made);
    button.textContent = `Show all ${name(items.length)}`;
    if (done >= items.length) last.remove();
  }

  /** @param {boolean} [focus] */
  function chunk(focus) {
    const from = last.previousElementSibling;
    fill(done + CHUNK);
    if (focus) /** @type {HTMLElement | null} */ (group ? from?.nextElementSibling?.querySelector("[tabindex]") : from?.nextElementSibling)?.focus?.();
    if (done < items.length && box.isConnected) setTimeout(chunk, 0);
  }

  box.append(last);
  fill(most);
  return (index) => index >= done && fill(index + 1);
}

// @ts-check
/** What belongs together lights up together: segments of the answer, their evidence, cells of the heat map. */

export class Lights {
  /** @param {(id: string) => void} onSelect called when another finding is selected */
  constructor(onSelect) {
    /** @type {Map<string, Set<Element>>} */
    this.elements = new Map();
    /** @type {Set<Element>} */
    this.lit = new Set();
    /** @type {string | null} */
    this.selected = null;
    this.onSelect = onSelect;
  }

  /**
   * Let an element light up with these findings, and these with it.
   * @template {Element} E
   * @param {E} element
   * @param {string[]} ids of findings; the first one is selected by it
   * @returns {E}
   */
  join(element, ids) {
    if (!ids.length) return element;
    for (const id of ids) {
      const known = this.elements.get(id) ?? new Set();
      this.elements.set(id, known.add(element));
      if (id === this.selected) this.on([element]);
    }
    element.addEventListener("pointerenter", () => this.show(ids));
    element.addEventListener("pointerleave", () => this.show(this.selected === null ? [] : [this.selected]));
    element.addEventListener("focus", () => this.select(ids.includes(this.selected ?? "") ? this.selected ?? "" : ids[0]));
    element.addEventListener("click", () => this.select(ids[0], element));
    return element;
  }

  /** @param {string[]} ids */
  show(ids) {
    for (const element of this.lit) element.classList.remove("lit");
    this.lit.clear();
    for (const id of ids) this.on(this.elements.get(id) ?? []);
  }

  /** @param {Iterable<Element>} elements */
  on(elements) {
    for (const element of elements) {
      element.classList.add("lit");
      this.lit.add(element);
    }
  }

  /**
   * @param {string} id
   * @param {Element} [from] what was pointed at: the others of its finding are scrolled to
   */
  select(id, from) {
    const changed = id !== this.selected;
    if (changed) {
      for (const one of this.of(this.selected, "[aria-pressed]")) one.setAttribute("aria-pressed", "false");
      this.selected = id;
      for (const one of this.of(id, "[aria-pressed]")) one.setAttribute("aria-pressed", "true");
    }
    this.show([id]);
    if (changed) this.onSelect(id);
    const column = from?.closest(".column");
    for (const other of this.of(id, ".segment, .evidence")) {
      const at = other.closest(".column");
      if (at && column && at !== column) {
        scrollWithin(at, other);
        break;
      }
    }
  }

  /**
   * Elements of a finding, in the order in which they joined.
   * @param {string | null} id
   * @param {string} selector
   */
  of(id, selector) {
    return [...(this.elements.get(id ?? "") ?? [])].filter((element) => element.matches(selector));
  }
}

/**
 * Scroll only the column, where it scrolls by itself: the page stays where the reader is.
 * @param {Element} column
 * @param {Element} element
 */
function scrollWithin(column, element) {
  const box = column.querySelector(".column-text") ?? column;
  if (box.scrollHeight <= box.clientHeight) return;
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
}

/**
 * One tab stop for many elements: arrows, Home and End move among them.
 * @param {HTMLElement} box
 * @param {string} selector
 */
export function roving(box, selector) {
  const all = () => /** @type {HTMLElement[]} */ ([...box.querySelectorAll(selector)]);
  const first = all()[0];
  if (first && !all().some((element) => element.tabIndex === 0)) first.tabIndex = 0;
  box.addEventListener("focusin", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!target.matches(selector)) return;
    for (const element of box.querySelectorAll(`${selector}[tabindex="0"]`)) /** @type {HTMLElement} */ (element).tabIndex = -1;
    target.tabIndex = 0;
  });
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const elements = all();
    const here = elements.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const there =
      event.key === "Home" ? 0 : event.key === "End" ? elements.length - 1 : here >= 0 && step ? here + step : -1;
    if (here < 0 || !elements[there]) return;
    event.preventDefault();
    elements[there].focus();
  });
}

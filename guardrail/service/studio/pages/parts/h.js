// @ts-check
/**
 * Elements. Children that are texts become text nodes, never markup; styles are classes, since the page's policy
 * (Content-Security-Policy) admits no style attribute.
 *
 * @typedef {Node | string | number | null | undefined | false} Child
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 *
 * Attributes: `on<event>` adds a listener; true sets an attribute without a value; false, null and undefined leave it
 * out; `value`, `checked`, `selected`, `disabled` and `indeterminate` are set as properties.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * An SVG element; see `h`.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(/** @type {SVGElement} */ (document.createElementNS(SVG, tag)), attributes, children);
}

const PROPERTIES = new Set(["value", "checked", "selected", "disabled", "indeterminate"]);

/**
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, any>} attributes
 * @param {(Child | Child[])[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === false || child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Say something to people who hear the page. @param {string} text */
export function say(text) {
  const said = document.getElementById("said");
  if (said) said.textContent = text;
}

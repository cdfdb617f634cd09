// @ts-check
/** The shell: which view the address names, and where the token of the address goes. */
import { takeToken } from "./parts/api.js";
import { h } from "./parts/h.js";
import { failed, loading } from "./parts/states.js";

/** Names of views, in the order of a first use; each is views/<name>.js with `show(root, params)`. */
const VIEWS = /** @type {const} */ ([
  ["check", "Check"],
  ["browse", "Browse"],
  ["label", "Label"],
  ["set", "Set"],
  ["compare", "Compare"],
  ["watch", "Watch"],
]);

/** What the view that is shown wants done when it is left. @type {(() => void) | undefined} */
let leave;
/** Counts routes: a view that loads slowly must not replace a later one. */
let turn = 0;

/**
 * The view and its parameters that a hash such as `#/browse?verdict=contradicted` names.
 * @returns {{name: string, params: URLSearchParams}}
 */
function address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const known = VIEWS.some(([name]) => name === path);
  return { name: known ? path : "check", params: new URLSearchParams(query) };
}

async function route() {
  const mine = ++turn;
  const { name, params } = address();
  const main = /** @type {HTMLElement} */ (document.getElementById("view"));
  leave?.();
  leave = undefined;
  mark(name);
  const root = h("div", { class: `view view-${name}` }, loading());
  main.replaceChildren(root);
  try {
    const view = await import(`./views/${name}.js`);
    if (mine !== turn) return;
    root.replaceChildren();
    const after = await view.show(root, params);
    if (mine === turn) leave = after;
    else after?.();
  } catch (error) {
    if (mine === turn) root.replaceChildren(failed(error, route));
  }
}

/** @param {string} current */
function mark(current) {
  const title = VIEWS.find(([name]) => name === current)?.[1];
  document.title = `${title} · Guardrail studio`;
  for (const link of document.querySelectorAll("#views a")) {
    if (link.getAttribute("href") === `#/${current}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

takeToken();
document.getElementById("views")?.replaceChildren(
  ...VIEWS.map(([name, title]) => h("li", {}, h("a", { href: `#/${name}` }, title))),
);
document.querySelector(".skip-link")?.addEventListener("click", (event) => {
  event.preventDefault(); // its hash would be taken for a view
  document.getElementById("view")?.focus();
});
window.addEventListener("hashchange", () => {
  if (takeToken() || !location.hash.startsWith("#token=")) route();
});
route();

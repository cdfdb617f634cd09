// @ts-check
/**
 * Has the modules of the view that the address names loaded side by side, before the shell asks for the first of them,
 * and those of the other views once this one is there. No module itself: those wait for the whole page.
 */
(() => {
  const listed = document.querySelector('meta[name="guardrail-modules"]')?.getAttribute("content");
  /** @type {Record<string, string[]>} */
  const views = listed ? JSON.parse(listed) : {};
  const known = new Set();

  /** @param {string[]} names */
  function load(names) {
    for (const name of names.filter((one) => !known.has(one))) {
      known.add(name);
      const link = document.createElement("link");
      link.rel = "modulepreload";
      link.href = name;
      document.head.append(link);
    }
  }

  const named = /^#(?:token=[\w-]+&?)?\/?(\w*)/.exec(location.hash)?.[1] ?? "";
  load(views[named] ?? views.check ?? []);
  addEventListener("load", () => setTimeout(() => load(Object.values(views).flat()), 1000));
})();

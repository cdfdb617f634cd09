// @ts-check
/** Who labelled how much, and how far each two agree. */
import { get } from "../parts/api.js";
import { h } from "../parts/h.js";
import { failed } from "../parts/states.js";

const share = (/** @type {number | null} */ value) => (value === null ? "–" : value.toFixed(2));

/** @param {any} pair */
function line(pair) {
  const [one, other] = pair.people;
  const { value, low, high } = pair.kappa;
  const of = `${pair.n} ${pair.n === 1 ? "sentence" : "sentences"} of ${pair.answers} ${pair.answers === 1 ? "answer" : "answers"}`;
  if (value === null) return `${one} and ${other} used a single word for ${of}: kappa says nothing of that.`;
  const interval = low === null ? "too few answers for an interval" : `95 % interval ${share(low)} to ${share(high)}`;
  return `${one} and ${other}: Cohen's kappa ${share(value)} (${interval}), over ${of}; ${Math.round(100 * pair.same)} % alike.`;
}

/** @param {any} found */
function shown(found) {
  if (!found.people.length) return h("p", { class: "soft" }, "Nobody has labelled anything yet.");
  const rows = found.people.map((/** @type {any} */ one) =>
    h("tr", {}, h("th", { scope: "row" }, one.name), h("td", { class: "number" }, one.answers), h("td", { class: "number" }, one.sentences)),
  );
  const head = h("tr", {}, h("th", { scope: "col" }, "Who"), h("th", { scope: "col", class: "number" }, "Answers done"), h("th", { scope: "col", class: "number" }, "Sentences"));
  return h(
    "div",
    { class: "stack" },
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Who labelled" }, h("table", {}, h("thead", {}, head), h("tbody", {}, rows))),
    found.agreement.length
      ? h("ul", { class: "plain" }, found.agreement.map((/** @type {any} */ pair) => h("li", {}, line(pair))))
      : h("p", { class: "soft" }, "No two people have labelled the same sentences yet. Let a second person start with the same queue and draw."),
    found.differ > 0 && h("p", {}, `They differ on ${found.differ} ${found.differ === 1 ? "answer" : "answers"}, which count for nothing until that is settled: take the queue “people disagree”.`),
    h("p", { class: "soft small" }, `Kept in ${found.file}${found.store ? " and in the record store" : ""}; \`guardrail eval ${found.file}\` reads it.`),
  );
}

/** A part that opens; what it shows is asked for each time. */
export function peoplePanel() {
  const body = h("div", {});
  const panel = h("details", { class: "panel" }, h("summary", {}, "Who labelled, and how far they agree"), body);
  panel.addEventListener("toggle", async () => {
    if (!panel.open) return;
    try {
      body.replaceChildren(shown(await get("label/people")));
    } catch (error) {
      body.replaceChildren(failed(error));
    }
  });
  return panel;
}

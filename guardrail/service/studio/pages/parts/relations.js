// @ts-check
/** Relations as arrows, and who is who. */
import { h } from "./h.js";
import { several } from "./more.js";
import { brief, counted, plain } from "./text.js";
import { words } from "./verdicts.js";

const AT_ONCE = 20;

/**
 * @param {any} data a report with `relations`
 * @param {import("./lights.js").Lights} lights
 * @returns {HTMLElement | null}
 */
export function relations(data, lights) {
  const all = data.relations ?? [];
  if (!all.length) return null;
  const list = h("ul", { class: "relations" });
  several(list, all, AT_ONCE, (relation) => arrow(relation, lights), (count) => counted(count, "relation"));
  return list;
}

/**
 * @param {any} relation
 * @param {import("./lights.js").Lights} lights
 */
function arrow(relation, lights) {
  const [sign, said, look] =
    relation.consistent === true
      ? ["✓", "as in the passages", "supported"]
      : relation.consistent === false
        ? ["✗", "not as in the passages", "contradicted"]
        : ["–", "the passages do not speak of it", "unverified"];
  const line = h(
    "li",
    { class: "relation" },
    h("span", { class: "side", dir: "auto" }, ...brief(relation.first, 160)),
    h("span", { class: "arrow" }, h("span", { class: "small" }, `${words(relation.kind)} (${relation.connective})`), h("span", { class: "arrow-line", "aria-hidden": "true" }, "⟶")),
    h("span", { class: "side", dir: "auto" }, ...brief(relation.second, 160)),
    h("span", { class: `verdict verdict-${look}` }, h("span", { "aria-hidden": "true" }, sign), said),
    relation.reason && h("p", { class: "soft small relation-why", dir: "auto" }, ...plain(relation.reason)),
  );
  return lights.join(line, [relation.segment_id]);
}

/**
 * Whom the answer speaks of, each with a colour of its own, and the passages about them where several share a name.
 * @param {any} data a report with `groups`
 * @param {import("./lights.js").Lights} lights
 * @returns {HTMLElement | null}
 */
export function people(data, lights) {
  const groups = (data.groups ?? []).filter((/** @type {any} */ group) => group.name || group.entity);
  if (!groups.length) return null;
  const texts = new Map(data.findings.map((/** @type {any} */ found) => [found.id, found]));
  const list = h("ul", { class: "people" });
  several(
    list,
    groups,
    AT_ONCE,
    (group, index) =>
      h(
        "li",
        { class: `person person-${index % 6}` },
        h("strong", { dir: "auto" }, ...brief(group.name || group.entity.name, 60)),
        group.entity && h("span", {}, " is taken for ", h("em", { dir: "auto" }, ...brief(group.entity.title || group.entity.name, 80))),
        group.entity && h("span", { class: "soft small" }, ` (${group.entity.passages.slice(0, 5).join(", ")})`),
        h("ul", { class: "person-segments" }, ...group.segments.slice(0, 12).filter((/** @type {string} */ id) => texts.has(id)).map((/** @type {string} */ id) => {
          const found = texts.get(id);
          const stranger = found.error_type === "mixed_entities" && h("span", { class: "verdict verdict-contradicted" }, h("span", { "aria-hidden": "true" }, "✗"), "of somebody else");
          return lights.join(h("li", { dir: "auto" }, ...brief(found.text, 90), " ", stranger), [id]);
        }), group.segments.length > 12 && h("li", { class: "soft" }, `and ${group.segments.length - 12} more`)),
      ),
    (count) => counted(count, "individual"),
  );
  return list;
}

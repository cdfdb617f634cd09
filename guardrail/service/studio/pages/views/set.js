// @ts-check
/** Set a threshold from labels, and write the policy file. */
import { ApiError, get, post } from "../parts/api.js";
import { h } from "../parts/h.js";
import { empty, failed, loading } from "../parts/states.js";
import { counted } from "../parts/text.js";
import { filePanel } from "../setting/file.js";
import { guaranteePanel } from "../setting/guarantee.js";
import { slider } from "../setting/slider.js";

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} _params
 */
export async function show(root, _params) {
  const ended = new AbortController();
  const toLabel = h("p", {}, h("a", { href: "#/label" }, "Label some answers"));
  /** @type {any} */
  let about;
  try {
    about = await get("set");
  } catch (error) {
    if (!(error instanceof ApiError) || error.field !== "source") throw error;
    root.replaceChildren(empty("Nothing to set yet", error.message));
    return undefined;
  }
  if (!about.labelled) {
    root.replaceChildren(empty("No answer has a label yet", "A threshold is set from answers whose truth somebody said: sixty take some twenty minutes.", toLabel));
    return undefined;
  }
  const select = (/** @type {string} */ id, /** @type {string[][]} */ options) => h("select", { id, onchange: () => load() }, options.map(([value, words]) => h("option", { value }, words)));
  const picked = about.labelled - about.random;
  const drawn = select("set-drawn", [
    ...(about.random ? [["random", `of the random draw (${about.random})`]] : []),
    ...(picked || !about.random ? [["all", `all (${about.labelled}, ${picked} of them picked)`]] : []),
  ]);
  const engine = select("set-engine", about.engines.map((/** @type {string} */ name) => [name, name]));
  const policy = select("set-policy", about.policies.map((/** @type {string} */ name) => [name, name]));
  const chosen = () => ({ drawn: drawn.value, engine: engine.value, policy: policy.value });
  const field = (/** @type {string} */ id, /** @type {string} */ words, /** @type {Node} */ control) => h("div", { class: "field" }, h("label", { for: id }, words), control);
  const place = h("div", { class: "stack" });
  root.replaceChildren(
    h("div", { class: "stack" },
      h("h2", {}, `Set a threshold from ${counted(about.labelled, "labelled answer")}`),
      h("div", { class: "row label-fields" }, field("set-drawn", "Labels", drawn), field("set-engine", "Engine", engine), field("set-policy", "Start from policy", policy)),
      about.differ > 0 && h("p", { class: "small" }, `${counted(about.differ, "answer")} left out: people differ on them.`),
      place),
  );
  let turn = 0;

  /** @param {boolean} [again] go on with what was stopped */
  async function load(again = false) {
    const mine = ++turn;
    const current = () => mine === turn && !ended.signal.aborted;
    place.replaceChildren(loading("Reading labels …"));
    try {
      for (;;) {
        const found = await get("set/table", { ...chosen(), again: again ? "1" : "" });
        if (!current()) return;
        again = false;
        if (!found.job) return ready(found);
        place.replaceChildren(waiting(found.job));
        if (found.job.state !== "running" && found.job.state !== "done") return;
        await new Promise((done) => setTimeout(done, 400));
        if (!current()) return;
      }
    } catch (error) {
      if (current()) place.replaceChildren(failed(error, () => load()));
    }
  }

  /** @param {any} job */
  function waiting(job) {
    const words = job.total === null ? "Beginning …" : `Judging labelled answers: ${job.done} of ${job.total}`;
    if (job.state === "failed") return failed(new Error(job.error), () => load(true));
    if (job.state === "stopped") return empty("Stopped", words, h("button", { type: "button", onclick: () => load(true) }, "Go on"));
    return h("div", { class: "state" }, h("p", { role: "status" }, words), h("progress", { value: String(job.done), max: String(job.total || 1), "aria-label": words }), h("button", { type: "button", onclick: () => post("set/stop", {}) }, "Stop"));
  }

  /** @param {any} data */
  function ready(data) {
    let threshold = data.threshold;
    const file = filePanel(about.policy_out);
    const { counts } = data;
    const make = h("button", { type: "button", onclick: () => file.draft({ ...chosen(), threshold }) }, "Make a policy file of this threshold");
    place.replaceChildren(
      h("p", { class: "small soft" }, `${counts.right} right, ${counts.wrong} wrong, ${counts.declines} that decline (left out). The guard could not judge ${counts.unverified} (never delivered as supported) and took ${counts.taken_for_declines} for declining (always delivered).`),
      slider(data, data.threshold, (value) => (threshold = value)),
      h("div", { class: "row" }, make),
      guaranteePanel(chosen, file.draft),
      file.element,
    );
  }

  load();
  return () => ended.abort();
}

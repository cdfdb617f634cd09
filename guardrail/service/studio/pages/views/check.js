// @ts-check
/** Check one answer: what it says, what the passages say, and what becomes of it. */
import { ApiError, get, post } from "../parts/api.js";
import { copyButton } from "../parts/copy.js";
import { h, say } from "../parts/h.js";
import { passageFields } from "../parts/input.js";
import { report } from "../parts/report.js";
import { asked, curl, link, python, unlink } from "../parts/share.js";
import { sayWhere } from "../parts/sources.js";
import { empty, failed, loading } from "../parts/states.js";

/** What was written stays while other views are looked at. @type {import("../parts/share.js").Draft} */
const draft = { question: "", answer: "", passages: [], engine: "", policy: "" };
/** @type {any} */
let last = null;

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} params `d`: a check, as a link holds it
 */
export async function show(root, params) {
  root.replaceChildren(loading());
  const [choices, { examples }] = await Promise.all([get("choices"), get("examples")]);
  sayWhere(choices.source);
  let linkFault = null;
  if (params.has("d")) {
    try {
      Object.assign(draft, await unlink(params.get("d") ?? ""));
      last = null;
    } catch (error) {
      linkFault = error;
    }
  }
  if (!choices.engines.includes(draft.engine)) draft.engine = choices.engines[0];
  if (!choices.policies.includes(draft.policy)) draft.policy = choices.policies[0];

  /** @type {AbortController | null} */
  let running = null;
  const question = h("input", { id: "question", type: "text", dir: "auto", value: draft.question, oninput: () => { draft.question = question.value; } });
  const answer = h("textarea", { id: "answer", rows: 6, dir: "auto", value: draft.answer, oninput: () => { draft.answer = answer.value; } });
  const passages = passageFields(draft, fill);
  const submit = h("button", { type: "submit", class: "primary" }, "Check");
  const stop = h("button", { type: "button", hidden: true, onclick: () => running?.abort() }, "Stop");
  const example = h("select", { id: "example", onchange: pick }, h("option", { value: "" }, "Choose …"), ...byLanguage(examples));
  const form = h(
    "form",
    { class: "stack", onsubmit: check },
    h("div", { class: "fields" }, labelled("Example", example), labelled("Engine", choice("engine", choices.engines)), labelled("Policy", choice("policy", choices.policies))),
    labelled("Question (optional)", question),
    labelled("Answer", answer),
    passages.box,
    h("div", { class: "row" }, submit, stop, h("span", { class: "soft small" }, h("kbd", {}, "Ctrl"), " ", h("kbd", {}, "Enter"))),
  );
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  const inputs = h("details", { class: "panel input", open: true }, h("summary", {}, h("h2", {}, "Question, answer and passages")), form);
  const result = h("section", { class: "stack", "aria-label": "Result" });
  root.replaceChildren(inputs, result);
  if (linkFault) result.replaceChildren(failed(linkFault));
  else if (last) showResult(last, false);
  else result.replaceChildren(empty("Nothing checked yet", "Paste an answer with the passages that it was generated from, or choose an example. It stays on this machine, unless you choose an engine that asks a model elsewhere."));

  /** @param {Event} event */
  async function check(event) {
    event.preventDefault();
    if (running) return;
    if (!draft.answer.trim()) {
      result.replaceChildren(failed(new Error("There is no answer to check. Paste one, or choose an example.")));
      answer.focus();
      return;
    }
    const own = (running = new AbortController());
    submit.disabled = true;
    stop.hidden = false;
    const wait = waiting();
    result.replaceChildren(wait.element);
    try {
      const body = { ...wellFormed(asked(draft)), engine: draft.engine, policy: draft.policy };
      last = await post("check", body, { signal: own.signal });
      showResult(last, true);
    } catch (error) {
      if (own.signal.aborted) result.replaceChildren(empty("Stopped", "The check was stopped; nothing was judged."));
      else result.replaceChildren(failed(error, error instanceof ApiError && error.status !== 422 ? () => form.requestSubmit() : undefined));
    } finally {
      wait.end();
      running = null;
      submit.disabled = false;
      stop.hidden = true;
    }
  }

  /**
   * @param {any} data
   * @param {boolean} fresh
   */
  function showResult(data, fresh) {
    inputs.open = false;
    result.replaceChildren(copies(data), report(data));
    if (!fresh) return;
    say(`${data.verdict}, score ${data.score.toFixed(2)}`);
    /** @type {HTMLElement | null} */ (result.querySelector(".result"))?.focus();
  }

  function pick() {
    const found = examples[Number(example.value)];
    if (example.value !== "" && found) fill({ question: found.question, answer: found.answer, passages: found.passages.map((/** @type {any} */ passage) => ({ ...passage })) });
  }

  /** @param {Partial<import("../parts/share.js").Draft>} given */
  function fill(given) {
    Object.assign(draft, given);
    question.value = draft.question;
    answer.value = draft.answer;
    passages.draw();
  }

  return () => running?.abort();
}

/** @param {any} data */
function copies(data) {
  // The fields may be edited while the result is there: what is copied is what was checked.
  const was = { ...draft, question: data.question ?? "", answer: data.answer, passages: data.passages };
  return h(
    "div",
    { class: "row copies", role: "group", "aria-label": "Copy" },
    h("span", { class: "soft small" }, "Copy as"),
    copyButton("JSON", () => JSON.stringify(data, null, 2), "The report is copied."),
    copyButton("cURL", () => curl(was), "Copied. Start `guardrail serve` first."),
    copyButton("Python", () => python(was), "Copied."),
    copyButton("Link", () => link(was), "Copied. It holds all texts, and opens in a studio that runs at this address."),
  );
}

/** Seconds go on while a check is under way. */
function waiting() {
  const began = Date.now();
  const seconds = h("span", { "aria-hidden": "true" });
  const element = loading("Checking …");
  element.append(seconds);
  const tick = setInterval(() => { seconds.textContent = `${Math.round((Date.now() - began) / 1000)} s`; }, 1000);
  return { element, end: () => clearInterval(tick) };
}

/** @param {any[]} examples */
function byLanguage(examples) {
  const languages = [...new Set(examples.map((each) => each.language))];
  return languages.map((language) =>
    h("optgroup", { label: language }, ...examples.flatMap((each, index) => (each.language === language ? [h("option", { value: index }, each.title)] : []))),
  );
}

/**
 * @param {"engine" | "policy"} name
 * @param {string[]} values
 */
function choice(name, values) {
  const select = h("select", { id: name, onchange: () => { draft[name] = select.value; } }, ...values.map((value) => h("option", { value }, value)));
  select.value = draft[name];
  return select;
}

/**
 * @param {string} name
 * @param {HTMLElement} field
 */
function labelled(name, field) {
  return h("div", { class: "field" }, h("label", { for: field.id }, name), field);
}

/** Half a character (a lone surrogate) is no JSON that others read; it becomes U+FFFD. @param {any} value @returns {any} */
function wellFormed(value) {
  if (typeof value === "string") return value.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, wellFormed(each)]));
  return value;
}

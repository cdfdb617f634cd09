// @ts-check
/**
 * One check as text for elsewhere: a link, a line of JSON, a call.
 *
 * @typedef {{question: string, answer: string, passages: {id?: string, title?: string | null, text: string}[],
 *   engine: string, policy: string}} Draft
 */

/** Longer addresses are cut by chats and mail programs. */
const LONGEST_LINK = 60_000;

/** What the API, the command line and the service read. @param {Draft} draft */
export function asked(draft) {
  const passages = draft.passages
    .filter((passage) => passage.text.trim() || passage.title)
    .map(({ id, title, text }) => (id || title ? { ...(id && { id }), ...(title && { title }), text } : text));
  return { ...(draft.question && { question: draft.question }), answer: draft.answer, passages };
}

/** @param {Draft} draft */
export function curl(draft) {
  const body = JSON.stringify(asked(draft)).replaceAll("'", String.raw`'\''`);
  return `curl http://127.0.0.1:8321/v1/check -H 'Content-Type: application/json' \\\n    -d '${body}'\n`;
}

/** @param {Draft} draft */
export function python(draft) {
  const { question, answer, passages } = asked(draft);
  const preset = ["monitor", "annotate", "repair", "strict"].includes(draft.policy);
  const [file, name] = draft.policy.split("#");
  const policy = preset
    ? `Policy.${draft.policy}()`
    : `Policy.load(${literal(file)}${name ? `, name=${literal(name)}` : ""})`;
  return [
    "from guardrail import Guard, Policy",
    "",
    `guard = Guard(policy=${policy}, engine=${literal(draft.engine)})`,
    "guarded = guard.run(",
    `    ${literal(answer)},`,
    `    ${literal(passages)},`,
    ...(question ? [`    question=${literal(question)},`] : []),
    ")",
    "print(guarded.report.verdict, guarded.text)",
    "",
  ].join("\n");
}

/** JSON of texts, lists and objects is Python, too, but for characters that end a line only there. @param {unknown} value */
function literal(value) {
  return JSON.stringify(value).replace(/[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * The address of this check on the reader's own studio: all of it is in the fragment, which no server sees.
 * @param {Draft} draft
 */
export async function link(draft) {
  const packed = await pack(JSON.stringify({ ...asked(draft), engine: draft.engine, policy: draft.policy }));
  const found = `${location.origin}${location.pathname}#/check?d=${packed}`;
  if (found.length > LONGEST_LINK) {
    throw new Error(`Too long for a link: ${found.length.toLocaleString("en")} characters. Copy it as JSON.`);
  }
  return found;
}

/**
 * What a link holds; the texts are of whoever made it, so each field is read for what it is.
 * @param {string} packed
 * @returns {Promise<Partial<Draft>>}
 */
export async function unlink(packed) {
  let raw;
  try {
    raw = JSON.parse(await unpack(packed));
  } catch {
    throw new Error("This link is damaged. Ask for it again.");
  }
  const text = (/** @type {unknown} */ value) => (typeof value === "string" ? value : "");
  return { question: text(raw?.question), answer: text(raw?.answer), passages: passagesOf(raw?.passages), engine: text(raw?.engine), policy: text(raw?.policy) };
}

/**
 * Passages of JSON that somebody else wrote: texts, or objects with a text.
 * @param {unknown} raw
 * @returns {Draft["passages"]}
 */
export function passagesOf(raw) {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((one) => {
    if (typeof one === "string") return [{ text: one }];
    if (typeof one?.text !== "string") return [];
    const known = (/** @type {unknown} */ value) => (typeof value === "string" || typeof value === "number" ? String(value) : "");
    return [{ id: known(one.id), title: known(one.title), text: one.text }];
  });
}

/** @param {string} text */
async function pack(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} packed */
async function unpack(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {CompressionStream | DecompressionStream} stream
 */
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

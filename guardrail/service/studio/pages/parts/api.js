// @ts-check
/**
 * The API, with the token of the address that `guardrail studio` printed, or with a key of `guardrail serve`.
 *
 * The token is kept for this origin (host and port), so that a second tab needs no second token; it ends with the
 * process that made it. It never stands in a link that is copied from the page. A key lasts, so it is kept for this
 * tab only, and never taken from an address.
 */

const mode = document.querySelector('meta[name="guardrail-key"]')?.getAttribute("content");

/** Whether the studio is part of a service. */
export const IN_SERVICE = mode === "service";

const KEPT = IN_SERVICE ? "guardrail-service-key" : "guardrail-studio-token";
const HEADER = IN_SERVICE ? "x-guardrail-key" : "x-studio-token";
const NO_KEY = "This studio is part of a service: enter a key that may use it. Whoever runs the service has one for you.";
const WRONG_KEY = "The service does not know this key. Was it copied whole? Whoever runs the service can make a new one.";

/** A request that was not answered as asked. */
export class ApiError extends Error {
  /**
   * @param {string} message What is wrong and what to do next.
   * @param {number} status HTTP status; 0 = no reply.
   * @param {string | null} field The field of the request that is meant.
   */
  constructor(message, status, field = null) {
    super(message);
    this.status = status;
    this.field = field;
    /** Whether a key, or another one, would help. */
    this.locked = status === 401;
  }
}

/**
 * Take the token out of `#token=...`, keep it, and leave an address without it.
 * @returns {boolean} whether there was one
 */
export function takeToken() {
  if (IN_SERVICE) return false;
  const found = /^#token=([\w-]+)(?:&(.*))?$/s.exec(location.hash);
  if (!found) return false;
  keepToken(found[1]);
  history.replaceState(null, "", `${location.pathname}#${found[2] ?? "/check"}`);
  return true;
}

/** @param {string} token */
export function keepToken(token) {
  keeper().setItem(KEPT, token);
}

function keeper() {
  return IN_SERVICE ? sessionStorage : localStorage;
}

/**
 * @param {string} path such as "choices"
 * @param {Record<string, string | number | boolean | null | undefined>} [query] empty values are left out
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export function get(path, query = {}, options = {}) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") asked.set(name, String(value));
  }
  return request(asked.size ? `${path}?${asked}` : path, { ...options });
}

/**
 * @param {string} path
 * @param {unknown} body sent as JSON
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export function post(path, body, options = {}) {
  return request(path, {
    ...options,
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
}

/**
 * @param {string} path
 * @param {RequestInit} init
 * @returns {Promise<any>}
 */
async function request(path, init) {
  const key = keeper().getItem(KEPT) ?? "";
  if (IN_SERVICE && !/^[!-~]+$/.test(key)) throw new ApiError(key ? WRONG_KEY : NO_KEY, 401); // no header could hold it
  const headers = { ...init.headers, [HEADER]: key };
  let reply;
  try {
    reply = await fetch(new URL(`api/${path}`, document.baseURI), { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const who = IN_SERVICE ? ["service", "it"] : ["studio", "`guardrail studio`"];
    throw new ApiError(`The ${who[0]} does not answer. Is ${who[1]} still running?`, 0);
  }
  const body = await reply.json().catch(() => null);
  if (reply.ok) return body;
  const said = body?.error ?? { message: `The studio replied with status ${reply.status}.`, field: null };
  const refused = new ApiError(said.message, reply.status, said.field ?? null);
  if (IN_SERVICE && reply.status === 401) refused.message = WRONG_KEY;
  if (IN_SERVICE && said.code === "forbidden") refused.locked = true;
  throw refused;
}

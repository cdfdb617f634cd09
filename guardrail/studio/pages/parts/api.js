// @ts-check
/**
 * The API, with the token of the address that `guardrail studio` printed.
 *
 * The token is kept for this origin (host and port), so that a second tab needs no second token; it ends with the
 * process that made it. It never stands in a link that is copied from the page.
 */

const KEPT = "guardrail-studio-token";

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
  }
}

/**
 * Take the token out of `#token=...`, keep it, and leave an address without it.
 * @returns {boolean} whether there was one
 */
export function takeToken() {
  const found = /^#token=([\w-]+)(?:&(.*))?$/s.exec(location.hash);
  if (!found) return false;
  keepToken(found[1]);
  history.replaceState(null, "", `${location.pathname}#${found[2] ?? "/check"}`);
  return true;
}

/** @param {string} token */
export function keepToken(token) {
  localStorage.setItem(KEPT, token);
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
  const headers = { ...init.headers, "x-studio-token": localStorage.getItem(KEPT) ?? "" };
  let reply;
  try {
    reply = await fetch(new URL(`api/${path}`, document.baseURI), { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError("The studio does not answer. Is `guardrail studio` still running?", 0);
  }
  const body = await reply.json().catch(() => null);
  if (reply.ok) return body;
  const said = body?.error ?? { message: `The studio replied with status ${reply.status}.`, field: null };
  throw new ApiError(said.message, reply.status, said.field ?? null);
}

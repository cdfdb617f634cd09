// @ts-check
/** Asking before the answer is needed: a view's data comes while its filters are still being asked for. */
import { get } from "./api.js";

/**
 * Ask at once. The first later question, if it is the same, gets this reply; any other one is asked anew.
 * @param {string} path
 * @param {Record<string, any>} query
 * @returns {(query: Record<string, any>) => Promise<any>}
 */
export function askAhead(path, query) {
  const known = filled(query);
  /** @type {Promise<any> | undefined} */
  let reply = get(path, query);
  reply.catch(() => {}); // said where it is awaited
  return (later) => {
    const taken = filled(later) === known ? reply : undefined;
    reply = undefined; // later it may be out of date
    return taken ?? get(path, later);
  };
}

/** @param {URLSearchParams} params @param {string[]} names */
export function named(params, names) {
  return Object.fromEntries(names.map((name) => [name, params.get(name)]));
}

/** @param {Record<string, any>} query the same text for the same question */
function filled(query) {
  return JSON.stringify(Object.entries(query).filter(([, value]) => value).sort());
}

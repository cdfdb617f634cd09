// @ts-check
/** Who labels in this tab, and labels on their way to the disk: one after the other, in the order of the keys. */
import { post } from "../parts/api.js";

const NAME = "guardrail-studio-labeller";

/** The name of this tab, else the last one of this browser. */
export function labeller() {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? "";
}

/** Whether this tab has a name already. */
export function isNamed() {
  return sessionStorage.getItem(NAME) !== null;
}

/** @param {string} name */
export function nameLabeller(name) {
  sessionStorage.setItem(NAME, name);
  localStorage.setItem(NAME, name);
}

/** @typedef {{item: string, segment: string, said: Record<string, Said>, state: string, warning: string | null}} Kept */
/** @typedef {{label: string, error_type: string | null, error_spans: number[][], evidence: {passage: number, span: number[]}[]}} Said */

export class Keeper {
  /** @param {(left: number, error: unknown, warning: string | null) => void} tell how many are on their way, and what went wrong */
  constructor(tell) {
    this.tell = tell;
    this.left = 0;
    /** How many were sent at all. */
    this.sent = 0;
    /** @type {Promise<any>} */
    this.last = Promise.resolve();
  }

  /**
   * Send, after what was sent before.
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<Kept | null>} null = it was not kept
   */
  send(path, body) {
    this.left += 1;
    this.sent += 1;
    this.tell(this.left, null, null);
    const sent = this.last.then(async () => {
      try {
        const kept = await post(`label/${path}`, body);
        this.left -= 1;
        this.tell(this.left, null, kept.warning);
        return kept;
      } catch (error) {
        this.left -= 1;
        this.tell(this.left, error, null);
        return null;
      }
    });
    this.last = sent;
    return sent;
  }
}

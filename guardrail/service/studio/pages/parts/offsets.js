// @ts-check
/** Offsets of the API count code points (as Python does), those of JavaScript UTF-16 units. */

/**
 * How offsets of one text convert. Texts without characters outside the basic plane, which are most, cost nothing.
 * @param {string} text
 * @returns {{toUnits: (point: number) => number, toPoints: (unit: number) => number}}
 */
export function offsets(text) {
  /** Offsets (units) of characters that take two units. @type {number[]} */
  const wide = [];
  for (const found of text.matchAll(/[\u{10000}-\u{10FFFF}]/gu)) wide.push(found.index);
  if (!wide.length) return { toUnits: (point) => point, toPoints: (unit) => unit };
  /** @param {(place: number, before: number) => boolean} isBefore */
  const count = (isBefore) => {
    let low = 0;
    let high = wide.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(wide[middle], middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    toUnits: (point) => point + count((place, before) => place - before < point),
    toPoints: (unit) => unit - count((place) => place < unit),
  };
}

// @ts-check
/**
 * A text cut at the ends of ranges.
 *
 * @typedef {{start: number, end: number, id: string}} Range offsets in UTF-16 units, end exclusive
 * @typedef {{text: string, ids: string[], start: number}} Piece
 */

/**
 * Pieces in order, which together are the text; each says which ranges it is in. Ranges may overlap.
 * @param {string} text
 * @param {Range[]} ranges
 * @returns {Piece[]}
 */
export function pieces(text, ranges) {
  const inside = ranges.filter(({ start, end }) => start >= 0 && start < end && end <= text.length);
  /** @type {{place: number, opens: boolean, id: string}[]} */
  const borders = inside
    .flatMap(({ start, end, id }) => [
      { place: start, opens: true, id },
      { place: end, opens: false, id },
    ])
    .sort((one, other) => one.place - other.place);
  /** How many ranges of an id are open; the order is that of opening. @type {Map<string, number>} */
  const open = new Map();
  const found = [];
  let place = 0;
  for (const border of borders) {
    if (border.place > place) found.push({ text: text.slice(place, border.place), ids: [...open.keys()], start: place });
    place = border.place;
    const left = (open.get(border.id) ?? 0) + (border.opens ? 1 : -1);
    if (left) open.set(border.id, left);
    else open.delete(border.id);
  }
  if (place < text.length) found.push({ text: text.slice(place), ids: [], start: place });
  return found;
}

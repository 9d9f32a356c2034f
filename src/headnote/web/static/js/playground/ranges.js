/** Where in a text its chunks stand, and what they repeat. Offsets are those of JavaScript strings. Pure. */

/**
 * @typedef {import("../types.js").Chunk} Chunk
 * @typedef {import("../core/codepoints.js").CodePoints} CodePoints
 * @typedef {{start: number, end: number}} Span
 */

/**
 * The chunks, without the white space around them.
 * @param {CodePoints} points @param {Chunk[]} chunks @returns {Span[]}
 */
export function ownSpans(points, chunks) {
  return chunks.map((chunk) => trimmed(points.text, points.unit(chunk.start), points.unit(chunk.end)));
}

/**
 * What each chunk repeats of the text before it: the nearest occurrence; null for nothing.
 * @param {string} text @param {Chunk[]} chunks @param {Span[]} own
 * @returns {(Span|null)[]}
 */
export function repeatedSpans(text, chunks, own) {
  return chunks.map((chunk, at) => {
    const overlap = chunk.overlap.trim();
    const before = own[at].start;
    const least = at > 0 ? own[at - 1].start : 0;
    const start = overlap ? text.lastIndexOf(overlap, before - overlap.length) : -1;
    return start >= least && start + overlap.length <= before ? { start, end: start + overlap.length } : null;
  });
}

/** Which of some spans in order holds an offset; -1 for none. @param {Span[]} spans @param {number} offset */
export function spanAt(spans, offset) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].end <= offset) low = middle + 1;
    else high = middle;
  }
  return low < spans.length && spans[low].start <= offset ? low : -1;
}

/** @param {string} text @param {number} start @param {number} end @returns {Span} */
function trimmed(text, start, end) {
  const piece = text.slice(start, end);
  const inner = piece.trim();
  if (inner === "") return { start, end };
  const from = start + piece.length - piece.trimStart().length;
  return { start: from, end: from + inner.length };
}

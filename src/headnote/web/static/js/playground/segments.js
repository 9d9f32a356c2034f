/** A text as a row of pieces, each of one chunk: what the pane draws. Pure. */

import { CodePoints } from "../core/codepoints.js";

/**
 * @typedef {import("../types.js").Chunk} Chunk
 * @typedef {{text: string, own: number, carried: number}} Segment Numbers of its chunk and of the chunk that repeats
 *   it; -1 for none.
 */

/** @param {string} text @param {Chunk[]} chunks @returns {Segment[]} */
export function segments(text, chunks) {
  const points = new CodePoints(text);
  const own = chunks.map((chunk) => range(points.unit(chunk.start), points.unit(chunk.end)));
  const carried = chunks.map((chunk, at) => carriedRange(text, chunk, at > 0 ? own[at - 1].start : 0, own[at].start));
  const edges = new Set([0, text.length]);
  for (const { start, end } of [...own, ...carried]) if (end > start) edges.add(start).add(end);
  const sorted = [...edges].sort((a, b) => a - b);
  const ownAt = finder(own);
  const carriedAt = finder(carried);
  return sorted.slice(0, -1).map((start, i) => ({
    text: text.slice(start, sorted[i + 1]),
    own: ownAt(start),
    carried: carriedAt(start),
  }));
}

/** @param {number} start @param {number} end */
const range = (start, end) => ({ start, end });

/**
 * The range of the text that a chunk repeats: its nearest occurrence before the chunk.
 * @param {string} text @param {Chunk} chunk @param {number} least @param {number} before
 */
function carriedRange(text, chunk, least, before) {
  const overlap = chunk.overlap.trim();
  const at = overlap ? text.lastIndexOf(overlap, before - overlap.length) : -1;
  return at >= least && at + overlap.length <= before ? range(at, at + overlap.length) : range(0, 0);
}

/**
 * A function that finds the range of an offset. Ranges are sorted, and offsets must ascend.
 * @param {{start: number, end: number}[]} ranges
 */
function finder(ranges) {
  let at = 0;
  return (/** @type {number} */ place) => {
    while (at < ranges.length && ranges[at].end <= place) at += 1;
    return at < ranges.length && ranges[at].start <= place ? at : -1;
  };
}

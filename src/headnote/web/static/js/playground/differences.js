/** Where two ways to cut the same text differ. Pure. */

import { ownSpans } from "./ranges.js";

/**
 * @typedef {import("../types.js").Chunk} Chunk
 * @typedef {import("../core/codepoints.js").CodePoints} CodePoints
 * @typedef {"A"|"B"} Side
 * @typedef {{offset: number, side: Side}} Boundary A place where a chunk begins on one side only.
 * @typedef {Boundary & {isHere: boolean}} Difference A boundary as one of the sides sees it.
 */

/**
 * The boundaries that only one side has, in the order of the text.
 * @param {CodePoints} points @param {Chunk[]} a @param {Chunk[]} b
 * @returns {Boundary[]}
 */
export function differingBoundaries(points, a, b) {
  const [inA, inB] = [boundaries(points, a), boundaries(points, b)];
  const only = (/** @type {Set<number>} */ own, /** @type {Set<number>} */ other, /** @type {Side} */ side) =>
    [...own].filter((offset) => !other.has(offset)).map((offset) => ({ offset, side }));
  return [...only(inA, inB, "A"), ...only(inB, inA, "B")].sort((one, other) => one.offset - other.offset);
}

/** Where chunks begin. The beginning of the text is no boundary. @param {CodePoints} points @param {Chunk[]} chunks */
function boundaries(points, chunks) {
  const first = points.text.length - points.text.trimStart().length;
  const starts = ownSpans(points, chunks).map(({ start }) => start);
  return new Set(starts.filter((start) => start > first));
}

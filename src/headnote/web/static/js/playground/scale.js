/** The scale of a histogram: sizes from left to right, chunks from bottom to top. Pure. */

/**
 * @typedef {import("../types.js").Chunked} Chunked
 * @typedef {{right: number, bins: number, step: number, tallest: number}} Scale The size at the right end, the columns
 *   and their width in sizes, and the most chunks in one of them.
 */

const COLUMN = 13;
const LEAST_COLUMNS = 8;

/**
 * One scale for all results that are seen together.
 * @param {Chunked[]} results
 * @param {number} width In pixels.
 * @returns {Scale}
 */
export function scaleOf(results, width) {
  const right = 1.02 * results.reduce((most, result) => Math.max(most, farthest(result)), 1);
  const bins = Math.max(LEAST_COLUMNS, Math.floor(width / COLUMN));
  const step = right / bins;
  const stacks = results.flatMap((result) => stacked(result, bins, step));
  return { right, bins, step, tallest: stacks.reduce((most, stack) => Math.max(most, stack.length), 1) };
}

/** The numbers of the chunks of each column. @param {Chunked} result @param {number} bins @param {number} step */
export function stacked({ chunks }, bins, step) {
  /** @type {number[][]} */
  const stacks = Array.from({ length: bins }, () => []);
  chunks.forEach(({ tokens }, at) => stacks[Math.min(bins - 1, Math.floor(tokens / step))].push(at));
  return stacks;
}

/** @param {Chunked} result */
function farthest({ chunks, settings }) {
  return chunks.reduce((most, { tokens }) => Math.max(most, tokens), Number(settings.max_tokens) * 1.1);
}

/** Round sizes for the axis, about four of them. @param {number} right */
export function ticks(right) {
  const rough = right / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  return Array.from({ length: Math.floor(right / step) + 1 }, (_, at) => at * step);
}

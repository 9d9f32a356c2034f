/** How large the chunks are: one cell for each, stacked by size, between the lines they should respect. */

import { h, refill, svg } from "../core/dom.js";
import { whole } from "../core/format.js";
import { t } from "../core/texts.js";
import { sizeIn, unitOf } from "./choice.js";

/** @typedef {import("../types.js").Chunked} Chunked */

// -- The scale: sizes from left to right, chunks from bottom to top

/**
 * @typedef {{right: number, bins: number, step: number, tallest: number}} Scale The size at the right end, the columns
 *   and their width in sizes, and the most chunks in one of them.
 */

const COLUMN = 13;
const MIN_COLUMNS = 8;

/**
 * One scale for all results that are seen together.
 * @param {Chunked[]} results
 * @param {number} width In pixels.
 * @returns {Scale}
 */
function scaleOf(results, width) {
  const right = 1.02 * results.reduce((most, result) => Math.max(most, farthest(result)), 1);
  const bins = Math.max(MIN_COLUMNS, Math.floor(width / COLUMN));
  const step = right / bins;
  const stacks = results.flatMap((result) => stacked(result, bins, step));
  return { right, bins, step, tallest: stacks.reduce((most, stack) => Math.max(most, stack.length), 1) };
}

/** The numbers of the chunks of each column. @param {Chunked} result @param {number} bins @param {number} step */
function stacked({ chunks }, bins, step) {
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
function ticks(right) {
  const rough = right / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  return Array.from({ length: Math.floor(right / step) + 1 }, (_, at) => at * step);
}

// -- The picture

/** @typedef {{x: (tokens: number) => number, step: number, cell: number, base: number}} Look */

const TOP = 34;
const BOTTOM = 20;
const HUES = 8;
const MAX_CELLS = 240;
const MAX_CELL = 24;
/** Pixels between a line and its name, and of a letter of it. */
const GAP = 4;
const LETTER = 6.2;
const EDGE = 18;

export class Histogram {
  constructor() {
    const label = t("histogram.label");
    this.drawing = /** @type {SVGSVGElement} */ (svg("svg", { class: "histogram", role: "img", "aria-label": label }));
    this.element = h("figure", { class: "histogram-figure" }, this.drawing);
    /** @type {Chunked|null} */
    this.result = null;
    /** @type {Chunked[]} */
    this.together = [];
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** @param {Chunked} result @param {Chunked[]} together All that are seen together: they have one scale. */
  show(result, together) {
    this.result = result;
    this.together = together.filter((other) => unitOf(other.settings) === unitOf(result.settings));
    this.#draw();
  }

  /** @param {number} chunk */
  activate(chunk) {
    for (const cell of this.drawing.querySelectorAll(".cell")) {
      cell.classList.toggle("active", Number(/** @type {SVGElement} */ (cell).dataset.chunk) === chunk);
    }
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!this.result || width === 0 || height === 0) return;
    const { chunks, settings } = this.result;
    const { right, bins, step, tallest } = scaleOf(this.together, width);
    const x = (/** @type {number} */ tokens) => 1 + (tokens / right) * (width - 2);
    const base = height - BOTTOM;
    const look = { x, step, cell: Math.min(MAX_CELL, (base - TOP) / tallest), base };
    const stacks = stacked(this.result, bins, step);
    const sizes = chunks.map((chunk) => chunk.tokens);
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("aria-label", describe(sizes, settings));
    refill(
      this.drawing,
      chunks.length <= MAX_CELLS ? cells(stacks, sizes, Number(settings.max_tokens), look) : bars(stacks, look),
      svg("path", { class: "axis", d: `M0 ${base + 0.5}H${width}` }),
      limits(settings, x, width, base),
      axis(ticks(right), x, width, base, sizeIn(settings, 0)),
    );
  }
}

/** @param {number[][]} stacks @param {number[]} sizes @param {number} most @param {Look} look */
function cells(stacks, sizes, most, { x, step, cell, base }) {
  const gap = cell > 5 ? 1.5 : Math.min(0.5, cell / 4);
  return stacks.flatMap((stack, bin) =>
    stack.map((chunk, at) =>
      svg("rect", {
        class: `cell hue-${chunk % HUES}${sizes[chunk] > most ? " over" : ""}`,
        x: x(bin * step) + gap / 2,
        width: x(step) - 1 - gap,
        y: base - (at + 1) * cell,
        height: cell - gap,
        rx: Math.min(2, cell / 4),
        "data-chunk": chunk,
      }),
    ),
  );
}

/** @param {number[][]} stacks @param {Look} look */
function bars(stacks, { x, step, cell, base }) {
  return stacks.map((stack, bin) =>
    svg("rect", {
      class: "bar-of-cells",
      x: x(bin * step) + 0.5,
      width: x(step) - 2,
      y: base - stack.length * cell,
      height: stack.length * cell,
    }),
  );
}

/**
 * The sizes that chunks should respect, as lines with their names.
 * @param {import("../types.js").Settings} settings
 * @param {(tokens: number) => number} x
 * @param {number} width
 * @param {number} base
 */
function limits(settings, x, width, base) {
  const [min, target, max] = [settings.min_tokens, settings.target_tokens, settings.max_tokens].map(Number);
  const lines = [limit("max", max, { at: x(max), y: 10, base, end: width })];
  if (target !== max) lines.push(limit("target", target, { at: x(target), y: 24, base, end: x(max) }));
  const end = target !== max ? lines[1].start : width;
  if (min > 0) lines.push(limit("min", min, { at: x(min), y: 24, base, end }));
  return lines.map(({ element }) => element);
}

/**
 * A line, with its name on the left, else on the right, else without.
 * @param {"min"|"target"|"max"} name
 * @param {number} value
 * @param {{at: number, y: number, base: number, end: number}} place Its name may reach from 0 to `end`.
 */
function limit(name, value, { at, y, base, end }) {
  const words = t(`histogram.${name}`, { size: value });
  const width = GAP + words.length * LETTER;
  const isLeft = at >= width;
  const line = Math.round(at) + 0.5;
  const label =
    (isLeft || at + width <= end) &&
    svg("text", { x: line + (isLeft ? -GAP : GAP), y, "text-anchor": isLeft ? "end" : "start" }, words);
  const path = svg("path", { d: `M${line} ${y - 8}V${base}` });
  return { element: svg("g", { class: `limit limit-${name}` }, path, label), start: isLeft ? at - width : at };
}

/**
 * Sizes below the line; the first says what they count.
 * @param {number[]} sizes
 * @param {(tokens: number) => number} x
 * @param {number} width
 * @param {number} base
 * @param {string} nothing The size of 0, with its unit.
 */
function axis(sizes, x, width, base, nothing) {
  return sizes.map((tokens) => {
    const at = x(tokens);
    const anchor = tokens === 0 ? "start" : at > width - EDGE ? "end" : "middle";
    const words = tokens === 0 ? nothing : whole(tokens);
    return svg("text", { class: "tick", x: at, y: base + 14, "text-anchor": anchor }, words);
  });
}

/** @param {number[]} sizes @param {import("../types.js").Settings} settings */
function describe(sizes, settings) {
  if (sizes.length === 0) return t("histogram.empty");
  const smallest = sizes.reduce((least, size) => Math.min(least, size));
  const largest = sizes.reduce((most, size) => Math.max(most, size));
  const [target, max] = [Number(settings.target_tokens), Number(settings.max_tokens)];
  const range = { smallest, largest: sizeIn(settings, largest), target, max };
  return t("histogram.described", { count: sizes.length, ...range });
}

/** How large the chunks are: one cell for each, stacked by size, between the lines they should respect. */

import { h, refill, svg } from "../core/dom.js";
import { plural, whole } from "../core/format.js";

/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {{x: (tokens: number) => number, step: number, cell: number, base: number}} Scale */

const HEIGHT = 124;
const TOP = 34;
const BOTTOM = 20;
const HUES = 8;
const MOST_CELLS = 240;

export class Histogram {
  constructor() {
    this.drawing = /** @type {SVGSVGElement} */ (svg("svg", { class: "histogram", role: "img", height: HEIGHT }));
    this.element = h("figure", { class: "histogram-figure" }, this.drawing);
    /** @type {Chunked|null} */
    this.result = null;
    this.widest = 0;
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** @param {Chunked} result */
  show(result) {
    this.result = result;
    this.#draw();
  }

  /** @param {number} chunk */
  activate(chunk) {
    for (const cell of this.drawing.querySelectorAll(".cell")) {
      cell.classList.toggle("active", Number(/** @type {SVGElement} */ (cell).dataset.chunk) === chunk);
    }
  }

  #draw() {
    const width = this.element.clientWidth;
    if (!this.result || width === 0) return;
    const { chunks, settings } = this.result;
    const sizes = chunks.map((chunk) => chunk.tokens);
    const most = Number(settings.max_tokens);
    const right = Math.max(most * 1.1, ...sizes) * 1.02;
    const x = (/** @type {number} */ tokens) => 1 + (tokens / right) * (width - 2);
    const bins = Math.max(8, Math.floor(width / 13));
    const step = right / bins;
    /** @type {number[][]} */
    const stacks = Array.from({ length: bins }, () => []);
    sizes.forEach((size, at) => stacks[Math.min(bins - 1, Math.floor(size / step))].push(at));
    const tallest = Math.max(1, ...stacks.map((stack) => stack.length));
    const height = HEIGHT - TOP - BOTTOM;
    const cell = Math.min(24, height / tallest);
    const base = HEIGHT - BOTTOM;
    const columns =
      chunks.length <= MOST_CELLS
        ? cells(stacks, { x, step, cell, base, sizes, most })
        : bars(stacks, { x, step, cell, base });
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.drawing.setAttribute("aria-label", describe(sizes, settings));
    refill(
      this.drawing,
      columns,
      svg("path", { class: "axis", d: `M0 ${base + 0.5}H${width}` }),
      limits(settings, x, width, base),
      scale(right, x, base),
    );
  }
}

/**
 * @param {number[][]} stacks
 * @param {Scale & {sizes: number[], most: number}} look
 */
function cells(stacks, { x, step, cell, base, sizes, most }) {
  const gap = cell > 5 ? 1.5 : 0.5;
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

/** @param {number[][]} stacks @param {Scale} look */
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
 * @param {import("../types.js").Settings} settings
 * @param {(tokens: number) => number} x
 * @param {number} width
 * @param {number} base
 */
function limits(settings, x, width, base) {
  /** @type {[string, number, number][]} */
  const all = [
    ["max", Number(settings.max_tokens), 10],
    ["target", Number(settings.target_tokens), 24],
    ["min", Number(settings.min_tokens), 24],
  ];
  const visible = all.filter(([name, value]) => value > 0 && !(name === "target" && value === all[0][1]));
  return visible.map(([name, value, y]) => {
    const at = Math.round(x(value)) + 0.5;
    const isRight = at > width * 0.55;
    return svg(
      "g",
      { class: `limit limit-${name}` },
      svg("path", { d: `M${at} ${y - 8}V${base}` }),
      svg(
        "text",
        { x: at + (isRight ? -4 : 4), y, "text-anchor": isRight ? "end" : "start" },
        `${name} ${whole(value)}`,
      ),
    );
  });
}

/** @param {number} right @param {(tokens: number) => number} x @param {number} base */
function scale(right, x, base) {
  const rough = right / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough;
  const ticks = [];
  for (let tokens = 0; tokens <= right; tokens += step) {
    ticks.push(
      svg(
        "text",
        { class: "tick", x: x(tokens), y: base + 14, "text-anchor": tokens === 0 ? "start" : "middle" },
        whole(tokens),
      ),
    );
  }
  return ticks;
}

/** @param {number[]} sizes @param {import("../types.js").Settings} settings */
function describe(sizes, settings) {
  if (sizes.length === 0) return "No chunks";
  const range = `from ${whole(Math.min(...sizes))} to ${whole(Math.max(...sizes))}`;
  const limits = `with a target of ${settings.target_tokens} and a maximum of ${settings.max_tokens}`;
  return `Sizes of ${plural(sizes.length, "chunk")}: ${range}, ${limits}`;
}

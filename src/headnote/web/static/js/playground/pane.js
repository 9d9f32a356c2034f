/** The text, to be written in, on the bands of its chunks. */

import { CodePoints } from "../core/codepoints.js";
import { h, refill } from "../core/dom.js";
import { whole } from "../core/format.js";
import { Ghost } from "./ghost.js";
import { ownSpans, repeatedSpans, spanAt } from "./ranges.js";

/**
 * @typedef {import("../types.js").Chunked} Chunked
 * @typedef {import("./ghost.js").Extent} Extent
 * @typedef {import("./ranges.js").Span} Span
 * @typedef {import("./differences.js").Difference} Difference
 */

const HUES = 8;
/** Part of the pane that stays above a place that is brought into sight. */
const ABOVE = 0.3;

export class Pane {
  /**
   * @param {{typed: (text: string) => void, pointed: (chunk: number) => void,
   *   chosen: (chunk: number) => void}} handlers
   */
  constructor(handlers) {
    /** @type {Extent[]} */
    this.extents = [];
    /** @type {Span[]} */
    this.own = [];
    /** @type {Chunked|null} */
    this.result = null;
    this.points = new CodePoints("");
    this.ghost = new Ghost();
    this.bands = h("div", { class: "pane-bands", "aria-hidden": "true" });
    this.marks = h("div", { class: "pane-marks", "aria-hidden": "true" });
    /** @type {Difference[]} */
    this.differences = [];
    this.input = h("textarea", {
      class: "pane-text pane-input",
      "aria-label": "Document",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.paper = h("div", { class: "pane-paper" }, this.bands, this.ghost.element, this.marks, this.input);
    this.element = h("div", { class: "pane" }, this.paper);
    this.input.addEventListener("input", () => handlers.typed(this.input.value));
    this.element.addEventListener("pointermove", (event) => handlers.pointed(this.#at(event.clientY)));
    this.element.addEventListener("pointerleave", () => handlers.pointed(-1));
    this.element.addEventListener("click", (event) => handlers.chosen(this.#at(event.clientY)));
    this.input.addEventListener(
      "keyup",
      (event) => event.key.startsWith("Arrow") && handlers.chosen(spanAt(this.own, this.input.selectionStart)),
    );
    new ResizeObserver(() => this.#draw()).observe(this.paper);
  }

  /** @param {string} text */
  setText(text) {
    if (this.points.text === text) return;
    this.points = new CodePoints(text);
    if (this.input.value !== text) this.input.value = text;
    this.ghost.setText(text);
  }

  /** @param {Chunked} result Of the text that is shown. */
  show(result) {
    this.result = result;
    this.own = ownSpans(this.points, result.chunks);
    this.differences = [];
    this.#draw();
  }

  /** Mark where this text and another cut of it differ. @param {Difference[]} differences */
  mark(differences) {
    this.differences = differences;
    this.#drawMarks();
  }

  /** @param {number} chunk */
  activate(chunk) {
    this.bands.querySelector(".pane-band.active")?.classList.remove("active");
    if (chunk >= 0) this.bands.querySelector(`.pane-band[data-chunk="${chunk}"]`)?.classList.add("active");
  }

  /** @param {number} chunk */
  reveal(chunk) {
    const extent = this.extents[chunk];
    if (extent) this.element.scrollTo({ top: Math.max(0, extent.top - 48) });
  }

  /** Bring a difference into sight, and no other one to the fore. @param {number} at */
  revealDifference(at) {
    this.marks.querySelector(".current")?.classList.remove("current");
    const mark = /** @type {HTMLElement|undefined} */ (this.marks.children[at]);
    if (!mark) return;
    mark.classList.add("current");
    this.element.scrollTo({ top: Math.max(0, mark.offsetTop - this.element.clientHeight * ABOVE) });
  }

  #draw() {
    const { result, own } = this;
    if (!result || this.paper.clientWidth === 0) return;
    const measure = this.ghost.measure();
    this.extents = own.map(measure);
    const repeated = repeatedSpans(this.points.text, result.chunks, own).map((span) => span && this.ghost.boxes(span));
    const cuts = cutStarts(result);
    refill(
      this.bands,
      this.extents.map((extent, at) => band(extent, at, result.chunks[at].tokens, cuts.has(at))),
      repeated.flatMap((boxes, at) => (boxes ? carry(boxes, at) : [])),
    );
    this.#drawMarks();
  }

  #drawMarks() {
    if (this.paper.clientWidth === 0) return;
    const measure = this.ghost.measure();
    const tops = this.differences.map(({ offset }) => measure({ start: offset, end: offset }).top);
    refill(
      this.marks,
      this.differences.map((difference, at) => differenceMark(difference, tops[at])),
    );
  }

  /** @param {number} clientY */
  #at(clientY) {
    const y = clientY - this.paper.getBoundingClientRect().top;
    return this.extents.findIndex(({ top, bottom }) => y >= top && y < bottom);
  }
}

/** Chunks that begin inside a block: it had to be cut there. @param {Chunked} result */
function cutStarts({ chunks, blocks }) {
  const cut = blocks.filter((block) => block.cut);
  return new Set(
    chunks.flatMap((chunk, at) =>
      cut.some((block) => block.start < chunk.start && chunk.start < block.end) ? [at] : [],
    ),
  );
}

/** @param {Extent} extent @param {number} chunk @param {number} tokens @param {boolean} isCut */
function band({ top, bottom }, chunk, tokens, isCut) {
  const element = h(
    "div",
    { class: `pane-band hue-${chunk % HUES}${isCut ? " cut" : ""}`, data: { chunk } },
    h("span", { class: "pane-label numbers" }, h("b", null, chunk + 1), h("span", null, whole(tokens))),
  );
  element.style.top = `${top}px`;
  element.style.height = `${bottom - top}px`;
  return element;
}

/**
 * What a chunk repeats of the one before, row by row, in its own colour.
 * @param {DOMRect[]} boxes @param {number} chunk
 */
function carry(boxes, chunk) {
  const hue = `hue-${chunk % HUES}`;
  const rows = boxes.map((box) => placed(h("div", { class: `pane-carry ${hue}` }), box));
  const last = boxes.at(-1);
  const label = h("div", { class: `pane-carry-label ${hue}` }, h("span", null, `again in ${chunk + 1}`));
  return last ? [...rows, placed(label, new DOMRect(0, last.y, 0, last.height))] : rows;
}

/** @param {HTMLElement} element @param {DOMRect} box A width of 0 leaves it to the style sheet. */
function placed(element, box) {
  element.style.left = `${box.x}px`;
  element.style.top = `${box.y}px`;
  if (box.width > 0) element.style.width = `${box.width}px`;
  element.style.height = `${box.height}px`;
  return element;
}

/** @param {Difference} difference @param {number} top */
function differenceMark({ isHere, side }, top) {
  const look = isHere ? "here" : "there";
  const element = h("div", { class: `pane-difference ${look}` }, h("span", null, `only in ${side}`));
  element.style.top = `${top}px`;
  return element;
}

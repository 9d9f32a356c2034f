/** The text, to be written in, on the bands of its chunks. */

import { h, refill } from "../core/dom.js";
import { CodePoints, whole } from "../core/format.js";
import { parts, t } from "../core/texts.js";
import { drawQuestion, piecesOf, unitsOf } from "./question.js";
import { Ghost, ownSpans, repeatedSpans, spanAt } from "./spans.js";

/** @typedef {import("../types.js").Asked} Asked */
/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {import("./comparison.js").Difference} Difference */
/** @typedef {import("./spans.js").Extent} Extent */
/** @typedef {import("./spans.js").Span} Span */

const HUES = 8;
/** Part of the pane that stays above a place that is brought into sight. */
const ABOVE = 0.3;
/** Pixels above an answer, however long it is: its heading. */
const ROWS_ABOVE = 56;
/** Of more bands or marks than these, only those near the window are drawn. */
const ALL_AT_ONCE = 200;

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
    /** @type {number[]} Where they stand. */
    this.heights = [];
    this.currentDifference = -1;
    this.active = -1;
    /** @type {Extent} What of the paper is drawn. */
    this.drawn = { top: 0, bottom: 0 };
    this.answer = h("div", { class: "pane-answer", "aria-hidden": "true" });
    /** @type {{asked: Asked|null, top: number}} A question, and the best score there is. */
    this.question = { asked: null, top: 0 };
    this.input = h("textarea", {
      class: "pane-text pane-input",
      "aria-label": t("document.label"),
      spellcheck: "false",
      autocomplete: "off",
    });
    this.paper = h("div", { class: "pane-paper" }, this.bands, this.ghost.element, this.marks, this.answer, this.input);
    this.element = h("div", { class: "pane" }, this.paper);
    this.input.addEventListener("input", () => handlers.typed(this.input.value));
    this.element.addEventListener("pointermove", (event) => handlers.pointed(this.#at(event.clientY)));
    this.element.addEventListener("pointerleave", () => handlers.pointed(-1));
    this.element.addEventListener("click", (event) => handlers.chosen(this.#at(event.clientY)));
    this.input.addEventListener(
      "keyup",
      (event) => event.key.startsWith("Arrow") && handlers.chosen(spanAt(this.own, this.input.selectionStart)),
    );
    this.element.addEventListener("scroll", () => this.#drawWhatComes(), { passive: true });
    new ResizeObserver(() => this.#measure()).observe(this.paper);
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
    this.question = { asked: null, top: 0 };
    this.#measure();
  }

  /** Glow by score, and mark the passage that answers a question. @param {Asked|null} asked @param {number} top */
  ask(asked, top) {
    this.question = { asked, top };
    if (this.paper.clientWidth > 0) drawQuestion(this);
  }

  /** Mark where this text and another cut of it differ. @param {Difference[]} differences */
  mark(differences) {
    this.differences = differences;
    this.currentDifference = -1;
    this.#measureDifferences();
    this.#drawDifferences();
  }

  /** @param {number} chunk */
  activate(chunk) {
    this.active = chunk;
    this.bands.querySelector(".pane-band.active")?.classList.remove("active");
    if (chunk >= 0) this.bands.querySelector(`.pane-band[data-chunk="${chunk}"]`)?.classList.add("active");
  }

  /** @param {number} chunk */
  reveal(chunk) {
    const extent = this.extents[chunk];
    if (extent) this.element.scrollTo({ top: Math.max(0, extent.top - 48) });
  }

  /** Where the answer is torn first; null if it is whole. */
  tear() {
    const passage = this.question.asked?.passage;
    return passage ? (piecesOf(passage, unitsOf(passage, this.points), this.own)[1]?.start ?? null) : null;
  }

  /**
   * Bring the answer into sight, so that what stands above it is seen, too; of a long one where it is torn.
   * @param {number} [tear] Of whichever text beside it.
   */
  revealAnswer(tear = this.tear() ?? Infinity) {
    const passage = this.question.asked?.passage;
    if (!passage || this.paper.clientWidth === 0) return;
    const { top, bottom } = this.ghost.measure()(unitsOf(passage, this.points));
    const { clientHeight } = this.element;
    const above = Math.max(ROWS_ABOVE, Math.min((clientHeight - (bottom - top)) / 2, clientHeight * ABOVE));
    const least = Number.isFinite(tear) ? this.ghost.measure()({ start: tear, end: tear + 1 }).bottom + ROWS_ABOVE : 0;
    this.element.scrollTo({ top: Math.max(0, top - above, least - clientHeight) });
  }

  /** Bring a difference into sight, and no other one to the fore. @param {number} at */
  revealDifference(at) {
    this.currentDifference = at;
    this.#drawDifferences();
    this.element.scrollTo({ top: Math.max(0, this.heights[at] - this.element.clientHeight * ABOVE) });
  }

  /** After another text, another result or another width. */
  #measure() {
    if (!this.result || this.paper.clientWidth === 0) return;
    this.extents = this.own.map(this.ghost.measure());
    this.repeated = repeatedSpans(this.points.text, this.result.chunks, this.own);
    this.cut = cutStarts(this.result);
    this.#measureDifferences();
    this.#draw();
  }

  #measureDifferences() {
    const measure = this.ghost.measure();
    this.heights = this.differences.map(({ offset }) => measure({ start: offset, end: offset }).top);
  }

  /** Draw again once the window comes near the end of what is drawn. */
  #drawWhatComes() {
    const { scrollTop, clientHeight } = this.element;
    const { top, bottom } = this.drawn;
    if (scrollTop - clientHeight < top || scrollTop + 2 * clientHeight > bottom) this.#draw();
  }

  #draw() {
    const { result, extents, repeated, cut } = this;
    if (!result || !repeated || !cut) return;
    const { scrollTop, clientHeight } = this.element;
    const isAll = Math.max(extents.length, this.differences.length) <= ALL_AT_ONCE;
    this.drawn = isAll
      ? { top: -Infinity, bottom: Infinity }
      : { top: scrollTop - 3 * clientHeight, bottom: scrollTop + 4 * clientHeight };
    const near = extents.flatMap((extent, at) => (this.#isDrawn(extent) ? [at] : []));
    const repetitions = near.flatMap((at) => {
      const span = repeated[at];
      return span ? carry(this.ghost.boxes(span), at) : [];
    });
    refill(
      this.bands,
      near.map((at) => band(extents[at], at, result.chunks[at].tokens, cut.has(at))),
      repetitions,
    );
    this.activate(this.active);
    this.#drawDifferences();
    drawQuestion(this);
  }

  #drawDifferences() {
    const near = this.heights.flatMap((top, at) => (this.#isDrawn({ top, bottom: top }) ? [at] : []));
    refill(
      this.marks,
      near.map((at) => differenceMark(this.differences[at], this.heights[at], at === this.currentDifference)),
    );
  }

  /** @param {Extent} extent */
  #isDrawn({ top, bottom }) {
    return bottom >= this.drawn.top && top <= this.drawn.bottom;
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
  const words = h("span", null, parts("pane.again", { again: h("i", null, t("pane.again.word")), chunk: chunk + 1 }));
  const label = h("div", { class: `pane-carry-label ${hue}` }, words);
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

/** @param {Difference} difference @param {number} top @param {boolean} isCurrent */
function differenceMark({ isHere, side }, top, isCurrent) {
  const look = `${isHere ? "here" : "there"}${isCurrent ? " current" : ""}`;
  const words = parts("pane.only", { only: h("i", null, t("pane.only.word")), side });
  const element = h("div", { class: `pane-difference ${look}` }, h("span", null, words));
  element.style.top = `${top}px`;
  return element;
}

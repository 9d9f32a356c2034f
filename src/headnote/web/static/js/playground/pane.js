/** The text, to be written in, on the bands of its chunks. */

import { h, refill } from "../core/dom.js";
import { whole } from "../core/format.js";
import { segments } from "./segments.js";

/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {import("./segments.js").Segment} Segment */

const HUES = 8;

export class Pane {
  /**
   * @param {{typed: (text: string) => void, pointed: (chunk: number) => void,
   *   chosen: (chunk: number) => void}} handlers
   */
  constructor(handlers) {
    /** @type {{top: number, bottom: number}[]} */
    this.extents = [];
    /** @type {Chunked|null} */
    this.result = null;
    this.bands = h("div", { class: "pane-bands", "aria-hidden": "true" });
    // Lies behind the textarea and wraps lines in the same places, so that positions can be measured.
    this.ghost = h("pre", { class: "pane-text pane-ghost", "aria-hidden": "true" });
    this.input = h("textarea", {
      class: "pane-text pane-input",
      "aria-label": "Document",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.paper = h("div", { class: "pane-paper" }, this.bands, this.ghost, this.input);
    this.element = h("div", { class: "pane" }, this.paper);
    this.input.addEventListener("input", () => handlers.typed(this.input.value));
    this.element.addEventListener("pointermove", (event) => handlers.pointed(this.#at(event.clientY)));
    this.element.addEventListener("pointerleave", () => handlers.pointed(-1));
    this.element.addEventListener("click", (event) => handlers.chosen(this.#at(event.clientY)));
    this.input.addEventListener("keyup", (event) => event.key.startsWith("Arrow") && handlers.chosen(this.#atCaret()));
    new ResizeObserver(() => this.#measure()).observe(this.paper);
  }

  /** @param {string} text */
  setText(text) {
    if (this.input.value !== text) this.input.value = text;
    if (this.ghost.textContent !== `${text}\n`) refill(this.ghost, `${text}\n`);
  }

  /** @param {string} text @param {Chunked} result */
  show(text, result) {
    this.result = result;
    this.pieces = segments(text, result.chunks);
    // A textarea shows its last line end, a pre does not.
    this.nodes = this.pieces.map((piece) => document.createTextNode(piece.text));
    refill(this.ghost, this.nodes, "\n");
    this.#measure();
  }

  /** @param {number} chunk */
  activate(chunk) {
    for (const band of this.bands.querySelectorAll(".pane-band")) {
      band.classList.toggle("active", Number(/** @type {HTMLElement} */ (band).dataset.chunk) === chunk);
    }
  }

  /** @param {number} chunk */
  reveal(chunk) {
    const extent = this.extents[chunk];
    if (extent) this.element.scrollTo({ top: Math.max(0, extent.top - 48) });
  }

  #measure() {
    const { result, pieces, nodes } = this;
    if (!result || !pieces || !nodes || this.paper.clientWidth === 0) return;
    const row = rowsOf(this.ghost);
    /** @type {{top: number, bottom: number}[]} */
    const own = result.chunks.map(() => ({ top: Infinity, bottom: -Infinity }));
    /** @type {Map<number, {top: number, bottom: number}>} */
    const carried = new Map();
    pieces.forEach((piece, at) => {
      const mine = own[piece.own];
      if (!mine && piece.carried < 0) return;
      const extent = row(nodes[at]);
      if (mine) [mine.top, mine.bottom] = [Math.min(mine.top, extent.top), Math.max(mine.bottom, extent.bottom)];
      const before = carried.get(piece.carried);
      if (before)
        [before.top, before.bottom] = [Math.min(before.top, extent.top), Math.max(before.bottom, extent.bottom)];
      else if (piece.carried >= 0) carried.set(piece.carried, extent);
    });
    this.extents = own;
    const cuts = cutStarts(result);
    const bands = own.map(
      (extent, at) => Number.isFinite(extent.top) && band(extent, at, result.chunks[at].tokens, cuts.has(at)),
    );
    const carries = [...carried].map(([chunk, extent]) => carry(extent, chunk));
    refill(this.bands, bands, carries);
  }

  /** @param {number} clientY */
  #at(clientY) {
    const y = clientY - this.paper.getBoundingClientRect().top;
    return this.extents.findIndex(({ top, bottom }) => y >= top && y < bottom);
  }

  #atCaret() {
    let left = this.input.selectionStart;
    const piece = this.pieces?.find(({ text }) => {
      left -= text.length;
      return left < 0;
    });
    return piece ? piece.own : -1;
  }
}

/** From a piece of text to the rows it fills, in pixels. @param {HTMLElement} ghost */
function rowsOf(ghost) {
  const style = getComputedStyle(ghost);
  const height = parseFloat(style.lineHeight);
  const padding = parseFloat(style.paddingTop);
  const zero = ghost.getBoundingClientRect().top + padding;
  const range = document.createRange();
  /** @param {Text} node @param {number} at */
  const rowAt = (node, at) => {
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const box = range.getClientRects()[0] ?? range.getBoundingClientRect();
    return Math.max(0, Math.floor((box.top + box.height / 2 - zero) / height));
  };
  return (/** @type {Text} */ node) => {
    const text = node.data;
    const first = text.length - text.trimStart().length;
    const last = text.trimEnd().length - 1;
    const from = last < first ? 0 : first;
    const to = last < first ? text.length - 1 : last;
    return { top: padding + rowAt(node, from) * height, bottom: padding + (rowAt(node, to) + 1) * height };
  };
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

/** @param {{top: number, bottom: number}} extent @param {number} chunk @param {number} tokens @param {boolean} isCut */
function band({ top, bottom }, chunk, tokens, isCut) {
  const element = h(
    "div",
    { class: `pane-band hue-${chunk % HUES}${isCut ? " cut" : ""}`, data: { chunk } },
    h("span", { class: "pane-label numbers" }, h("b", null, chunk + 1), h("span", null, whole(tokens))),
  );
  element.style.setProperty("top", `${top}px`);
  element.style.setProperty("height", `${bottom - top}px`);
  return element;
}

/** @param {{top: number, bottom: number}} extent @param {number} chunk */
function carry({ top, bottom }, chunk) {
  const element = h("div", { class: `pane-carry hue-${chunk % HUES}` }, h("span", null, `also in ${chunk + 1}`));
  element.style.setProperty("top", `${top}px`);
  element.style.setProperty("height", `${bottom - top}px`);
  return element;
}

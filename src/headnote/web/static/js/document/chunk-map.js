/** The chunks of a document as a thin stripe beside its text, which tells about a chunk where it is asked. */

import { h, refill } from "../core/dom.js";
import { inLines } from "../core/format.js";
import { t } from "../core/texts.js";

/** @typedef {import("../types.js").ChunkPlace} ChunkPlace */

// -- Where in a rendered document a line of its source is

/**
 * Lines, and pixels from the top; of a block, with what it is.
 * @typedef {{first: number, last: number, top: number, bottom: number, element?: Element}} Stretch
 */

/** The blocks of a piece are measured when somebody asks for one of its lines. */
class LineMap {
  /** @param {HTMLElement} article */
  constructor(article) {
    this.article = article;
    this.pieces = /** @type {HTMLElement[]} */ ([...article.children]);
    this.firsts = this.pieces.map((piece) => Number(piece.getAttribute("data-from")));
    /** @type {Map<number, {stretches: Stretch[], firsts: number[]}>} By the number of the piece. */
    this.measured = new Map();
  }

  /** Upper edge of a line. @param {number} line */
  top(line) {
    const piece = this.#pieceOf(line);
    const { stretches, firsts } = this.#blocks(piece);
    const at = lastUpTo(firsts, line);
    if (at < 0) return stretches[0]?.top ?? 0;
    if (line > stretches[at].last)
      return stretches[at + 1]?.top ?? this.#blocks(piece + 1).stretches[0]?.top ?? stretches[at].bottom;
    const { first, last, top, bottom } = this.#part(stretches[at], line);
    return top + ((bottom - top) * (line - first)) / (last - first + 1);
  }

  /** Lower edge of a line. @param {number} line */
  bottom(line) {
    const { stretches, firsts } = this.#blocks(this.#pieceOf(line));
    const at = lastUpTo(firsts, line);
    if (at < 0) return stretches[0]?.top ?? 0;
    if (line >= stretches[at].last) return stretches[at].bottom;
    const { first, last, top, bottom } = this.#part(stretches[at], line);
    return line >= last ? bottom : top + ((bottom - top) * (line - first + 1)) / (last - first + 1);
  }

  /**
   * The first line of the pieces that lie between two heights of the window, and that of what follows.
   * @param {number} above @param {number} below
   */
  linesBetween(above, below) {
    const near = this.pieces.flatMap((piece, at) => {
      const { top, bottom } = piece.getBoundingClientRect();
      return bottom >= above && top <= below ? [at] : [];
    });
    if (near.length === 0) return { first: 1, end: this.firsts[1] ?? Infinity };
    return { first: near[0] === 0 ? 1 : this.firsts[near[0]], end: this.firsts[near[near.length - 1] + 1] ?? Infinity };
  }

  /** @param {number} line */
  #pieceOf(line) {
    return Math.max(lastUpTo(this.firsts, line), 0);
  }

  /** The blocks of a piece, in order; none behind the last. @param {number} at */
  #blocks(at) {
    const known = this.measured.get(at);
    if (known) return known;
    const piece = this.pieces[at];
    const stretches = piece ? stretchesOf(piece, this.article.getBoundingClientRect().top) : [];
    const blocks = { stretches, firsts: stretches.map(({ first }) => first) };
    this.measured.set(at, blocks);
    return blocks;
  }

  /**
   * What a line is in a block of several: the row of a table, the item of a list, the line of code. Only a reader who
   * is led to a line asks.
   * @param {Stretch} stretch @param {number} line @returns {Stretch}
   */
  #part(stretch, line) {
    const { element, first, last } = stretch;
    if (!element || first === last) return stretch;
    const zero = this.article.getBoundingClientRect().top;
    const all = [...element.querySelectorAll("[data-start-line]")].map((one) => ({ one, ...linesOf(one) }));
    const inside = all.filter((part) => part.first <= line && part.last >= line).at(-1);
    const code = codeLines(inside?.one ?? element, inside ?? stretch, line, zero);
    if (code || !inside) return code ?? stretch;
    const { top, bottom } = inside.one.getBoundingClientRect();
    // Text of an item, above the items inside of it.
    const below = all.find((part) => part.first > line && part.first <= inside.last);
    const edge = below?.one.getBoundingClientRect().top ?? bottom;
    const end = below ? below.first - 1 : inside.last;
    return { first: inside.first, last: end, top: top - zero, bottom: edge - zero };
  }
}

/** The place of the last number that is no larger; -1 if all are. @param {number[]} numbers @param {number} most */
function lastUpTo(numbers, most) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {HTMLElement} piece @param {number} zero The upper edge of the article. */
function stretchesOf(piece, zero) {
  /** @type {Stretch[]} */
  const stretches = [];
  // A piece that is not drawn yet keeps the place of its lines.
  const blocks = piece.hasAttribute("data-first-line") ? [piece] : piece.querySelectorAll("[data-start-line]");
  for (const block of blocks) {
    // Folded elements have a position, but are not visible.
    if (!block.checkVisibility()) continue;
    const first = Number(block.getAttribute("data-start-line") ?? block.getAttribute("data-first-line"));
    const last = Number(block.getAttribute("data-end-line") ?? block.getAttribute("data-last-line") ?? first);
    const { top, bottom } = block.getBoundingClientRect();
    const before = stretches.at(-1);
    // Nested blocks are part of the block around them.
    if (before && first <= before.last) continue;
    stretches.push({ first, last: Math.max(first, last), top: top - zero, bottom: bottom - zero, element: block });
  }
  return stretches;
}

/** @param {Element} block */
function linesOf(block) {
  const first = Number(block.getAttribute("data-start-line"));
  return { first, last: Math.max(first, Number(block.getAttribute("data-end-line"))) };
}

/**
 * One line of code; null for anything else, and where lines are wrapped. A fence has a line before and one after.
 * @param {Element} block @param {{first: number, last: number}} place @param {number} line
 * @param {number} zero @returns {Stretch|null}
 */
function codeLines(block, { first, last }, line, zero) {
  const pre = block.matches("pre") ? block : block.querySelector(":scope > pre");
  const text = pre?.querySelector("code")?.textContent?.replace(/\n$/, "");
  if (!pre || text === undefined || pre.matches(".source")) return null;
  const count = text.split("\n").length;
  const begin = first + (last - first + 1 > count ? 1 : 0);
  const style = getComputedStyle(pre);
  const height = parseFloat(style.lineHeight);
  const inner = pre.getBoundingClientRect().top - zero + pre.clientTop + pre.clientHeight;
  const bottom = inner - parseFloat(style.paddingBottom);
  const at = Math.min(Math.max(line - begin, 0), count - 1);
  const top = bottom - (count - at) * height;
  return { first: line, last: line, top, bottom: top + height };
}

// -- The bands

const HUES = 8;
const MIN_HEIGHT = 24;
const GAP = 3;
/** Windows above and below, in which bands are drawn. */
const NEAR = 1.5;

export class ChunkMap {
  /** @param {HTMLElement} article Shares its top edge with the map. */
  constructor(article) {
    this.article = article;
    /** @type {ChunkPlace[]} */
    this.chunks = [];
    /** Those near the window, by number. @type {Map<number, {top: number, bottom: number}>} */
    this.extents = new Map();
    /** @type {Map<number, HTMLButtonElement>} */
    this.bands = new Map();
    /**
     * Number of the highlighted chunk; -1 for none, undefined before the first document.
     * @type {number|undefined}
     */
    this.active = undefined;
    this.lineMap = new LineMap(article);
    this.element = h("div", { class: "chunk-map", role: "group", "aria-label": t("chunk.all") });
    this.glow = h("div", { class: "chunk-glow", "aria-hidden": "true" });
    new ResizeObserver(() => this.measure()).observe(article);
  }

  /** @param {ChunkPlace[]} chunks */
  show(chunks) {
    this.chunks = chunks;
    this.bands = new Map();
    this.active = undefined;
    this.activate(-1);
    this.measure();
  }

  measure() {
    this.lineMap = new LineMap(this.article);
    this.#draw();
  }

  /** Draw the bands that have come near the window. */
  follow() {
    const near = this.#near();
    if (near.some((at) => !this.extents.has(at))) this.#draw(near);
  }

  /** The chunks of the pieces near the window. */
  #near() {
    const reach = NEAR * window.innerHeight;
    const { first, end } = this.lineMap.linesBetween(-reach, window.innerHeight + reach);
    return this.chunks.flatMap((chunk, at) => (chunk.end_line >= first && chunk.start_line < end ? [at] : []));
  }

  #draw(near = this.#near()) {
    const focused = document.activeElement;
    this.extents = new Map(
      near.map((at) => {
        const top = this.lineMap.top(this.chunks[at].start_line);
        return [at, { top, bottom: Math.max(top, this.lineMap.bottom(this.chunks[at].end_line)) }];
      }),
    );
    const before = this.bands;
    this.bands = new Map(near.map((at) => [at, before.get(at) ?? this.#band(this.chunks[at], at)]));
    let edge = 0;
    for (const [at, { top, bottom }] of this.extents) {
      const band = this.bands.get(at);
      // Chunks without visible text, such as frontmatter, still get a band.
      const start = Math.max(top, edge);
      const height = Math.max(MIN_HEIGHT, bottom - start - GAP);
      band?.style.setProperty("top", `${start}px`);
      band?.style.setProperty("height", `${height}px`);
      edge = start + height + GAP;
    }
    this.element.style.setProperty("min-height", `${edge}px`);
    const shown = [...this.bands.values()];
    if (shown.length === this.element.children.length && shown.every(({ parentNode }) => parentNode)) return;
    refill(this.element, shown);
    // What is moved in the page loses the focus.
    if (focused instanceof HTMLElement && this.element.contains(focused)) focused.focus({ preventScroll: true });
  }

  /** Light up one chunk; -1 for none. @param {number} at */
  activate(at) {
    if (at === this.active) return;
    this.active = at;
    for (const [number, band] of this.bands) band.classList.toggle("active", number === at);
    const extent = this.extents.get(at);
    this.glow.hidden = !extent;
    if (!extent) return;
    this.glow.className = `chunk-glow hue-${at % HUES}`;
    this.glow.style.setProperty("top", `${extent.top}px`);
    this.glow.style.setProperty("height", `${extent.bottom - extent.top}px`);
  }

  /** Go to the next or the previous chunk, from where the reader is. @param {1|-1} step */
  step(step) {
    const drawn = [...this.bands];
    const focused = drawn.find(([, band]) => band === document.activeElement);
    const middle = window.innerHeight / 3;
    const from = focused ? focused[0] + step : Math.max(0, this.#at(middle));
    const at = Math.min(this.chunks.length - 1, Math.max(0, from));
    const band = this.bands.get(at) ?? drawn.at(-1)?.[1];
    band?.focus({ preventScroll: true });
    band?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} clientY */
  #at(clientY) {
    const y = clientY - this.article.getBoundingClientRect().top;
    const inside = [...this.extents].find(([, { top, bottom }]) => y >= top && y < bottom);
    return inside ? inside[0] : -1;
  }

  /** @param {ChunkPlace} chunk @param {number} at */
  #band(chunk, at) {
    const name = chunk.breadcrumb.split(" > ").at(-1);
    const size = t("count.tokens", { count: chunk.tokens });
    const number = String(chunk.index + 1);
    const band = h(
      "button",
      { type: "button", class: `band hue-${at % HUES}`, "aria-label": describe(chunk, this.chunks.length) },
      h(
        "span",
        { class: "band-label" },
        h("span", { class: "band-size numbers" }, h("b", null, t("chunk.number", { number })), ` · ${size}`),
        name && h("span", { class: "band-name" }, name),
        h("span", { class: "band-reason", dir: "auto" }, reason(chunk)),
      ),
    );
    band.addEventListener("focus", () => this.activate(at));
    band.addEventListener("blur", () => this.activate(-1));
    band.addEventListener("pointerenter", () => this.activate(at));
    band.addEventListener("pointerleave", () => document.activeElement !== band && this.activate(-1));
    return band;
  }
}

/** Why the document is cut where it begins. @param {ChunkPlace} chunk */
function reason({ index, part }) {
  if (part) return t("chunk.cut.long", { part: String(part + 1) });
  if (part === 0) return t("chunk.cut.first");
  return index > 0 ? t("chunk.cut.section") : "";
}

/** @param {ChunkPlace} chunk @param {number} count */
function describe(chunk, count) {
  const size = t("count.tokens", { count: chunk.tokens });
  const lines = inLines(chunk.start_line, chunk.end_line);
  const described = t("chunk.described", { number: chunk.index + 1, total: count, size, lines });
  const named = chunk.breadcrumb ? `${described}, ${chunk.breadcrumb}` : described;
  return `${named}. ${reason(chunk)}`.trim();
}

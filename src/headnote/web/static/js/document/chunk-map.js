/** The chunks of a document as a thin stripe beside its text, which tells about a chunk where it is asked. */

import { h, refill } from "../core/dom.js";
import { lines, plural } from "../core/format.js";

/** @typedef {import("../types.js").ChunkPlace} ChunkPlace */

// -- Where in a rendered document a line of its source is

/**
 * Lines, and pixels from the top; of a block, with what it is.
 * @typedef {{first: number, last: number, top: number, bottom: number, element?: Element}} Stretch
 */

class LineMap {
  /** @param {HTMLElement} article */
  constructor(article) {
    this.article = article;
    const zero = article.getBoundingClientRect().top;
    /** @type {Stretch[]} */
    this.stretches = [];
    for (const block of article.querySelectorAll("[data-start-line], [data-first-line]")) {
      // Folded elements have a position, but are not visible.
      if (!block.checkVisibility()) continue;
      // A piece that is not drawn yet keeps the place of its lines.
      const first = Number(block.getAttribute("data-start-line") ?? block.getAttribute("data-first-line"));
      const last = Number(block.getAttribute("data-end-line") ?? block.getAttribute("data-last-line") ?? first);
      const { top, bottom } = block.getBoundingClientRect();
      const before = this.stretches.at(-1);
      // Nested blocks are part of the block around them.
      if (before && first <= before.last) continue;
      const place = { top: top - zero, bottom: bottom - zero };
      this.stretches.push({ first, last: Math.max(first, last), ...place, element: block });
    }
    this.height = article.getBoundingClientRect().height;
  }

  /** Upper edge of a line. @param {number} line */
  top(line) {
    const at = this.#find(line);
    if (at < 0) return this.stretches[0]?.top ?? 0;
    if (line > this.stretches[at].last) return this.stretches[at + 1]?.top ?? this.stretches[at].bottom;
    const { first, last, top, bottom } = this.#part(this.stretches[at], line);
    return top + ((bottom - top) * (line - first)) / (last - first + 1);
  }

  /** Lower edge of a line. @param {number} line */
  bottom(line) {
    const at = this.#find(line);
    if (at < 0) return this.stretches[0]?.top ?? 0;
    if (line >= this.stretches[at].last) return this.stretches[at].bottom;
    const { first, last, top, bottom } = this.#part(this.stretches[at], line);
    return line >= last ? bottom : top + ((bottom - top) * (line - first + 1)) / (last - first + 1);
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

  /** The last block that begins at or before a line; -1 before the first. @param {number} line */
  #find(line) {
    let low = 0;
    let high = this.stretches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.stretches[middle].first <= line) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
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

export class ChunkMap {
  /** @param {HTMLElement} article Shares its top edge with the map. */
  constructor(article) {
    this.article = article;
    /** @type {ChunkPlace[]} */
    this.chunks = [];
    /** @type {{top: number, bottom: number}[]} */
    this.extents = [];
    /** @type {HTMLButtonElement[]} */
    this.bands = [];
    /**
     * Number of the highlighted chunk; -1 for none, undefined before the first document.
     * @type {number|undefined}
     */
    this.active = undefined;
    this.lineMap = new LineMap(article);
    this.element = h("div", { class: "chunk-map", role: "group", "aria-label": "Chunks of this document" });
    this.glow = h("div", { class: "chunk-glow", "aria-hidden": "true" });
    new ResizeObserver(() => this.measure()).observe(article);
  }

  /** @param {ChunkPlace[]} chunks */
  show(chunks) {
    this.chunks = chunks;
    this.bands = chunks.map((chunk, at) => this.#band(chunk, at));
    refill(this.element, this.bands);
    this.active = undefined;
    this.activate(-1);
    this.measure();
  }

  measure() {
    this.lineMap = new LineMap(this.article);
    let edge = 0;
    this.extents = this.chunks.map((chunk) => {
      const top = this.lineMap.top(chunk.start_line);
      return { top, bottom: Math.max(top, this.lineMap.bottom(chunk.end_line)) };
    });
    this.bands.forEach((band, at) => {
      const { top, bottom } = this.extents[at];
      // Chunks without visible text, such as frontmatter, still get a band.
      const start = Math.max(top, edge);
      const height = Math.max(MIN_HEIGHT, bottom - start - GAP);
      band.style.setProperty("top", `${start}px`);
      band.style.setProperty("height", `${height}px`);
      edge = start + height + GAP;
    });
    this.element.style.setProperty("min-height", `${edge}px`);
  }

  /** Light up one chunk; -1 for none. @param {number} at */
  activate(at) {
    if (at === this.active) return;
    this.active = at;
    this.bands.forEach((band, i) => band.classList.toggle("active", i === at));
    const extent = this.extents[at];
    this.glow.hidden = !extent;
    if (!extent) return;
    this.glow.className = `chunk-glow hue-${at % HUES}`;
    this.glow.style.setProperty("top", `${extent.top}px`);
    this.glow.style.setProperty("height", `${extent.bottom - extent.top}px`);
  }

  /** Go to the next or the previous chunk, from where the reader is. @param {1|-1} step */
  step(step) {
    const focused = this.bands.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const middle = window.innerHeight / 3;
    const from = focused >= 0 ? focused + step : Math.max(0, this.#at(middle));
    const band = this.bands[Math.min(this.bands.length - 1, Math.max(0, from))];
    band?.focus({ preventScroll: true });
    band?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} clientY */
  #at(clientY) {
    const y = clientY - this.article.getBoundingClientRect().top;
    return this.extents.findIndex(({ top, bottom }) => y >= top && y < bottom);
  }

  /** @param {ChunkPlace} chunk @param {number} at */
  #band(chunk, at) {
    const name = chunk.breadcrumb.split(" > ").at(-1);
    const band = h(
      "button",
      { type: "button", class: `band hue-${at % HUES}`, "aria-label": describe(chunk, this.chunks.length) },
      h(
        "span",
        { class: "band-label" },
        h("span", { class: "band-size numbers" }, h("b", null, chunk.index + 1), ` ${plural(chunk.tokens, "token")}`),
        name && h("span", { class: "band-name" }, name),
      ),
    );
    band.addEventListener("focus", () => this.activate(at));
    band.addEventListener("blur", () => this.activate(-1));
    band.addEventListener("pointerenter", () => this.activate(at));
    band.addEventListener("pointerleave", () => document.activeElement !== band && this.activate(-1));
    return band;
  }
}

/** @param {ChunkPlace} chunk @param {number} count */
function describe(chunk, count) {
  const path = chunk.breadcrumb ? `, ${chunk.breadcrumb}` : "";
  const range = lines(chunk.start_line, chunk.end_line);
  return `Chunk ${chunk.index + 1} of ${count}, ${plural(chunk.tokens, "token")}, lines ${range}${path}`;
}

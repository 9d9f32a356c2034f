/** The chunks of a document as bands beside its text. */

import { h, refill } from "../core/dom.js";
import { lines, plural } from "../core/format.js";
import { LineMap } from "./line-map.js";

/** @typedef {import("../types.js").ChunkPlace} ChunkPlace */

const HUES = 8;
const LEAST_HEIGHT = 26;
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
    this.caption = h("p", { class: "chunk-caption small", hidden: true });
    this.glow = h("div", { class: "chunk-glow", "aria-hidden": "true" });
    new ResizeObserver(() => this.measure()).observe(article);
    article.addEventListener("pointermove", (event) => this.activate(this.#at(event.clientY)));
    article.addEventListener("pointerleave", () => this.activate(-1));
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
      const height = Math.max(LEAST_HEIGHT, bottom - start - GAP);
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
    this.caption.hidden = !extent;
    if (!extent) return;
    this.glow.className = `chunk-glow hue-${at % HUES}`;
    this.glow.style.setProperty("top", `${extent.top}px`);
    this.glow.style.setProperty("height", `${extent.bottom - extent.top}px`);
    this.caption.textContent = describe(this.chunks[at], this.chunks.length);
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

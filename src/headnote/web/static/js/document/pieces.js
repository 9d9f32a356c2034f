/** The pieces of a document: the first comes with it, the others are fetched when they come near the window. */

import { get } from "../core/api.js";
import { h, refill } from "../core/dom.js";
import { t } from "../core/texts.js";
import { enhance, fillCleaned } from "../drawing/enhancers.js";

/** @typedef {import("../types.js").DocumentPage} DocumentPage */
/** @typedef {{start_line: number, end_line: number, characters: number}} Piece */

const REACH = "1500px 0px";
const USUAL_HEIGHT = 0.4; // pixels per character

export class Pieces {
  /** @param {HTMLElement} article @param {() => void} outdated Called when the document has changed meanwhile. */
  constructor(article, outdated) {
    this.article = article;
    this.outdated = outdated;
    this.path = "";
    /** @type {Piece[]} */
    this.pieces = [];
    /** @type {HTMLElement[]} */
    this.elements = [];
    /** What is drawn, by number. @type {Map<number, string>} */
    this.drawn = new Map();
    /** What is being fetched, by number. @type {Map<number, Promise<void>>} */
    this.coming = new Map();
    this.observer = new IntersectionObserver((entries) => this.#near(entries), { rootMargin: REACH });
  }

  /** @param {DocumentPage} page */
  show({ path, pieces, html }) {
    const heights = this.path === path ? this.elements.map((element) => element.offsetHeight) : [];
    this.observer.disconnect();
    this.coming = new Map();
    this.drawn = new Map();
    this.path = path;
    this.pieces = pieces;
    this.elements = pieces.map((piece, at) => h("div", { class: "piece", data: { from: at && piece.start_line } }));
    refill(this.article, this.elements);
    if (pieces.length > 0) this.#fill(0, html);
    const density = pieces.length > 1 ? this.elements[0].offsetHeight / pieces[0].characters : USUAL_HEIGHT;
    for (let at = 1; at < pieces.length; at += 1) this.#wait(at, heights[at] || density * pieces[at].characters);
  }

  /** Draw the piece with a line; null if it is there. @param {number} line @returns {Promise<void>|null} */
  draw(line) {
    const at = this.pieces.findLastIndex((piece) => piece.start_line <= line);
    return at < 0 || this.drawn.has(at) ? null : this.#fetch(at);
  }

  /** Draw anew what was embedded from documents that have changed. */
  update() {
    for (const at of this.drawn.keys()) {
      if (at === 0 || !this.elements[at].querySelector(".embed")) continue;
      this.coming.delete(at);
      void this.#fetch(at);
    }
  }

  /** Draw all that is not there yet. */
  async drawAll() {
    for (let at = 0; at < this.pieces.length; at += 1) if (!this.drawn.has(at)) await this.#fetch(at);
  }

  /** Draw the last piece, which has the footnotes; null if it is there. @returns {Promise<void>|null} */
  drawLast() {
    return this.draw(Infinity);
  }

  /**
   * Keep the place of a piece. It is not a block: nothing of its lines can be seen.
   * @param {number} at @param {number} height
   */
  #wait(at, height) {
    const element = this.elements[at];
    element.setAttribute("data-first-line", String(this.pieces[at].start_line));
    element.setAttribute("data-last-line", String(this.pieces[at].end_line));
    element.style.setProperty("height", `${Math.round(height)}px`);
    this.observer.observe(element);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #near(entries) {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) void this.#fetch(this.elements.indexOf(/** @type {HTMLElement} */ (target)));
  }

  /** @param {number} at @returns {Promise<void>} */
  #fetch(at) {
    const known = this.coming.get(at);
    if (known) return known;
    const coming = this.coming;
    const fetched = get("/api/piece", { path: this.path, number: at })
      .then((answer) => {
        if (coming !== this.coming) return;
        const { start_line, end_line } = this.pieces[at];
        if (answer.start_line === start_line && answer.end_line === end_line) return this.#fill(at, answer.html);
        coming.delete(at);
        this.outdated();
      })
      .catch(() => {
        if (coming !== this.coming) return;
        coming.delete(at);
        if (!this.drawn.has(at)) this.#offer(at);
      });
    coming.set(at, fetched);
    return fetched;
  }

  /** @param {number} at @param {string} html */
  #fill(at, html) {
    if (this.drawn.get(at) === html) return;
    this.drawn.set(at, html);
    const element = this.elements[at];
    this.observer.unobserve(element);
    element.removeAttribute("data-first-line");
    element.removeAttribute("data-last-line");
    element.style.removeProperty("height");
    fillCleaned(element, html);
    enhance(element);
  }

  /** Say that a piece is missing, and fetch it again when asked to. @param {number} at */
  #offer(at) {
    const again = h("button", { type: "button", class: "button" }, t("button.again"));
    again.addEventListener("click", () => void this.#fetch(at));
    refill(this.elements[at], h("p", { class: "soft" }, t("piece.failed"), " ", again));
  }
}

/** The words of a query, marked in the document that it has found, and the way from one to the next. */

import { get, Latest } from "../core/api.js";
import { announce, h, nameWithKey, svg } from "../core/dom.js";
import { t } from "../core/texts.js";
import { reveal } from "../drawing/tabs.js";

// -- Where in a rendered document the words stand that the server found in its lines
//
// Which words these are is decided by the server alone. Here each is looked up in the block that shows its line, one
// after the other as they are written.

/** @typedef {{line: number, text: string}} FoundWord */
/** @typedef {{first: number, last: number, element: Element}} Block */

/** Text that is not the document's own, or is drawn as something else than text. */
const FOREIGN = ".math, .katex, .embed, button, svg, [data-added]";
const LETTER = /[\p{L}\p{N}_]/u;
const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Bopomofo}ー]/u;
const SOUTH_EAST_ASIAN = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Khmer}]/u;

/**
 * The place of each word: a range, null where a block is drawn and does not show the word, undefined where nothing is
 * drawn of its line.
 * @param {Element} article @param {FoundWord[]} words In the order of their lines.
 * @returns {(Range|null|undefined)[]}
 */
function placesOf(article, words) {
  /** @type {(Range|null|undefined)[]} */
  const places = words.map(() => undefined);
  for (const { first, last, element } of blocksOf(article)) {
    const from = firstAt(words, first);
    const to = firstAt(words, last + 1);
    if (from === to) continue;
    const text = new BlockText(element);
    for (let at = from; at < to; at += 1) places[at] = text.next(words[at].text) ?? places[at] ?? null;
  }
  return places;
}

/** The outermost blocks that know their lines; none of a document that is embedded. @param {Element} article */
export function* blocksOf(article) {
  for (const element of article.querySelectorAll("[data-start-line]")) {
    if (element.parentElement?.closest("[data-start-line], .embed")) continue;
    const first = Number(element.getAttribute("data-start-line"));
    yield { first, last: Math.max(first, Number(element.getAttribute("data-end-line"))), element };
  }
}

/** The first word at or after a line. @param {FoundWord[]} words @param {number} line */
function firstAt(words, line) {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle].line < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The text of a block, which may lie in many elements, and how far it was looked through. */
class BlockText {
  /** @param {Element} element */
  constructor(element) {
    /** @type {Text[]} */
    this.nodes = [];
    /** @type {number[]} Where each node begins. */
    this.starts = [];
    this.text = "";
    this.at = 0;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node instanceof Element && node.matches(FOREIGN) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!(node instanceof Text)) continue;
      this.starts.push(this.text.length);
      this.nodes.push(node);
      this.text += node.data;
    }
  }

  /** The next place of a word. @param {string} word */
  next(word) {
    for (let start = this.text.indexOf(word, this.at); start >= 0; start = this.text.indexOf(word, start + 1)) {
      const end = start + word.length;
      if (isInsideWord(this.text, start) || isInsideWord(this.text, end)) continue;
      this.at = end;
      const range = document.createRange();
      range.setStart(...this.#place(start, true));
      range.setEnd(...this.#place(end, false));
      return range;
    }
    return null;
  }

  /** @param {number} offset @param {boolean} isStart @returns {[Text, number]} */
  #place(offset, isStart) {
    const after = this.starts.findIndex((start) => (isStart ? start > offset : start >= offset));
    const at = after < 0 ? this.nodes.length - 1 : Math.max(after - 1, 0);
    return [this.nodes[at], offset - this.starts[at]];
  }
}

/** Whether a word goes on across a place. @param {string} text @param {number} at */
function isInsideWord(text, at) {
  return [text[at - 1] ?? "", text[at] ?? ""].every(isOfWord);
}

/** Whether words with this letter have blanks around them. @param {string} letter */
const isOfWord = (letter) => LETTER.test(letter) && !EAST_ASIAN.test(letter) && !SOUTH_EAST_ASIAN.test(letter);

// -- The marks

const ALL = "found-words";
const CURRENT = "found-word";
const ANNOUNCED = 90;

export class FoundWords {
  /**
   * @param {HTMLElement} article
   * @param {{seek: (line: number) => void, forget: () => void}} reader `seek` shows a line that may not be drawn yet,
   *   `forget` removes the query from the address.
   */
  constructor(article, reader) {
    this.article = article;
    this.reader = reader;
    this.latest = new Latest();
    this.asked = "";
    this.line = 0;
    /** @type {FoundWord[]} */
    this.words = [];
    this.total = 0;
    /** @type {(Range|null|undefined)[]} */
    this.places = [];
    /** The word that the reader is at; -1 before the first step. */
    this.current = -1;
    /** Whether to go to the current word as soon as it is drawn. */
    this.waits = false;
    this.count = h("span", { class: "found-count numbers" });
    this.bar = h(
      "div",
      { class: "found-bar", role: "group", "aria-label": t("match.label"), hidden: true },
      this.count,
      button(t("match.previous"), "p", "m5 12 5-5 5 5", () => this.step(-1)),
      button(t("match.next"), "n", "m5 8 5 5 5-5", () => this.step(1)),
      button(t("match.clear"), "Esc", "m5.5 5.5 9 9m0-9-9 9", () => this.reader.forget()),
    );
    let isPlanned = false;
    new MutationObserver(() => {
      if (isPlanned || this.words.length === 0) return;
      isPlanned = true;
      requestAnimationFrame(() => {
        isPlanned = false;
        this.#locate();
      });
    }).observe(article, { childList: true, subtree: true, characterData: true });
  }

  /**
   * Mark the words of a query; none without one.
   * @param {string} path @param {string} query @param {number} line Where the reader is led to, or 0.
   */
  show(path, query, line) {
    const asked = query ? `${path}\n${query}` : "";
    const isOther = asked !== this.asked;
    const isElsewhere = isOther || line !== this.line;
    this.asked = asked;
    this.line = line;
    if (isOther) this.#take([], 0);
    if (!asked) {
      this.latest.stop();
      return;
    }
    this.latest.run(0, (signal) => get("/api/found", { path, q: query }, signal), {
      done: ({ words, total }) => {
        this.#take(words, total);
        if (isElsewhere) this.#start(line);
      },
      // The document is readable without marks.
      failed: () => this.#take([], 0),
    });
  }

  hide() {
    this.latest.stop();
    this.asked = "";
    this.#take([], 0);
  }

  /** Go to the next or the previous word. @param {1|-1} by @returns {false|void} */
  step(by) {
    const shown = this.#shown();
    if (shown.length === 0) return false;
    const after = shown.findIndex((at) => at > this.current);
    const place = shown.indexOf(this.current);
    const from = place >= 0 ? place + by : by > 0 ? Math.max(after, 0) : after - 1;
    this.current = /** @type {number} */ (shown.at(from % shown.length));
    this.#paint();
    this.#go();
    announce(`${this.count.textContent}: ${this.#context()}`);
  }

  /** Begin at the first word of the passage that was opened. @param {number} line */
  #start(line) {
    const shown = this.#shown();
    this.current = line > 0 ? (shown.find((at) => at >= firstAt(this.words, line)) ?? -1) : -1;
    this.#paint();
    if (shown.length > 0) announce(t("match.announced", { count: shown.length }));
  }

  /** @param {FoundWord[]} words @param {number} total */
  #take(words, total) {
    if (words.length === 0 || this.current >= words.length) this.current = -1;
    this.words = words;
    this.total = total;
    this.#locate();
  }

  #locate() {
    this.places = placesOf(this.article, this.words);
    this.#paint();
    if (this.waits && this.places[this.current]) this.#go();
  }

  /** The words that can be gone to: some stand where nobody sees them, as in the source of a formula. */
  #shown() {
    return this.words.flatMap((_, at) => (this.places[at] === null ? [] : [at]));
  }

  #paint() {
    const shown = this.#shown();
    const place = shown.indexOf(this.current);
    const hidden = this.words.length - shown.length;
    const count = this.total - hidden;
    this.bar.hidden = shown.length === 0;
    this.count.textContent =
      place < 0 ? t("match.count", { count }) : t("match.at", { place: place + 1, count });
    if (!("highlights" in CSS)) return;
    const ranges = this.places.filter((range) => range instanceof Range);
    const current = this.places[this.current];
    CSS.highlights.set(ALL, new Highlight(...ranges));
    CSS.highlights.set(CURRENT, new Highlight(...(current ? [current] : [])));
    /** @type {Highlight} */ (CSS.highlights.get(CURRENT)).priority = 1;
  }

  /** Show the current word, or its line until it is drawn. */
  #go() {
    const range = this.places[this.current];
    this.waits = !range;
    if (!range) {
      this.reader.seek(this.words[this.current].line);
      return;
    }
    reveal(range.startContainer);
    scrollTo(range);
    // Tab goes on from here.
    getSelection()?.collapse(range.startContainer, range.startOffset);
  }

  /** The text around the current word. */
  #context() {
    const range = this.places[this.current];
    if (!range) return "";
    const text = range.startContainer.textContent ?? "";
    const start = Math.max(0, range.startOffset - ANNOUNCED / 3);
    return text.slice(start, start + ANNOUNCED).trim();
  }
}

/** Scroll to a range, also inside of what scrolls by itself. @param {Range} range */
function scrollTo(range) {
  const box = range.startContainer.parentElement?.closest("pre, table");
  const { top, left, right } = range.getBoundingClientRect();
  if (box) {
    const edges = box.getBoundingClientRect();
    if (left < edges.left || right > edges.right) box.scrollLeft += left - edges.left - box.clientWidth / 3;
  }
  const height = window.innerHeight;
  if (top < height * 0.15 || top > height * 0.75) window.scrollBy({ top: top - height / 3 });
}

/** @param {string} name @param {string} key @param {string} path Of its picture. @param {() => void} act */
function button(name, key, path, act) {
  const element = h("button", { type: "button", class: "icon-button" });
  nameWithKey(element, name, key);
  element.append(svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: path })));
  element.addEventListener("click", act);
  return element;
}

/**
 * Where in a rendered document the words stand that the server found in its lines.
 *
 * Which words these are is decided by the server alone. Here each is looked up in the block that shows its line, one
 * after the other as they are written.
 */

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
export function placesOf(article, words) {
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
export function firstAt(words, line) {
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

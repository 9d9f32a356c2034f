/** Spans of a text: which its chunks have, and where on the paper they lie. */

import { h } from "../core/dom.js";

/** @typedef {import("../core/format.js").CodePoints} CodePoints */
/** @typedef {import("../types.js").Chunk} Chunk */

// -- Where in a text its chunks stand, and what they repeat. Offsets are those of JavaScript strings.

/** @typedef {{start: number, end: number}} Span */

/**
 * The chunks, without the white space around them.
 * @param {CodePoints} points @param {Chunk[]} chunks @returns {Span[]}
 */
export function ownSpans(points, chunks) {
  return chunks.map((chunk) => trimmed(points.text, points.unit(chunk.start), points.unit(chunk.end)));
}

/**
 * What each chunk repeats of the text before it: the nearest occurrence; null for nothing.
 * @param {string} text @param {Chunk[]} chunks @param {Span[]} own
 * @returns {(Span|null)[]}
 */
export function repeatedSpans(text, chunks, own) {
  return chunks.map((chunk, at) => {
    const overlap = chunk.overlap.trim();
    const before = own[at].start;
    const least = at > 0 ? own[at - 1].start : 0;
    const start = overlap ? text.lastIndexOf(overlap, before - overlap.length) : -1;
    return start >= least && start + overlap.length <= before ? { start, end: start + overlap.length } : null;
  });
}

/** Which of some spans in order holds an offset; -1 for none. @param {Span[]} spans @param {number} offset */
export function spanAt(spans, offset) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].end <= offset) low = middle + 1;
    else high = middle;
  }
  return low < spans.length && spans[low].start <= offset ? low : -1;
}

/** @param {string} text @param {number} start @param {number} end @returns {Span} */
function trimmed(text, start, end) {
  const piece = text.slice(start, end);
  const inner = piece.trim();
  if (inner === "") return { start, end };
  const from = start + piece.length - piece.trimStart().length;
  return { start: from, end: from + inner.length };
}

// -- The same text as in the field that lies on it, wrapped in the same places: here positions can be measured
//
// The text is laid out in groups of lines. Only the groups that a change touches are laid out again, and a place is
// looked for in one group, not in the whole text: a megabyte stays smooth.

/** @typedef {{top: number, bottom: number}} Extent In pixels from the top of the paper. */
/** @typedef {{element: HTMLElement, node: Text}} Group */

const LINES_OF_GROUP = 40;

export class Ghost {
  constructor() {
    this.element = h("div", { class: "pane-text pane-ghost", "aria-hidden": "true" });
    /** @type {Group[]} */
    this.groups = [];
    /** @type {number[]} Offset of each group. */
    this.starts = [];
    this.range = document.createRange();
  }

  /** @param {string} text */
  setText(text) {
    // A field shows its last line end, a block does not.
    const all = `${text}\n`;
    const { before, after, start, end } = this.#unchanged(all);
    const fresh = inGroups(all.slice(start, end));
    const gone = this.groups.splice(before, this.groups.length - before - after, ...fresh);
    for (const { element } of gone) element.remove();
    const next = this.groups[before + fresh.length]?.element ?? null;
    for (const { element } of fresh) this.element.insertBefore(element, next);
    let offset = 0;
    this.starts = this.groups.map(({ node }) => (offset += node.length) - node.length);
  }

  /**
   * From a span to the rows it fills. Good until the page changes.
   * @returns {(span: {start: number, end: number}) => Extent}
   */
  measure() {
    const style = getComputedStyle(this.element);
    const height = parseFloat(style.lineHeight);
    const padding = parseFloat(style.paddingTop);
    const zero = this.element.getBoundingClientRect().top + padding;
    const top = (/** @type {number} */ offset) => {
      const box = this.#boxAt(offset);
      return padding + Math.max(0, Math.floor((box.top + box.height / 2 - zero) / height)) * height;
    };
    return ({ start, end }) => ({ top: top(start), bottom: top(Math.max(start, end - 1)) + height });
  }

  /**
   * The boxes of a span, one for each row, from the top left of the paper.
   * @param {{start: number, end: number}} span @returns {DOMRect[]}
   */
  boxes({ start, end }) {
    const paper = (this.element.offsetParent ?? this.element).getBoundingClientRect();
    const height = parseFloat(getComputedStyle(this.element).lineHeight);
    /** @type {Map<number, DOMRect>} */
    const rows = new Map();
    const [first, last] = [this.#find(start), this.#find(Math.max(start, end - 1))];
    this.range.setStart(this.groups[first].node, start - this.starts[first]);
    this.range.setEnd(this.groups[last].node, end - this.starts[last]);
    for (const box of this.range.getClientRects()) {
      const [x, y] = [box.x - paper.x, box.y - paper.y - (height - box.height) / 2];
      const before = rows.get(Math.round(y));
      if (before) before.width = Math.max(before.width, x + box.width - before.x);
      else if (box.width > 0) rows.set(Math.round(y), new DOMRect(x, y, box.width, height));
    }
    return [...rows.values()];
  }

  /** @param {number} offset */
  #boxAt(offset) {
    const at = this.#find(offset);
    const { node } = this.groups[at];
    const place = Math.min(offset - this.starts[at], node.length - 1);
    this.range.setStart(node, place);
    this.range.setEnd(node, place + 1);
    return this.range.getClientRects()[0] ?? this.range.getBoundingClientRect();
  }

  /** The group of an offset. @param {number} offset */
  #find(offset) {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** How many groups at the beginning and at the end stay as they are, and what lies between. @param {string} all */
  #unchanged(all) {
    const { groups } = this;
    let [before, start] = [0, 0];
    while (before < groups.length && all.startsWith(groups[before].node.data, start)) {
      start += groups[before].node.length;
      before += 1;
    }
    let [after, end] = [0, all.length];
    while (after < groups.length - before) {
      const { data } = groups[groups.length - 1 - after].node;
      if (end - data.length < start || !all.endsWith(data, end)) break;
      end -= data.length;
      after += 1;
    }
    // A group begins where a line begins.
    while (after > 0 && end > start && all[end - 1] !== "\n") {
      end += groups[groups.length - after].node.length;
      after -= 1;
    }
    return { before, after, start, end };
  }
}

/** @param {string} text Whole lines. @returns {Group[]} */
function inGroups(text) {
  const lines = text.split(/(?<=\n)/);
  const groups = [];
  for (let at = 0; at < lines.length; at += LINES_OF_GROUP) {
    const node = document.createTextNode(lines.slice(at, at + LINES_OF_GROUP).join(""));
    if (node.length > 0) groups.push({ element: h("div", null, node), node });
  }
  return groups;
}

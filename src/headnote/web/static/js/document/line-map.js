/** Where in a rendered document a line of its source is. */

/** @typedef {{first: number, last: number, top: number, bottom: number}} Stretch Lines, and pixels from the top. */

export class LineMap {
  /** @param {HTMLElement} article */
  constructor(article) {
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
      this.stretches.push({ first, last: Math.max(first, last), top: top - zero, bottom: bottom - zero });
    }
    this.height = article.getBoundingClientRect().height;
  }

  /** Upper edge of a line. @param {number} line */
  top(line) {
    const at = this.#find(line);
    if (at < 0) return this.stretches[0]?.top ?? 0;
    const { first, last, top, bottom } = this.stretches[at];
    if (line > last) return this.stretches[at + 1]?.top ?? bottom;
    return top + ((bottom - top) * (line - first)) / (last - first + 1);
  }

  /** Lower edge of a line. @param {number} line */
  bottom(line) {
    const at = this.#find(line);
    if (at < 0) return this.stretches[0]?.top ?? 0;
    const { first, last, top, bottom } = this.stretches[at];
    return line >= last ? bottom : top + ((bottom - top) * (line - first + 1)) / (last - first + 1);
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

/** The end of a list of hits: how many are shown, and a way to the next ones, by a button or by scrolling to it. */

import { h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";

/** Hits before the last page that the server gives. */
const LAST_OFFSET = 1000;

export class More {
  /** @param {(byButton: boolean) => void} load */
  constructor(load) {
    this.button = h(
      "button",
      { type: "button", class: "button", onclick: () => load(true) },
      "Show more",
    );
    this.count = h("p", { class: "soft small numbers" });
    this.element = h("div", { class: "more" }, this.count);
    new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) load(false);
    }).observe(this.button);
  }

  /** @param {number} shown @param {number} total @param {boolean} isAll Whether no page follows. */
  show(shown, total, isAll) {
    const copies = total - shown;
    const isLast = shown > LAST_OFFSET;
    const others = isLast ? "; more words or a filter lead to the others" : "";
    if (!isAll) this.count.textContent = `${whole(shown)} of ${plural(total, "passage")}${others}`;
    else if (copies > 0)
      this.count.textContent = `All is shown but ${plural(copies, "near copy", "near copies")} of passages above`;
    else this.count.textContent = "";
    refill(this.element, this.count, !isAll && !isLast && this.button);
  }

  /** @param {string} message */
  fail(message) {
    this.count.textContent = message;
  }
}

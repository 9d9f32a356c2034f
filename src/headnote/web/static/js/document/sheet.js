/** On a narrow screen the text comes first, and everything beside it lies in one sheet. */

import { h, svg } from "../core/dom.js";
import { t } from "../core/texts.js";

const narrow = matchMedia("(max-width: 62rem)");
const LINES = "M3.5 5.5h13M3.5 10h13M3.5 14.5h8";
const CROSS = "m5.5 5.5 9 9m0-9-9 9";

export class Sheet {
  /** @param {string} name @param {HTMLElement[]} parts In the order of the sheet; each has a place beside the text. */
  constructor(name, parts) {
    this.parts = parts;
    /** What keeps the place of each part while it is in the sheet. */
    this.places = parts.map(() => document.createComment(""));
    const label = t("button.close");
    const close = h("button", { type: "button", class: "icon-button", "aria-label": label }, picture(CROSS));
    this.body = h("div", { class: "sheet-body" });
    this.dialog = h("dialog", { class: "sheet", "aria-label": name }, close, this.body);
    this.button = h(
      "button",
      { type: "button", class: "button sheet-open", "aria-haspopup": "dialog", "aria-label": name, title: name },
      picture(LINES),
    );
    this.button.addEventListener("click", () => this.dialog.showModal());
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("click", ({ target }) => {
      // Outside of its content, or a link that leads away.
      if (target === this.dialog || (target instanceof Element && target.closest("a[href]"))) this.dialog.close();
    });
    narrow.addEventListener("change", () => this.arrange());
  }

  /** Put the parts where the width of the window wants them. */
  arrange() {
    const isInside = this.body.contains(this.parts[0]);
    if (isInside === narrow.matches) return;
    if (narrow.matches) {
      this.parts.forEach((part, at) => part.replaceWith(this.places[at]));
      this.body.append(...this.parts);
    } else {
      this.dialog.close();
      this.parts.forEach((part, at) => this.places[at].replaceWith(part));
    }
  }
}

/** @param {string} path */
const picture = (path) => svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: path }));

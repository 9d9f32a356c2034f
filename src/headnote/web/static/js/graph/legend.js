/** Colours with their folders and counts. Each leads the eye to the documents of its folder. */

import { h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";
import { HUES } from "./groups.js";

/** @typedef {import("./groups.js").Group} Group */

export class Legend {
  /** @param {(folder: string) => void} chosen */
  constructor(chosen) {
    this.chosen = chosen;
    /** The folder that is lit up; empty for none. */
    this.folder = "";
    this.element = h("ul", { class: "graph-legend", "aria-label": "Colours of folders" });
  }

  /** @param {Group[]} groups */
  show(groups) {
    refill(this.element, groups.length > 1 && groups.map((group, at) => h("li", null, this.#entry(group, at))));
    this.mark(this.folder);
  }

  /** @param {string} folder */
  mark(folder) {
    this.folder = folder;
    for (const button of this.element.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(folder !== "" && button.dataset.folder === folder));
  }

  /** @param {Group} group @param {number} at */
  #entry({ folder, name, count }, at) {
    const dot = h("i", { class: at < HUES ? `hue-${at}` : "", "aria-hidden": "true" });
    const size = h("span", { class: "numbers", "aria-hidden": "true" }, whole(count));
    // All small folders together, and the files beside all folders, are no folder to choose.
    if (!folder) return h("span", { class: "graph-key" }, dot, h("span", { class: "graph-key-name" }, name), size);
    return h(
      "button",
      {
        type: "button",
        class: "graph-key",
        data: { folder },
        title: folder,
        "aria-label": `${name} ${plural(count, "document")}`,
        onclick: () => this.chosen(this.folder === folder ? "" : folder),
      },
      dot,
      h("span", { class: "graph-key-name" }, name),
      size,
    );
  }
}

/** What the big graph shows, and by what it is coloured. */

import { freshId, h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";
import { HUES } from "./groups.js";

/** @typedef {import("./groups.js").Group} Group */

// -- Colours with their folders and counts. Each leads the eye to the documents of its folder.

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

// -- What of it is shown, and how deep folders have colours of their own

export class Choices {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** 0 for the depth that tells most. */
    this.depth = 0;
    this.orphans = this.#box("Orphans", true);
    this.tags = this.#box("Tags", false);
    this.depths = h("select", { id: freshId("graph-depth"), class: "input", onchange: () => this.#pick() });
    this.element = h(
      "div",
      { class: "graph-choices" },
      h("fieldset", { class: "graph-boxes" }, h("legend", null, "Show"), this.orphans.label, this.tags.label),
      h("div", { class: "field graph-depth" }, h("label", { for: this.depths.id }, "Colours"), this.depths),
    );
    this.show(1, 0);
  }

  /** Depths to choose from. @param {number} deepest @param {number} best */
  show(deepest, best) {
    const label = (/** @type {number} */ depth) => (depth === 1 ? "By folder" : `By folder, ${depth} levels deep`);
    refill(
      this.depths,
      h("option", { value: 0 }, best > 0 ? `Best (${depthName(best)})` : "Best"),
      Array.from({ length: deepest }, (_, at) => h("option", { value: at + 1 }, label(at + 1))),
    );
    this.depths.value = String(Math.min(this.depth, deepest));
  }

  /** From the address. @param {URLSearchParams} query */
  read(query) {
    this.orphans.input.checked = query.get("orphans") !== "no";
    this.tags.input.checked = query.get("tags") === "yes";
    this.depth = Math.max(0, Math.min(20, Math.round(Number(query.get("depth"))) || 0));
  }

  #pick() {
    this.depth = Number(this.depths.value);
    this.changed();
  }

  /** For the address. */
  written() {
    return {
      orphans: this.orphans.input.checked ? null : "no",
      tags: this.tags.input.checked ? "yes" : null,
      depth: this.depth || null,
    };
  }

  /** @param {string} name @param {boolean} checked */
  #box(name, checked) {
    const input = h("input", { type: "checkbox", checked, onchange: () => this.changed() });
    return { input, label: h("label", null, input, h("span", null, name)) };
  }
}

/** @param {number} depth */
const depthName = (depth) => (depth === 1 ? "1 level" : `${depth} levels`);

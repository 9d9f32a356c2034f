/** What the big graph shows, and by what it is coloured. */

import { freshId, h, refill } from "../core/dom.js";

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

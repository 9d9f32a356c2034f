/** How the list of documents is narrowed, sorted and laid out. The choices outlive the page; the filter does not. */

import { freshId, h } from "../core/dom.js";
import { ORDERS } from "../folders/columns.js";
import { recall, remember } from "../shell/memory.js";

/** @typedef {import("../folders/model.js").Order} Order */

/** What comes first, usually and the other way round. @type {Record<Order, [string, string]>} */
const FIRST = {
  name: ["A to Z", "Z to A"],
  title: ["A to Z", "Z to A"],
  changed: ["Newest first", "Oldest first"],
  size: ["Largest first", "Smallest first"],
  chunks: ["Most first", "Fewest first"],
  links: ["Most first", "Fewest first"],
};

export class ListTools {
  /** @param {{changed: () => void, entered: () => void}} handlers `entered`: the keys lead down into the list. */
  constructor({ changed, entered }) {
    this.changed = changed;
    const [order, direction, layout] = (recall("documents") ?? "").split(" ");
    this.order = ORDERS.find(([name]) => name === order)?.[0] ?? "name";
    this.isReversed = direction === "reversed";
    this.isFlat = layout === "list";
    this.input = h("input", {
      id: freshId("document-filter"),
      class: "input",
      type: "search",
      placeholder: "Title or path",
      autocomplete: "off",
      spellcheck: "false",
      oninput: changed,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "ArrowDown") return;
        event.preventDefault();
        entered();
      },
    });
    this.orders = h(
      "select",
      { id: freshId("document-order"), class: "input", onchange: () => this.#sort() },
      ORDERS.map(([value, label]) => h("option", { value, selected: value === this.order }, label)),
    );
    this.direction = h(
      "button",
      {
        type: "button",
        class: "button document-direction",
        onclick: () => this.#choose({ isReversed: !this.isReversed }),
      },
      this.#first(),
    );
    this.element = h(
      "div",
      { class: "list-tools" },
      h("div", { class: "field document-filter" }, h("label", { for: this.input.id }, "Filter"), this.input),
      h("div", { class: "field" }, h("label", { for: this.orders.id }, "Sort by"), this.orders),
      this.direction,
      this.#layouts(),
    );
  }

  words() {
    return this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
  }

  #sort() {
    this.#choose({ order: /** @type {Order} */ (this.orders.value), isReversed: false });
  }

  #first() {
    return FIRST[this.order][this.isReversed ? 1 : 0];
  }

  /** @param {{order?: Order, isReversed?: boolean, isFlat?: boolean}} choice */
  #choose({ order = this.order, isReversed = this.isReversed, isFlat = this.isFlat }) {
    [this.order, this.isReversed, this.isFlat] = [order, isReversed, isFlat];
    remember("documents", `${order} ${isReversed ? "reversed" : "usual"} ${isFlat ? "list" : "folders"}`);
    this.direction.textContent = this.#first();
    this.changed();
  }

  #layouts() {
    const name = freshId("document-layout");
    const choice = (/** @type {string} */ label, /** @type {boolean} */ isFlat) =>
      h(
        "label",
        null,
        h("input", {
          type: "radio",
          name,
          checked: isFlat === this.isFlat,
          onchange: () => this.#choose({ isFlat }),
        }),
        h("span", null, label),
      );
    return h(
      "fieldset",
      { class: "segments" },
      h("legend", null, "Show as"),
      choice("Folders", false),
      choice("List", true),
    );
  }
}

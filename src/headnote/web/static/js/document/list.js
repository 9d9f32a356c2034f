/** All documents: by folder or as one list, sorted, and narrowed by typing. */

import { errorNotice, freshId, h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";
import { contents, onStatus } from "../core/status-feed.js";
import { COLUMNS, matching, ORDERS } from "../folders/model.js";
import { Tree } from "../folders/tree.js";
import { registerKeys } from "../shell/keys.js";
import { recall, remember } from "../shell/preferences.js";

/** @typedef {import("../folders/model.js").Order} Order */
/** @typedef {import("../types.js").Entry} Entry */

// -- How the list is narrowed, sorted and laid out. The choices outlive the page; the filter does not.

/** What comes first, usually and the other way round. @type {Record<Order, [string, string]>} */
const FIRST = {
  name: ["A to Z", "Z to A"],
  title: ["A to Z", "Z to A"],
  changed: ["Newest first", "Oldest first"],
  size: ["Largest first", "Smallest first"],
  chunks: ["Most first", "Fewest first"],
  links: ["Most first", "Fewest first"],
};

class ListTools {
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

// -- The list

export class DocumentList {
  constructor() {
    /** @type {Entry[]} */
    this.entries = [];
    /** The document that was read last. */
    this.current = "";
    this.tree = new Tree("Documents", { columns: true });
    this.tools = new ListTools({ changed: () => this.#draw(), entered: () => this.tree.focus() });
    this.input = this.tools.input;
    this.count = h("p", { class: "soft small numbers", role: "status" });
    this.folds = [this.#fold("Open all", true), this.#fold("Close all", false)];
    this.failure = h("div");
    this.element = h(
      "div",
      { class: "document-list" },
      h("h1", { tabindex: "-1" }, "Documents"),
      this.tools.element,
      h("div", { class: "document-count" }, this.count, this.folds),
      this.failure,
      h(
        "div",
        { class: "tree-head", "aria-hidden": "true" },
        h("span", null, "Name"),
        COLUMNS.map(({ head, order }) => h("span", { class: `tree-cell tree-${order}` }, head)),
      ),
      h("div", { class: "document-rows" }, this.tree.element),
    );
    registerKeys("document", [
      { press: ["ArrowRight", "ArrowLeft"], meaning: "open or close a folder of the tree" },
      { press: ["*"], meaning: "open all folders beside it" },
    ]);
    onStatus((status) => {
      if (status && this.element.isConnected && this.element.offsetParent) void this.#follow();
    });
  }

  /** Show what is there now, and where the reader was. */
  async load() {
    await this.#follow();
    this.tree.reveal(this.current);
  }

  /** Documents come and go while the list is looked at, most of all while the folder is read for the first time. */
  async #follow() {
    try {
      const entries = await contents();
      refill(this.failure);
      if (entries === this.entries) return;
      this.entries = entries;
      this.#draw();
    } catch (error) {
      refill(this.failure, errorNotice(error));
    }
  }

  /** @param {string} label @param {boolean} isOpen */
  #fold(label, isOpen) {
    return h("button", { type: "button", class: "button quiet", onclick: () => this.tree.setAll(isOpen) }, label);
  }

  #draw() {
    const { order, isReversed, isFlat } = this.tools;
    const words = this.tools.words();
    const isFiltered = words.length > 0;
    const entries = matching(this.entries, words);
    this.element.dataset.order = order;
    this.tree.show({ entries, order, isReversed, isFlat, isFiltered });
    this.count.textContent = isFiltered
      ? `${whole(entries.length)} of ${plural(this.entries.length, "document")}`
      : plural(entries.length, "document");
    const hasFolders = !isFlat && !isFiltered && this.tree.root.folders.length > 0;
    for (const button of this.folds) button.hidden = !hasFolders;
  }
}

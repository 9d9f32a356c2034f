/** All documents: by folder or as one list, sorted, and narrowed by typing. */

import { errorNotice, freshId, h, refill } from "../core/dom.js";
import { contents, onStatus } from "../core/status-feed.js";
import { t } from "../core/texts.js";
import { COLUMNS, matching, ORDERS } from "../folders/model.js";
import { Tree } from "../folders/tree.js";
import { registerKeys } from "../shell/keys.js";
import { recall, remember } from "../shell/preferences.js";

/** @typedef {import("../folders/model.js").Order} Order */
/** @typedef {import("../types.js").Entry} Entry */

// -- How the list is narrowed, sorted and laid out. The choices outlive the page; the filter does not.

/** What comes first, usually and the other way round. @type {Record<Order, [string, string]>} */
const FIRST = {
  name: [t("order.az"), t("order.za")],
  title: [t("order.az"), t("order.za")],
  changed: [t("order.newest"), t("order.oldest")],
  size: [t("order.largest"), t("order.smallest")],
  chunks: [t("order.most"), t("order.fewest")],
  links: [t("order.most"), t("order.fewest")],
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
      placeholder: t("list.filter.hint"),
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
      h("div", { class: "field document-filter" }, h("label", { for: this.input.id }, t("list.filter")), this.input),
      h("div", { class: "field" }, h("label", { for: this.orders.id }, t("list.sort")), this.orders),
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
      h("legend", null, t("list.layout")),
      choice(t("folders.title"), false),
      choice(t("list.flat"), true),
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
    this.tree = new Tree(t("view.document"), { columns: true });
    this.tools = new ListTools({ changed: () => this.#draw(), entered: () => this.tree.focus() });
    this.input = this.tools.input;
    this.count = h("p", { class: "soft small numbers", role: "status" });
    this.folds = [this.#fold(t("folders.open"), true), this.#fold(t("folders.close"), false)];
    this.failure = h("div");
    this.element = h(
      "div",
      { class: "document-list" },
      h("h1", { tabindex: "-1" }, t("view.document")),
      this.tools.element,
      h("div", { class: "document-count" }, this.count, this.folds),
      this.failure,
      h(
        "div",
        { class: "tree-head", "aria-hidden": "true" },
        h("span", null, t("amount.name")),
        COLUMNS.map(({ head, order }) => h("span", { class: `tree-cell tree-${order}` }, head)),
      ),
      h("div", { class: "document-rows" }, this.tree.element),
    );
    registerKeys("document", [
      { press: ["ArrowRight", "ArrowLeft"], meaning: t("keys.folder") },
      { press: ["*"], meaning: t("keys.folders") },
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
      ? t("list.some", { shown: entries.length, count: this.entries.length })
      : t("count.documents", { count: entries.length });
    const hasFolders = !isFlat && !isFiltered && this.tree.root.folders.length > 0;
    for (const button of this.folds) button.hidden = !hasFolders;
  }
}

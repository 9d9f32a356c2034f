/** All documents: by folder or as one list, sorted, and narrowed by typing. */

import { errorNotice } from "../core/announce.js";
import { h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";
import { onStatus } from "../core/status-feed.js";
import { COLUMNS } from "../folders/columns.js";
import { contents } from "../folders/contents.js";
import { matching } from "../folders/model.js";
import { Tree } from "../folders/tree.js";
import { registerKeys } from "../shell/keys.js";
import { ListTools } from "./list-tools.js";

/** @typedef {import("../types.js").Entry} Entry */

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

/** The tree of folders beside a document, to be unfolded. */

import { h } from "../core/dom.js";
import { recall, remember } from "../shell/memory.js";
import { contents } from "./contents.js";
import { Tree } from "./tree.js";

export class FolderPanel {
  constructor() {
    this.path = "";
    const box = h("div", { class: "folder-panel" });
    this.tree = new Tree("Folders", { columns: false, scroller: box });
    box.append(this.tree.element);
    this.element = h(
      "details",
      { class: "disclosure aside-part", open: recall("folder-panel") === "open" },
      h("summary", null, h("h2", null, "Folders")),
      box,
    );
    /** Whether the reader came to the document by this tree, and goes on from there. */
    this.isUsed = false;
    box.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("a.tree-row")) this.isUsed = true;
    });
    this.element.addEventListener("toggle", () => {
      remember("folder-panel", this.element.open ? "open" : null);
      void this.#draw();
    });
  }

  /** @param {string} path Of the document that is read. */
  show(path) {
    this.path = path;
    void this.#draw();
  }

  async #draw() {
    if (!this.element.open) return;
    // Without a list, the panel stays empty: what is wrong is told where the document is.
    const entries = await contents().catch(() => null);
    if (!entries) return;
    if (entries !== this.tree.shown.entries) this.tree.show({ entries });
    this.tree.reveal(this.path);
    if (this.isUsed) this.tree.focus();
    this.isUsed = false;
  }
}

/** All documents, to be narrowed by typing. */

import { errorNotice } from "../core/announce.js";
import { get } from "../core/api.js";
import { freshId, h, refill } from "../core/dom.js";
import { plural } from "../core/format.js";
import { hrefOf } from "../core/routes.js";

/** @typedef {{path: string, title: string, chunks: number}} Entry */

const MOST = 300;

export class DocumentList {
  constructor() {
    /** @type {Entry[]} */
    this.entries = [];
    const id = freshId("document-filter");
    this.input = h("input", {
      id,
      class: "input",
      type: "search",
      placeholder: "Title or path",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.input.addEventListener("input", () => this.#draw());
    this.count = h("p", { class: "soft small numbers", role: "status" });
    this.rows = h("div");
    this.element = h(
      "div",
      { class: "view-narrow document-list" },
      h("h1", { tabindex: "-1" }, "Documents"),
      h("div", { class: "field" }, h("label", { for: id }, "Filter"), this.input),
      this.count,
      this.rows,
    );
  }

  async load() {
    try {
      this.entries = (await get("/api/documents")).documents;
      this.#draw();
    } catch (error) {
      refill(this.rows, errorNotice(error));
    }
  }

  #draw() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (/** @type {Entry} */ { path, title }) =>
      words.every((word) => `${path} ${title}`.toLowerCase().includes(word));
    const matches = this.entries.filter(fits);
    this.count.textContent =
      matches.length > MOST
        ? `${plural(matches.length, "document")}, showing the first ${MOST}`
        : plural(matches.length, "document");
    refill(
      this.rows,
      h(
        "ul",
        { class: "document-rows" },
        matches
          .slice(0, MOST)
          .map((entry) =>
            h(
              "li",
              null,
              h(
                "a",
                { href: hrefOf("document", { path: entry.path }) },
                h("span", { class: "document-title" }, entry.title || entry.path),
                h("span", { class: "mono soft break" }, entry.path),
                h("span", { class: "soft small numbers" }, plural(entry.chunks, "chunk")),
              ),
            ),
          ),
      ),
    );
  }
}

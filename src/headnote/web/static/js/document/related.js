/** Passages of other documents that are near the one that is read, and that it does not link to yet. */

import { get } from "../core/api.js";
import { h, refill } from "../core/dom.js";
import { plural } from "../core/format.js";
import { Latest } from "../core/latest.js";
import { hrefOf } from "../core/routes.js";
import { recall, remember } from "../shell/memory.js";

/** @typedef {import("../types.js").Related} Related */

const SHOWN = 6;
const narrow = matchMedia("(max-width: 62rem)");

export class RelatedPanel {
  constructor() {
    this.path = "";
    this.latest = new Latest();
    this.count = h("span", { class: "chip numbers" });
    this.list = h("ul", { class: "aside-links related" });
    this.note = h("p", { class: "soft small" });
    this.element = h(
      "details",
      { class: "disclosure aside-part", open: !narrow.matches && recall("related") !== "closed" },
      h("summary", null, h("h2", null, "Related"), this.count),
      this.list,
      this.note,
    );
    this.element.addEventListener("toggle", () => {
      remember("related", this.element.open ? null : "closed");
      this.#fetch();
    });
  }

  /** @param {string} path Of the document that is read. */
  show(path) {
    this.path = path;
    this.#fetch();
  }

  #fetch() {
    if (!this.element.open || !this.path) return;
    const { path } = this;
    this.latest.run(0, (signal) => get("/api/related", { path, limit: SHOWN }, signal), {
      done: ({ related }) => this.#draw(related),
      // What is wrong is told where the document is.
      failed: () => {},
    });
  }

  /** @param {Related[]} related */
  #draw(related) {
    this.count.textContent = String(related.length);
    this.note.textContent = related.length === 0 ? "Nothing is near it that it does not link to." : "";
    refill(
      this.list,
      related.map((entry) =>
        h(
          "li",
          null,
          h(
            "a",
            { href: hrefOf("document", { path: entry.path, line: entry.start_line }), title: entry.path },
            h("span", { class: "break" }, entry.breadcrumb || entry.title),
            h("span", { class: "aside-text soft" }, reasons(entry).join("; ")),
          ),
        ),
      ),
    );
  }
}

/** @param {Related} entry */
function reasons(entry) {
  return [
    entry.mention && `mentions “${entry.mention}”`,
    entry.similarity > 0 && `similar text, ${entry.similarity.toFixed(2)}`,
    entry.words.length > 0 && `shares ${entry.words.slice(0, 3).join(", ")}`,
    entry.shared_links > 0 && `${plural(entry.shared_links, "link")} in common`,
    entry.linked === "from" && "links here",
  ].filter(Boolean);
}

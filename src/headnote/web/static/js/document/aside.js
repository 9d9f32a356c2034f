/** The sidebar of a document: folders, outline, backlinks, links, tags, frontmatter and related passages. */

import { get, Latest } from "../core/api.js";
import { h, refill } from "../core/dom.js";
import { plural } from "../core/format.js";
import { hrefOf } from "../core/routes.js";
import { contents } from "../core/status-feed.js";
import { Tree } from "../folders/tree.js";
import { recall, remember } from "../shell/preferences.js";

/** @typedef {import("../types.js").DocumentPage} DocumentPage */
/** @typedef {import("../types.js").Link} Link */
/** @typedef {import("../types.js").Related} Related */

const narrow = matchMedia("(max-width: 62rem)");

/** @param {DocumentPage} page */
export function asideParts(page) {
  const inside = page.links.filter((link) => link.resolved || link.broken);
  return [
    page.headings.length > 0 && part("Outline", page.headings.length, outline(page)),
    page.backlinks.length > 0 && part("Linked from", page.backlinks.length, list(page.backlinks, incoming)),
    inside.length > 0 && part("Links to", inside.length, list(inside, outgoing)),
    part("About", 0, about(page)),
  ];
}

/** @param {string} name @param {number} count @param {HTMLElement} content */
function part(name, count, content) {
  return h(
    "details",
    { class: "disclosure aside-part", open: !narrow.matches },
    h("summary", null, h("h2", null, name), count > 0 && h("span", { class: "chip numbers" }, count)),
    content,
  );
}

/** @param {DocumentPage} page */
function outline({ path, headings }) {
  const least = Math.min(...headings.map((heading) => heading.level));
  return h(
    "ol",
    { class: "outline" },
    headings.map((heading) =>
      h(
        "li",
        { class: `outline-${Math.min(heading.level - least, 4)}` },
        h(
          "a",
          { href: hrefOf("document", { path, line: heading.start_line }), data: { line: heading.start_line } },
          h("span", null, heading.text || "(no text)"),
          h("span", { class: "outline-size numbers", title: plural(heading.tokens, "token") }, heading.tokens),
        ),
      ),
    ),
  );
}

/** @param {Link[]} links @param {(link: Link) => HTMLElement} row */
function list(links, row) {
  return h(
    "ul",
    { class: "aside-links" },
    links.map((link) => h("li", null, row(link))),
  );
}

/** @param {Link} link */
function incoming(link) {
  return h(
    "a",
    { href: hrefOf("document", { path: link.path, line: link.line }) },
    h("span", { class: "break" }, `${link.path}:${link.line}`),
    link.text && h("span", { class: "aside-text soft" }, link.text),
  );
}

/** @param {Link} link */
function outgoing(link) {
  const written = link.target + (link.fragment ? `#${link.fragment}` : "");
  if (!link.resolved)
    return h(
      "span",
      { class: "aside-broken break" },
      written,
      h("span", { class: "chip" }, `broken, line ${link.line}`),
    );
  // `![[a.png|300]]`: the text is the width.
  const name = /^\d+(x\d+)?$/.test(link.text) ? written : link.text || written;
  if (link.picture) return h("a", { class: "break", href: link.picture, target: "_blank" }, name);
  return h(
    "a",
    { class: "break", href: hrefOf("document", { path: link.resolved, fragment: link.fragment }) },
    link.text || written,
    link.broken && h("span", { class: "chip" }, "no such section"),
  );
}

/** @param {DocumentPage} page */
function about({ lines, chunks, tags, metadata }) {
  const size = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const rows = Object.entries(metadata).filter(([name]) => !["tags", "title"].includes(name));
  return h(
    "div",
    { class: "about" },
    h(
      "p",
      { class: "soft numbers" },
      `${plural(lines, "line")}, ${plural(chunks.length, "chunk")}, ${plural(size, "token")}`,
    ),
    tags.length > 0 &&
      h(
        "p",
        { class: "tags" },
        tags.map((tag) => h("a", { class: "chip", href: `#/search?tag=${encodeURIComponent(tag)}` }, `#${tag}`)),
      ),
    rows.length > 0 &&
      h(
        "dl",
        { class: "metadata" },
        rows.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, written(value))]),
      ),
  );
}

/** @param {unknown} value */
function written(value) {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

// -- Passages of other documents that are near the one that is read, and that it does not link to yet

const SHOWN = 6;

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

// -- The tree of folders beside a document, to be unfolded

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

/** What stands beside and below a document: folders, outline, backlinks, related passages, links, chunks, metadata. */

import { get, Latest } from "../core/api.js";
import { h, refill } from "../core/dom.js";
import { exactly, inLines, list } from "../core/format.js";
import { hrefOf } from "../core/routes.js";
import { contents } from "../core/status-feed.js";
import { t } from "../core/texts.js";
import { Tree } from "../folders/tree.js";
import { recall, remember } from "../shell/preferences.js";

/** @typedef {import("../types.js").ChunkPlace} ChunkPlace */
/** @typedef {import("../types.js").DocumentPage} DocumentPage */
/** @typedef {import("../types.js").Link} Link */
/** @typedef {import("../types.js").Related} Related */

// -- The outline

/** Headings, of which only those in sight are laid out. */
const MANY = 100;

/** The headings, each a link to its line. @param {DocumentPage} page */
export function outlineParts({ path, headings }) {
  const shown = headings.filter(({ text }) => text);
  if (shown.length === 0) return [];
  const least = Math.min(...shown.map((heading) => heading.level));
  const items = shown.map(({ level, text, start_line: line }) =>
    h(
      "li",
      { class: `outline-${Math.min(level - least, 4)}` },
      h("a", { href: hrefOf("document", { path, line }), data: { line } }, text),
    ),
  );
  const headingList = h("ol", { class: items.length > MANY ? "outline long" : "outline" }, items);
  return [h("h2", null, t("outline.title")), headingList];
}

/**
 * Mark the heading that the reader is under, and keep it in sight.
 * @param {HTMLElement} box That scrolls. @param {(line: number) => boolean} isPassed Whether the reader is past a line.
 */
export function markOutline(box, isPassed) {
  const links = /** @type {HTMLElement[]} */ ([...box.querySelectorAll(".outline a")]);
  const current = links[passedIn(links.length, (at) => isPassed(Number(links[at].dataset.line)))];
  const before = box.querySelector(".outline a[aria-current]");
  if (before === (current ?? null)) return;
  before?.removeAttribute("aria-current");
  current?.setAttribute("aria-current", "true");
  if (!current || box.scrollHeight <= box.clientHeight) return;
  const edges = box.getBoundingClientRect();
  const { top, bottom } = current.getBoundingClientRect();
  if (top < edges.top || bottom > edges.bottom) box.scrollTop += top - edges.top - box.clientHeight / 3;
}

/**
 * The last of so many that is passed, asking few of them; -1 if none is.
 * @param {number} count @param {(at: number) => boolean} isPassed
 */
function passedIn(count, isPassed) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPassed(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// -- What follows the text

/** Sentences that link here, before anybody asks for all: a hub has hundreds. */
const AT_FIRST = 40;

/**
 * The documents that link here, each with the sentences in which it does.
 * @param {DocumentPage} page @param {Map<string, string>} titles Of documents, by path.
 */
export function backlinkParts({ backlinks }, titles) {
  if (backlinks.length === 0) return [];
  const byDocument = new Map(backlinks.map(({ path }) => [path, /** @type {Link[]} */ ([])]));
  for (const link of backlinks) byDocument.get(link.path)?.push(link);
  const total = [...byDocument.values()].reduce((sum, links) => sum + distinct(links).length, 0);
  const box = h("ul", { class: "aside-links backlinks" });
  const fill = (/** @type {number} */ most) => {
    let left = most;
    const items = [...byDocument].map(([path, links]) => {
      const sentences = distinct(links).slice(0, Math.max(0, left));
      left -= sentences.length;
      return sentences.length > 0 && h("li", null, incoming(titles.get(path) || path, path, sentences));
    });
    const all = h("button", { type: "button", class: "button small", onclick: () => fill(Infinity) }, t("found.more"));
    refill(box, items, total > most && h("li", null, all));
  };
  fill(AT_FIRST);
  return [part(t("why.linkedFrom"), byDocument.size, () => box, true)];
}

/** @param {DocumentPage} page */
export function factParts(page) {
  const inside = page.links.filter((link) => link.resolved || link.broken);
  const size = page.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  const facts = [
    t("count.lines", { count: page.lines }),
    t("count.chunks", { count: page.chunks.length }),
    t("count.tokens", { count: size }),
  ];
  return [
    inside.length > 0 && part(t("why.linksTo"), inside.length, () => linkList(inside, outgoing)),
    page.chunks.length > 0 && part(t("amount.chunks"), page.chunks.length, () => chunkList(page)),
    part(t("document.facts"), 0, () => about(page, facts.join(", "))),
  ];
}

/**
 * What can be folded. It is made when it is opened: a long document has thousands of chunks.
 * @param {string} name @param {number} count @param {() => HTMLElement} content @param {boolean} [isOpen]
 */
function part(name, count, content, isOpen = false) {
  const element = h(
    "details",
    { class: "disclosure aside-part", open: isOpen },
    h("summary", null, h("h2", null, name), count > 0 && h("span", { class: "chip numbers" }, count)),
    isOpen && content(),
  );
  if (!isOpen) element.addEventListener("toggle", () => element.append(content()), { once: true });
  return element;
}

/** @param {Link[]} links @param {(link: Link) => HTMLElement} row */
function linkList(links, row) {
  return h(
    "ul",
    { class: "aside-links" },
    links.map((link) => h("li", null, row(link))),
  );
}

/** A sentence that links here twice says the same twice. @param {Link[]} links All of one document. */
const distinct = (links) => [...new Map(links.map((link) => [link.sentence || link.line, link])).values()];

/** @param {string} title @param {string} path @param {Link[]} sentences Of one document. */
function incoming(title, path, sentences) {
  return [
    h("a", { class: "break", href: hrefOf("document", { path, line: sentences[0].line }), dir: "auto" }, title),
    title !== path && h("span", { class: "aside-path mono soft break", dir: "ltr" }, path),
    ...sentences.map(({ line, text, sentence }) => {
      const href = hrefOf("document", { path, line });
      return h("a", { class: "aside-text", href, dir: "auto" }, inSentence(text, sentence, line));
    }),
  ].filter(Boolean);
}

/** The text of a link in its sentence. @param {string} text @param {string} sentence @param {number} line */
function inSentence(text, sentence, line) {
  const at = text ? sentence.indexOf(text) : -1;
  if (at < 0) return sentence || text || inLines(line, line);
  return [sentence.slice(0, at), h("strong", null, text), sentence.slice(at + text.length)].filter(Boolean);
}

/** @param {Link} link */
function outgoing(link) {
  const written = link.target + (link.fragment ? `#${link.fragment}` : "");
  if (!link.resolved)
    return h(
      "span",
      { class: "aside-broken break" },
      written,
      h("span", { class: "chip" }, t("link.broken", { line: inLines(link.line, link.line) })),
    );
  // `![[a.png|300]]`: the text is the width.
  const name = /^\d+(x\d+)?$/.test(link.text) ? written : link.text || written;
  if (link.picture) return h("a", { class: "break", href: link.picture, target: "_blank" }, name);
  return h(
    "a",
    { class: "break", href: hrefOf("document", { path: link.resolved, fragment: link.fragment }) },
    link.text || written,
    link.broken && h("span", { class: "chip" }, t("link.noSection")),
  );
}

/** @param {DocumentPage} page */
function chunkList({ path, chunks }) {
  const row = (/** @type {ChunkPlace} */ { index, start_line: line, end_line: end, tokens, breadcrumb }) =>
    h(
      "a",
      { href: hrefOf("document", { path, line, end: end > line ? end : null }) },
      h("span", { class: "break" }, `${index + 1}. ${breadcrumb.split(" > ").at(-1) || t("chunk.beginning")}`),
      h("span", { class: "aside-text soft numbers" }, `${inLines(line, end)}, ${t("count.tokens", { count: tokens })}`),
    );
  return h(
    "ul",
    { class: "aside-links" },
    chunks.map((chunk) => h("li", null, row(chunk))),
  );
}

/** @param {DocumentPage} page @param {string} facts */
function about({ tags, metadata }, facts) {
  const rows = Object.entries(metadata).filter(([name]) => !["tags", "title"].includes(name));
  return h(
    "div",
    { class: "about" },
    h("p", { class: "soft numbers" }, facts),
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
    this.note = h("p", { class: "soft small", dir: "auto" });
    this.element = h(
      "details",
      { class: "disclosure aside-part", open: recall("related") !== "closed" },
      h("summary", null, h("h2", null, t("related.title")), this.count),
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
    this.note.textContent = related.length === 0 ? t("related.none") : "";
    refill(this.list, related.map((entry) => h("li", null, relatedLink(entry), whyRelated(entry))));
  }
}

/** @param {Related} entry */
function relatedLink({ path, start_line: line, title, breadcrumb }) {
  const section = breadcrumb.split(" > ").at(-1) ?? "";
  return h(
    "a",
    { href: hrefOf("document", { path, line }), title: path, dir: "auto" },
    h("span", { class: "break" }, title || path),
    section && section !== title && h("span", { class: "aside-text soft" }, section),
  );
}

/** @param {Related} entry */
function whyRelated(entry) {
  const reasons = [
    entry.mention && t("related.mention", { words: entry.mention }),
    entry.similarity > 0 && t("related.text", { similarity: exactly(entry.similarity, 2) }),
    entry.words.length > 0 && t("related.words", { words: list(entry.words.slice(0, 3)) }),
    entry.shared_links > 0 && t("related.links", { count: entry.shared_links }),
    entry.linked === "from" && t("related.linked"),
  ].filter(Boolean);
  const summary = h("summary", { "aria-label": t("related.why", { name: entry.title || entry.path }) }, t("why.title"));
  return h("details", { class: "disclosure related-why" }, summary, h("p", { class: "soft" }, reasons.join("; ")));
}

// -- The tree of folders beside a document, to be unfolded

export class FolderPanel {
  constructor() {
    this.path = "";
    const box = h("div", { class: "folder-panel" });
    this.tree = new Tree(t("folders.title"), { columns: false, scroller: box });
    box.append(this.tree.element);
    this.element = h(
      "details",
      { class: "disclosure aside-part", open: recall("folder-panel") === "open" },
      h("summary", null, h("h2", null, t("folders.title"))),
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

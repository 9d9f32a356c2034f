/** A document as it reads: its text first, a stripe for the chunks it was cut into, and what belongs to it around. */

import { get, Latest } from "../core/api.js";
import { say } from "../core/clipboard.js";
import { entitle, errorNotice, h, refill, withKey } from "../core/dom.js";
import { nearestTo, readNames, stem } from "../core/names.js";
import { hrefOf, rewrite } from "../core/routes.js";
import { contents, onChange } from "../core/status-feed.js";
import { parts, t } from "../core/texts.js";
import { reveal } from "../drawing/tabs.js";
import { nameOf } from "../folders/model.js";
import { LocalGraph } from "../graph/local-graph.js";
import { MOD, registerKeys } from "../shell/keys.js";
import { backlinkParts, factParts, FolderPanel, markOutline, outlineParts, RelatedPanel } from "./aside.js";
import { ChunkMap } from "./chunk-map.js";
import { FoundWords } from "./found-words.js";
import { DocumentList } from "./list.js";
import { copyLink, EditorLink, PassageButton, passageInSight, selectedPassage } from "./passages.js";
import { lineWith, wordsOfLine } from "./passages.js";
import { Pieces } from "./pieces.js";
import { Previews } from "./previews.js";
import { Sheet } from "./sheet.js";

/** @typedef {import("../types.js").DocumentPage} DocumentPage */

class DocumentView {
  constructor() {
    this.latest = new Latest();
    /** @type {DocumentPage|null} */
    this.page = null;
    this.list = new DocumentList();
    this.heading = h("h1", { tabindex: "-1", class: "break" });
    this.path = h("p", { class: "mono soft break", dir: "ltr" });
    this.trying = h("a", { class: "button quiet", title: t("document.try.title") }, t("document.try"));
    this.article = h("article", { class: "prose" });
    this.pieces = new Pieces(this.article, () => this.#refresh());
    this.map = new ChunkMap(this.article);
    this.target = h("div", { class: "target-lines", hidden: true, "aria-hidden": "true" });
    this.found = new FoundWords(this.article, {
      seek: (line) => this.#seekLines([line, line]),
      forget: () => this.#forgetQuery(),
    });
    this.previews = new Previews(this.article);
    this.passage = new PassageButton(this.article, () => this.page ?? { path: "", text: "" });
    this.editor = new EditorLink(() => this.#here()?.first ?? 1);
    this.tools = h(
      "div",
      { class: "document-tools" },
      h(
        "button",
        { type: "button", class: "button quiet", title: withKey(t("copy.link"), "y"), onclick: () => this.#copy() },
        t("copy.link"),
      ),
      this.editor.element,
      this.trying,
      h(
        "button",
        {
          type: "button",
          class: "button quiet",
          title: withKey(t("document.print"), `${MOD} P`),
          onclick: () => this.#print(),
        },
        t("document.print"),
      ),
    );
    this.folders = new FolderPanel();
    this.nearby = new LocalGraph();
    this.related = new RelatedPanel();
    this.outline = h("nav", { class: "document-outline", "aria-label": t("document.outline") });
    this.backlinks = h("div");
    this.facts = h("div");
    const beside = { class: "document-aside", "aria-label": t("document.beside") };
    this.aside = h("aside", beside, this.folders.element, this.outline);
    this.rest = h(
      "aside",
      { class: "document-rest", "aria-label": t("document.about") },
      this.backlinks,
      this.related.element,
      this.nearby.element,
      this.facts,
    );
    this.sheet = new Sheet(t("document.sheet"), [this.aside, this.rest]);
    this.reading = h(
      "div",
      { class: "document-grid" },
      h("div", { class: "document-head" }, this.path, this.heading, this.tools),
      h(
        "div",
        { class: "document-text" },
        this.map.glow,
        this.article,
        this.target,
        this.map.element,
        this.passage.element,
      ),
      this.aside,
      this.rest,
      this.found.bar,
      this.sheet.button,
      this.sheet.dialog,
    );
    this.sheet.arrange();
    this.failure = h("div");
    this.waiting = h("p", { class: "soft waiting", hidden: true }, t("view.opening"));
    this.element = h(
      "section",
      { class: "view", "aria-label": t("document.label") },
      this.list.element,
      this.failure,
      this.waiting,
      this.reading,
    );
    this.article.addEventListener("click", (event) => this.#follow(event));
    registerKeys("document", [
      { press: ["["], meaning: t("keys.chunk.previous"), act: () => this.#step(-1) },
      { press: ["]"], meaning: t("keys.chunk.next"), act: () => this.#step(1) },
      { press: ["n"], meaning: t("keys.match.next"), act: () => this.found.step(1) },
      { press: ["p"], meaning: t("keys.match.previous"), act: () => this.found.step(-1) },
      { press: ["y"], meaning: t("keys.copyLink"), act: () => this.#copy() },
      { press: ["e"], meaning: t("keys.editor"), act: () => this.editor.open() },
      { press: ["Mod+p"], meaning: t("keys.print"), act: () => this.#print() },
      { press: ["Escape"], meaning: t("keys.match.clear"), act: () => this.#forgetQuery() },
    ]);
    window.addEventListener("scroll", () => requestAnimationFrame(() => this.#followScroll()), { passive: true });
    new ResizeObserver(() => {
      this.#placeAsked();
      this.#markOutline();
    }).observe(this.article);
    onChange(() => this.#refresh());
  }

  /** @param {URLSearchParams} query */
  show(query) {
    const path = query.get("path");
    this.query = query;
    this.list.element.hidden = Boolean(path);
    if (path) this.list.current = path;
    this.reading.hidden = !path || this.page?.path !== path;
    this.waiting.hidden = !path || !this.reading.hidden;
    refill(this.failure);
    if (!path) {
      this.found.hide();
      this.latest.stop();
      void this.list.load();
      return;
    }
    this.trying.href = hrefOf("playground", { path, q: query.get("q") });
    if (this.page?.path === path) {
      if (query.has("words")) this.#findLine(this.page);
      this.#seek(query);
    }
    this.#findWords();
    // Fetch again even if it is shown: the file may have changed.
    this.#fetch(path);
  }

  /** Mark the words that the address names. */
  #findWords() {
    const query = this.query ?? new URLSearchParams();
    this.found.show(query.get("path") ?? "", query.get("q") ?? "", Number(query.get("line")) || 0);
  }

  /** Remove the words to mark from the address. @returns {false|void} */
  #forgetQuery() {
    if (!this.query?.has("q")) return false;
    this.query.delete("q");
    rewrite(hrefOf("document", Object.fromEntries(this.query)));
    if (this.found.bar.contains(document.activeElement)) this.heading.focus({ preventScroll: true });
    this.found.hide();
  }

  /**
   * The passage that the reader is at: selected, a mark or what the address names while that is in sight, or else the
   * uppermost in sight. Null at the top.
   */
  #here() {
    const word = this.found.words[this.found.current];
    const lines = word ? [word.line, word.line] : this.targetLines;
    const named = lines && this.#isInSight(lines[0], lines[1]) ? { first: lines[0], last: lines[1] } : null;
    return selectedPassage(this.article) ?? named ?? passageInSight(this.article);
  }

  /** @param {number} first @param {number} last */
  #isInSight(first, last) {
    const { top } = this.article.getBoundingClientRect();
    const { lineMap } = this.map;
    return top + lineMap.bottom(last) > 0 && top + lineMap.top(first) < window.innerHeight;
  }

  /** @returns {false|void} */
  #copy() {
    if (!this.page || this.reading.hidden) return false;
    void copyLink(this.page, this.#here());
  }

  /** Show the current content of a file that is being edited. */
  #refresh() {
    if (this.element.hidden) return;
    const path = this.query?.get("path");
    if (path) this.#fetch(path);
  }

  /** @param {string} path */
  #fetch(path) {
    this.latest.run(0, (signal) => get("/api/document", { path }, signal), {
      done: (page) => this.#draw(page),
      failed: (error) => {
        this.page = null;
        this.reading.hidden = this.waiting.hidden = true;
        if (error.code === "not_found") void this.#showMissing(path);
        else refill(this.failure, heading(t("document.failed")), errorNotice(error));
      },
    });
  }

  /** A document that was renamed, was deleted, or never was. @param {string} path */
  async #showMissing(path) {
    // Without names, a search is left to offer.
    await readNames().catch(() => {});
    if (this.query?.get("path") === path && !this.page) refill(this.failure, missingParts(path));
  }

  /** @param {URLSearchParams} query */
  title(query) {
    const path = query.get("path") ?? t("view.document");
    return this.page?.path === path ? (this.heading.textContent ?? path) : path;
  }

  focus() {
    if (!this.list.element.hidden) this.list.input.focus();
    else this.heading.focus({ preventScroll: true });
  }

  hide() {
    this.previews.hide();
    this.found.hide();
    this.latest.stop();
  }

  /** @param {DocumentPage} page */
  #draw(page) {
    const before = this.page;
    const isThere = this.#findLine(page);
    this.page = page;
    this.reading.hidden = false;
    this.waiting.hidden = true;
    this.folders.show(page.path);
    this.nearby.show(page.path);
    this.related.show(page.path);
    if (before && isSame(before, page, ["path", "text", "html", "links"])) this.#update(before, page);
    else this.#drawAnew(before, page);
    if (isThere) return;
    this.targetLines = null;
    this.#placeAsked();
    if (before?.path !== page.path) say(t("document.moved"));
  }

  /**
   * The text is the same: other documents may link here now, or say other things where they are embedded.
   * @param {DocumentPage} before @param {DocumentPage} page
   */
  #update(before, page) {
    if (!isSame(before, page, ["backlinks", "headings", "chunks"])) void this.#drawAround(page);
    if (!isSame(before, page, ["chunks"])) this.map.show(page.chunks);
    this.pieces.update();
  }

  /** @param {DocumentPage|null} before @param {DocumentPage} page */
  #drawAnew(before, page) {
    this.path.textContent = page.path;
    this.editor.show(page.path);
    this.previews.hide();
    this.passage.hide();
    this.reading.dir = page.direction;
    if (before?.path !== page.path) this.#bringFocus();
    this.pieces.show(page);
    this.#drawTitle(page);
    void this.#drawAround(page);
    this.map.show(page.chunks);
    if (this.query && before?.path !== page.path) this.#seek(this.query);
    else {
      // The reader stays, and the mark goes along with its line.
      if (this.targetLines && this.query) this.targetLines = this.#targetLines(this.query);
      this.#placeAsked();
      this.#findWords();
    }
  }

  /** The focus comes along to another document, where what had it is gone. */
  #bringFocus() {
    const focused = document.activeElement ?? document.body;
    if (focused.matches("body, main") || this.reading.contains(focused)) this.heading.focus({ preventScroll: true });
  }

  /** The text is seen first: the outline of a long document is long, too. @param {DocumentPage} page */
  async #drawAround(page) {
    if (page.headings.length > MANY) await painted();
    if (this.page !== page) return;
    refill(this.outline, outlineParts(page));
    this.#markOutline();
    void this.#drawBacklinks(page);
    refill(this.facts, factParts(page));
  }

  /** @param {DocumentPage} page */
  async #drawBacklinks(page) {
    // Without titles, paths are left to say where a link stands.
    const entries = page.backlinks.length > 0 ? await contents().catch(() => []) : [];
    if (this.page === page)
      refill(this.backlinks, backlinkParts(page, new Map(entries.map(({ path, title }) => [path, title]))));
  }

  /**
   * The title, or the heading that the document begins with where only the name of its file would be left to say. What
   * the text says itself is heard, and not seen twice.
   * @param {DocumentPage} page
   */
  #drawTitle({ title, path, headings }) {
    const begins = this.article.querySelector("[data-start-line]")?.matches("h1, h2, h3, h4, h5, h6");
    const leading = (begins && headings[0]?.text) || "";
    const isName = !title || title === nameOf(path).replace(/\.[^.]+$/, "");
    this.heading.textContent = (isName && leading) || title || path;
    this.heading.classList.toggle("visually-hidden", this.heading.textContent === leading);
    entitle(this.heading.textContent);
  }

  /** All of the document, and nothing else. @returns {false|void} */
  #print() {
    if (!this.page || this.reading.hidden) return false;
    void this.pieces.drawAll().then(() => window.print());
  }

  /** Go to the line or the section that the address names. @param {URLSearchParams} query */
  #seek(query) {
    this.targetLines = this.#targetLines(query);
    if (!this.targetLines) window.scrollTo(0, 0);
    else this.#seekLines(this.targetLines);
    this.#placeAsked();
  }

  /** Show lines: where they will be, at first, if they are not drawn yet. @param {[number, number]} lines */
  #seekLines(lines) {
    this.sought = lines;
    this.#scrollTo(lines);
    this.pieces.draw(lines[0])?.then(() => {
      if (this.sought !== lines) return;
      this.#scrollTo(lines);
      this.#placeAsked();
    });
  }

  /** Draw a line for a reader who returns to it; false if its document is not there yet. @param {number} line */
  drawLine(line) {
    if (this.page?.path !== this.query?.get("path")) return false;
    // No other place is sought any longer.
    this.sought = null;
    void this.pieces.draw(line);
    return true;
  }

  /** @param {[number, number]} lines */
  #scrollTo(lines) {
    this.#unfold(lines);
    const top = this.article.getBoundingClientRect().top + window.scrollY + this.map.lineMap.top(lines[0]);
    window.scrollTo({ top: Math.max(0, top - window.innerHeight / 4) });
  }

  /** @param {URLSearchParams} query @returns {[number, number]|null} */
  #targetLines(query) {
    const fragment = query.get("fragment");
    const line = Number(query.get("line"));
    const heading =
      fragment &&
      (this.page?.headings.find(({ slug }) => slug === fragment || slug === fragment.toLowerCase()) ??
        this.page?.headings.find(({ text, start_line: start }) => text === fragment && start >= line));
    if (heading) return [heading.start_line, heading.start_line];
    if (!Number.isInteger(line) || line < 1) return null;
    return [line, Math.max(line, Number(query.get("end")) || line)];
  }

  /**
   * The address learns the words of its line, and where they are after an edit. False if they are gone.
   * @param {DocumentPage} page
   */
  #findLine({ path, text }) {
    const { query } = this;
    const line = Number(query?.get("line"));
    if (!query || query.get("path") !== path || !Number.isInteger(line) || line < 1) return true;
    const words = query.get("words");
    const now = words ? lineWith(text, line, words) : line;
    if (now === null) return false;
    const end = Number(query.get("end"));
    query.set("line", String(now));
    if (end) query.set("end", String(end + now - line));
    query.set("words", words ?? wordsOfLine(text, now));
    rewrite(hrefOf("document", Object.fromEntries(query)));
    return true;
  }

  /** Open the elements that hide the target lines. @param {[number, number]} lines */
  #unfold([first, last]) {
    for (const block of this.article.querySelectorAll(":is(details:not([open]), .tab[hidden]) [data-start-line]")) {
      const isAsked =
        Number(block.getAttribute("data-start-line")) <= last && Number(block.getAttribute("data-end-line")) >= first;
      if (isAsked) reveal(block);
    }
    this.map.measure();
  }

  #placeAsked() {
    this.target.hidden = !this.targetLines;
    if (!this.targetLines) return;
    const top = this.map.lineMap.top(this.targetLines[0]);
    const bottom = this.map.lineMap.bottom(this.targetLines[1]);
    this.target.style.setProperty("top", `${top}px`);
    this.target.style.setProperty("height", `${Math.max(bottom - top, 4)}px`);
  }

  /** Follow links to footnotes and back. They have an anchor and no line. @param {MouseEvent} event */
  #follow(event) {
    const link = event.target instanceof Element ? event.target.closest("a[data-fragment]") : null;
    const fragment = link?.getAttribute("data-fragment");
    if (!link || !fragment || (link.getAttribute("data-document") ?? this.page?.path) !== this.page?.path) return;
    const target = this.#anchored(fragment);
    // The notes stand at the end, which may not be drawn yet.
    const isLater = !target && /^fn\d+$/.test(fragment);
    if (!isLater && (!target || /^H[1-6]$/.test(target.tagName))) return;
    event.preventDefault();
    if (target) goTo(target);
    else this.pieces.drawLast()?.then(() => goTo(this.#anchored(fragment)));
  }

  /** @param {string} anchor @returns {HTMLElement|null} */
  #anchored(anchor) {
    return this.article.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`);
  }

  /** @param {1|-1} by @returns {false|void} */
  #step(by) {
    if (this.reading.hidden) return false;
    this.map.step(by);
  }

  #followScroll() {
    if (!this.element.hidden && !this.reading.hidden) this.map.follow();
    this.#markOutline();
  }

  #markOutline() {
    if (this.element.hidden || this.reading.hidden) return;
    const edge = window.innerHeight / 3 - this.article.getBoundingClientRect().top;
    markOutline(this.aside, (line) => this.map.lineMap.top(line) <= edge);
  }
}

/** Headings of a document whose outline can wait. */
const MANY = 300;

/** When what has changed has been painted. @returns {Promise<void>} */
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** @param {string} text */
const heading = (text) => h("h1", { tabindex: "-1" }, text);

const NEAREST = 5;

/** That there is no such document, those with similar names, and a search. @param {string} path */
function missingParts(path) {
  const near = nearestTo(path, NEAREST).map(({ text, path: other }) =>
    h(
      "li",
      null,
      h("a", { href: hrefOf("document", { path: other }) }, text),
      " ",
      h("span", { class: "mono soft small break", dir: "ltr" }, other),
    ),
  );
  const words = stem(path).replace(/[-_.]+/g, " ").trim();
  const where = parts("document.missing.path", { path: h("span", { class: "mono", dir: "ltr" }, path) });
  return h(
    "div",
    { class: "missing-document" },
    heading(t("document.missing")),
    h("p", { class: "break" }, where),
    near.length > 0 && [h("h2", null, t("document.similar")), h("ul", null, near)],
    words && h("a", { class: "button", href: hrefOf("search", { q: words }) }, t("search.for", { query: words })),
  );
}

/** @param {DocumentPage} one @param {DocumentPage} other @param {(keyof DocumentPage)[]} names */
function isSame(one, other, names) {
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

/** @param {HTMLElement|null} element */
function goTo(element) {
  element?.scrollIntoView({ block: "center" });
  element?.setAttribute("tabindex", "-1");
  element?.focus({ preventScroll: true });
}

export function createDocumentView() {
  return new DocumentView();
}

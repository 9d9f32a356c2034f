/** Which lines a reader is at, the link to them, and the way to them in an editor. */

import { get, Latest } from "../core/api.js";
import { copy } from "../core/clipboard.js";
import { h, nameWithKey, svg, withKey } from "../core/dom.js";
import { inLines } from "../core/format.js";
import { hrefOf } from "../core/routes.js";
import { t } from "../core/texts.js";
import { blocksOf } from "./found-words.js";

/** @typedef {{first: number, last: number, anchor?: string|null}} Passage A heading is also known by its anchor. */

/** @typedef {{path: string, text: string}} Source A document. */

const LINGER = 300;
const CHAIN =
  "M8.4 11.6a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-1.2 1.2M11.6 8.4a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l1.2-1.2";

/** The address of a passage, as others can open it. @param {Source} source @param {Passage|null} passage */
function linkTo({ path, text }, passage) {
  const end = passage && passage.last > passage.first ? passage.last : null;
  const lines = passage && { line: passage.first, end, words: wordsOfLine(text, passage.first) };
  const place = passage?.anchor ? { fragment: passage.anchor } : lines;
  return new URL(hrefOf("document", { path, ...place }), location.href).href;
}

/** @param {Source} source @param {Passage|null} passage */
export function copyLink(source, passage) {
  return copy(linkTo(source, passage), t(`copy.link.done.${kindOf(passage)}`, { lines: linesIn(passage) }));
}

// -- The words that a line begins with: an address has them, so that the line is found again when its number is another

/** Enough to tell most lines of a document apart, few enough for an address. */
const MAX_WORDS = 6;
/** Letters, for a script that has no blanks. */
const MAX_LENGTH = 48;

/** @param {string} text Of the document. @param {number} line */
export const wordsOfLine = (text, line) => wordsOf(linesOf(text)[line - 1] ?? "");

/**
 * The line that has the words, the nearest one to where it was; null if none has them any longer.
 * @param {string} text Of the document. @param {number} line @param {string} words
 */
export function lineWith(text, line, words) {
  const all = linesOf(text);
  for (let away = 0; away < all.length; away += 1)
    for (const at of [line - away, line + away]) if (wordsOf(all[at - 1] ?? "") === words) return at;
  return null;
}

/** @param {string} text */
const linesOf = (text) => text.split(/\r\n|\r|\n/);

/** Without signs, which an editor may write in another way. @param {string} line */
function wordsOf(line) {
  const words = line.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.slice(0, MAX_WORDS).join(" ").slice(0, MAX_LENGTH).trim();
}

// -- The link to a passage

/** What a link leads to. @param {Passage|null} passage */
const kindOf = (passage) => (!passage ? "document" : passage.anchor ? "section" : "lines");

/** @param {Passage|null} passage */
const linesIn = (passage) => (passage ? inLines(passage.first, passage.last) : "");

/** The lines of text that is selected in the document. @param {Element} article @returns {Passage|null} */
export function selectedPassage(article) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const inside = [...blocksOf(article)].filter(({ element }) => range.intersectsNode(element));
  if (inside.length === 0) return null;
  const first = Math.min(...inside.map((block) => block.first));
  return { first, last: Math.max(...inside.map((block) => block.last)) };
}

/**
 * The uppermost block in sight, or the last one above; null at the top of the document.
 * @param {Element} article @returns {Passage|null}
 */
export function passageInSight(article) {
  if (window.scrollY < 40) return null;
  let passage = null;
  for (const { first, last, element } of blocksOf(article)) {
    passage = { first, last, anchor: element.getAttribute("data-anchor") };
    if (element.getBoundingClientRect().bottom > window.innerHeight / 6) break;
  }
  return passage;
}

/** A small button in the margin of the block that is pointed at. */
export class PassageButton {
  /** @param {HTMLElement} article @param {() => Source} source */
  constructor(article, source) {
    this.article = article;
    /** @type {Passage|null} */
    this.passage = null;
    const picture = svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: CHAIN }));
    this.element = h("button", { type: "button", class: "icon-button passage-button", tabindex: "-1", hidden: true });
    this.element.append(picture);
    this.element.addEventListener("click", () => void copyLink(source(), this.passage));
    article.addEventListener("pointerover", (event) => this.#point(event));
    for (const place of [article, this.element]) {
      place.addEventListener("pointerleave", () => this.#leave());
      place.addEventListener("pointerenter", () => clearTimeout(this.timer));
    }
  }

  hide() {
    this.element.hidden = true;
  }

  #leave() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), LINGER);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    if (event.pointerType === "touch" || !(event.target instanceof Element)) return;
    const block = [...ancestors(event.target, this.article)].findLast((one) => one.hasAttribute("data-start-line"));
    if (!block || event.target.closest(".embed")) return;
    const first = Number(block.getAttribute("data-start-line"));
    const last = Number(block.getAttribute("data-end-line") ?? first);
    const own = { first, last, anchor: block.getAttribute("data-anchor") };
    this.passage = selectedPassage(this.article) ?? own;
    nameWithKey(this.element, t(`copy.link.${kindOf(this.passage)}`, { lines: linesIn(this.passage) }), "y");
    const line = parseFloat(getComputedStyle(block).lineHeight) || 24;
    const top = block.getBoundingClientRect().top - this.article.getBoundingClientRect().top;
    this.element.style.setProperty("top", `${top + line / 2}px`);
    this.element.hidden = false;
  }
}

/** An element and those around it, up to a limit. @param {Element} element @param {Element} limit */
function* ancestors(element, limit) {
  for (let one = /** @type {Element|null} */ (element); one && one !== limit; one = one.parentElement) yield one;
}

// -- The link that opens a document in an editor of this machine, if the server names one

/** @type {Record<string, string>} What people call them, by the scheme of their addresses. */
const NAMES = {
  vscode: "VS Code",
  "vscode-insiders": "VS Code Insiders",
  vscodium: "VSCodium",
  cursor: "Cursor",
  windsurf: "Windsurf",
  zed: "Zed",
  obsidian: "Obsidian",
};
/** What a browser would open itself. The server never sends it. */
const OWN_SCHEMES = /^(?:javascript|vbscript|data|blob|file|https?|about):/i;

export class EditorLink {
  /** @param {() => number} line Where the reader is. */
  constructor(line) {
    this.latest = new Latest();
    this.line = line;
    this.address = "";
    this.path = "";
    this.element = h("a", { class: "button quiet editor-link", hidden: true, rel: "noreferrer" });
    // The line is the one in sight when the link is used.
    for (const kind of ["pointerdown", "pointerenter", "focus", "click"])
      this.element.addEventListener(kind, () => this.#point());
  }

  /** @param {string} path */
  show(path) {
    if (path === this.path) return;
    this.path = path;
    this.#take(null, null);
    this.latest.run(0, (signal) => get("/api/editor", { path }, signal), {
      done: ({ editor, address }) => this.#take(editor, address),
      failed: () => this.#take(null, null),
    });
  }

  /** @returns {false|void} */
  open() {
    if (this.element.hidden) return false;
    this.element.click();
  }

  /** @param {string|null} editor @param {string|null} address */
  #take(editor, address) {
    this.address = address && !OWN_SCHEMES.test(address) ? address : "";
    this.element.hidden = !this.address;
    if (!this.address) return;
    this.element.textContent = t("editor.open", { editor: NAMES[editor ?? ""] ?? editor ?? "" });
    this.element.title = withKey(this.element.textContent, "e");
    this.#point();
  }

  #point() {
    if (this.address) this.element.href = this.address.replace("{line}", String(this.line()));
  }
}

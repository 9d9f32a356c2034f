/**
 * Folders and documents as a tree, by mouse, by touch and by the keys of the ARIA pattern. Only the rows in sight are
 * elements: a folder of ten thousand documents opens as quickly as one of ten.
 */

import { h, refill } from "../core/dom.js";
import { whole } from "../core/format.js";
import { hrefOf } from "../core/routes.js";
import { currentStatus } from "../core/status-feed.js";
import { t } from "../core/texts.js";
import { recall, remember } from "../shell/preferences.js";
import { COLUMNS, folderOf, foldersAbove, mainFolders, nameOf, rowsOf, sortFolder } from "./model.js";

/** @typedef {import("../types.js").Entry} Entry */
/** @typedef {import("./model.js").Folder} Folder */
/** @typedef {import("./model.js").Order} Order */
/** @typedef {import("./model.js").Row} Row */

// -- Which folders are open, also after a reload. Each served folder has its own.

const MAX_ENTRIES = 500;

/** @type {Set<string>|null} Null: nobody has opened or closed one yet. */
let open = null;
let root = "";

function load() {
  const now = currentStatus()?.root ?? root;
  if (open && now === root) return;
  root = now;
  const stored = recall(`folders ${root}`);
  open = stored === null ? null : new Set(stored.split("\n").filter(Boolean));
}

/** Whether this folder has never been looked at before. */
function isUntouched() {
  load();
  return open === null;
}

/** @param {string} path */
function isFolderOpen(path) {
  load();
  return open?.has(path) ?? false;
}

/** @param {Iterable<string>} paths @param {boolean} isOpen */
function setOpen(paths, isOpen) {
  load();
  open ??= new Set();
  for (const path of paths) {
    if (isOpen) open.add(path);
    else open.delete(path);
  }
  // Those that were opened last count most.
  remember(`folders ${root}`, [...open].slice(-MAX_ENTRIES).join("\n"));
}

// -- The tree

/**
 * What of the documents is shown, and how. Folders of a filtered tree are all open; a flat one has no folders.
 * @typedef {{entries: Entry[], order: Order, isReversed: boolean, isFiltered: boolean, isFlat: boolean}} Shown
 */

/** Rows that are drawn above and below the window, so that scrolling does not show the ground. */
const SPARE = 8;
const TYPING_PAUSE = 700;

export class Tree {
  /**
   * @param {string} label
   * @param {{columns: boolean, scroller?: HTMLElement}} look Without a scroller, the page scrolls.
   */
  constructor(label, { columns, scroller }) {
    this.columns = columns ? COLUMNS : [];
    this.scroller = scroller;
    /** @type {Shown} */
    this.shown = { entries: [], order: "name", isReversed: false, isFiltered: false, isFlat: false };
    /** @type {Folder} */
    this.root = folderOf([]);
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Map<string, HTMLElement>} By key. */
    this.drawn = new Map();
    /** @type {WeakMap<HTMLElement, Folder|Entry|null>} What an element tells of. */
    this.told = new WeakMap();
    /** The row that the Tab key leads to. */
    this.active = "";
    this.current = "";
    this.typed = { text: "", at: 0 };
    this.element = h("div", { class: "tree", role: "tree", "aria-label": label });
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("focusin", (event) => this.#focused(event));
    window.addEventListener("scroll", () => this.#scrolled(), { passive: true, capture: true });
    new ResizeObserver(() => this.#paint()).observe(this.element);
    if (scroller) new ResizeObserver(() => this.#paint()).observe(scroller);
    else window.addEventListener("resize", () => this.#paint());
  }

  /** @param {Partial<Shown>} shown */
  show(shown) {
    this.shown = { ...this.shown, ...shown };
    const { entries, order, isReversed, isFlat } = this.shown;
    this.root = isFlat ? { ...folderOf([]), documents: [...entries] } : folderOf(entries);
    sortFolder(this.root, order, isReversed);
    if (!isFlat && entries.length > 0 && isUntouched()) setOpen(mainFolders(this.root), true);
    this.#flatten();
  }

  /** Mark a document as the one that is read, open its folders, and scroll there. @param {string} path */
  reveal(path) {
    this.current = path;
    if (path && this.shown.entries.some((entry) => entry.path === path)) {
      const closed = foldersAbove(path).filter((folder) => !isFolderOpen(folder));
      if (closed.length > 0) setOpen(closed, true);
      this.active = path;
    }
    this.#flatten();
    const at = this.rows.findIndex(({ key }) => key === path);
    if (at >= 0) this.#bringIntoSight(at);
  }

  /** @param {boolean} isOpen */
  setAll(isOpen) {
    /** @type {string[]} */
    const paths = [];
    const walk = (/** @type {Folder} */ folder) => {
      for (const below of folder.folders) {
        paths.push(below.path);
        walk(below);
      }
    };
    walk(this.root);
    setOpen(paths, isOpen);
    this.#flatten();
  }

  focus() {
    this.drawn.get(this.active)?.focus({ preventScroll: true });
  }

  #isOpen = (/** @type {Folder} */ { path }) => this.shown.isFiltered || isFolderOpen(path);

  #flatten() {
    this.rows = rowsOf(this.root, this.#isOpen);
    if (!this.rows.some(({ key }) => key === this.active)) this.active = this.rows[0]?.key ?? "";
    this.element.style.setProperty("height", `calc(${this.rows.length} * var(--row))`);
    this.#paint();
  }

  #scrolled() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.#paint();
    });
  }

  /** Draw the rows in sight, and the one that has or gets the focus. */
  #paint() {
    const { offsetHeight } = this.element;
    if (offsetHeight === 0 && this.rows.length > 0) return;
    const height = offsetHeight / this.rows.length;
    const top = this.element.getBoundingClientRect().top;
    const edge = this.scroller?.getBoundingClientRect() ?? { top: 0, bottom: window.innerHeight };
    const first = Math.max(0, Math.floor((edge.top - top) / height) - SPARE);
    const last = Math.min(this.rows.length, Math.ceil((edge.bottom - top) / height) + SPARE);
    const seen = this.rows.map((_, at) => at).slice(first, Math.max(first, last));
    const active = this.rows.findIndex(({ key }) => key === this.active);
    if (active >= 0 && active < first) seen.unshift(active);
    if (active >= last) seen.push(active);
    this.#keep(seen);
  }

  /** Elements of rows that stay are not moved: they would lose the focus. @param {number[]} seen */
  #keep(seen) {
    const keys = new Set(seen.map((at) => this.rows[at].key));
    for (const [key, element] of this.drawn) {
      if (keys.has(key)) continue;
      element.remove();
      this.drawn.delete(key);
    }
    seen.forEach((at, place) => {
      const row = this.rows[at];
      const element = this.drawn.get(row.key) ?? this.#make(row);
      this.drawn.set(row.key, element);
      this.#update(element, row, at);
      if (this.element.children[place] !== element) this.element.insertBefore(element, this.element.children[place]);
    });
  }

  /** @param {Row} row @returns {HTMLElement} */
  #make({ key, entry }) {
    if (!entry) return h("div", { class: "tree-row tree-folder", role: "treeitem", data: { key } });
    const href = hrefOf("document", { path: entry.path });
    return h("a", { class: "tree-row", role: "treeitem", href, data: { key } });
  }

  /** @param {Row} row */
  #content({ folder, entry }) {
    const name = entry
      ? [entry.title || nameOf(entry.path), " ", h("span", { class: "tree-file mono soft" }, nameOf(entry.path))]
      : [folder?.name, " ", h("span", { class: "tree-count numbers soft" }, whole(folder?.count ?? 0))];
    const amounts = entry ?? folder;
    const cells = this.columns.map(
      ({ order, short }) =>
        amounts && h("span", { class: `tree-cell numbers tree-${order}`, "aria-hidden": "true" }, short(amounts)),
    );
    return [h("span", { class: "tree-name" }, name), ...cells];
  }

  /** @param {HTMLElement} element @param {Row} row @param {number} at */
  #update(element, row, at) {
    const { folder, entry } = row;
    if (this.told.get(element) !== (folder ?? entry)) {
      this.told.set(element, folder ?? entry);
      refill(element, this.#content(row));
    }
    const set = (/** @type {string} */ name, /** @type {string|number} */ value) => {
      if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
    };
    set("aria-level", row.level);
    set("aria-posinset", row.place);
    set("aria-setsize", row.siblings);
    set("tabindex", row.key === this.active ? 0 : -1);
    set("aria-label", spoken(row, this.columns));
    if (folder) set("aria-expanded", String(this.#isOpen(folder)));
    if (entry && entry.path === this.current) set("aria-current", "page");
    else element.removeAttribute("aria-current");
    element.title = folder?.path ?? entry?.path ?? "";
    element.style.setProperty("--level", String(row.level - 1));
    element.style.setProperty("top", `calc(${at} * var(--row))`);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const element = event.target instanceof Element ? event.target.closest(".tree-row") : null;
    const row = this.rows.find(({ key }) => key === /** @type {HTMLElement|null} */ (element)?.dataset.key);
    if (!row) return;
    this.active = row.key;
    if (row.folder) this.#toggle(row.folder, !this.#isOpen(row.folder));
    else this.#paint();
  }

  /** @param {FocusEvent} event */
  #focused(event) {
    const key = event.target instanceof HTMLElement ? event.target.dataset.key : undefined;
    if (!key || key === this.active) return;
    this.active = key;
    this.#paint();
  }

  /** @param {Folder} folder @param {boolean} isOpen */
  #toggle(folder, isOpen) {
    if (this.shown.isFiltered) return;
    setOpen([folder.path], isOpen);
    this.#flatten();
    this.drawn.get(this.active)?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.rows.findIndex(({ key }) => key === this.active);
    const row = this.rows[at];
    if (!row) return;
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowDown: () => this.#go(at + 1),
      ArrowUp: () => this.#go(at - 1),
      Home: () => this.#go(0),
      End: () => this.#go(this.rows.length - 1),
      ArrowRight: () => this.#inward(at, row),
      ArrowLeft: () => this.#outward(at, row),
      "*": () => this.#openSiblings(row),
      Enter: () => this.#press(row),
      " ": () => this.#press(row),
    };
    if (this.#type(event.key, at)) event.preventDefault();
    else if (moves[event.key]) {
      event.preventDefault();
      moves[event.key]();
    }
  }

  /** @param {number} at */
  #go(at) {
    const row = this.rows[Math.max(0, Math.min(this.rows.length - 1, at))];
    this.active = row.key;
    this.#paint();
    this.drawn.get(row.key)?.focus({ preventScroll: true });
    this.drawn.get(row.key)?.scrollIntoView({ block: "nearest" });
  }

  /** Open a folder, or go to the first thing in it. @param {number} at @param {Row} row */
  #inward(at, { folder, level }) {
    if (!folder) return;
    if (!this.#isOpen(folder)) this.#toggle(folder, true);
    else if (this.rows[at + 1]?.level > level) this.#go(at + 1);
  }

  /** Close a folder, or go to the one around. @param {number} at @param {Row} row */
  #outward(at, { folder, level }) {
    if (folder && this.#isOpen(folder) && !this.shown.isFiltered) this.#toggle(folder, false);
    else if (level > 1) this.#go(this.rows.findLastIndex((row, i) => i < at && row.level < level));
  }

  /** @param {Row} row */
  #openSiblings({ key }) {
    const above = foldersAbove(key.replace(/\/$/, "")).at(-1) ?? "";
    const beside = this.rows.flatMap(({ folder }) =>
      folder && (foldersAbove(folder.path).at(-1) ?? "") === above ? [folder.path] : [],
    );
    setOpen(beside, true);
    this.#flatten();
  }

  /** @param {Row} row */
  #press({ key, folder }) {
    if (folder) this.#toggle(folder, !this.#isOpen(folder));
    else this.drawn.get(key)?.click();
  }

  /** Letters lead to the next name that begins with them. @param {string} key @param {number} at */
  #type(key, at) {
    const now = performance.now();
    const isNew = now - this.typed.at > TYPING_PAUSE;
    // A blank is a part of a name only where one has begun.
    if (key.length !== 1 || !(isNew ? /[\p{L}\p{N}]/u : /[\p{L}\p{N} _.-]/u).test(key)) return false;
    const text = (isNew ? "" : this.typed.text) + key.toLowerCase();
    this.typed = { text, at: now };
    const start = isNew ? at + 1 : at;
    const order = [...this.rows.keys()].map((i) => (start + i) % this.rows.length);
    const next = order.find((i) => namesOf(this.rows[i]).some((name) => name.toLowerCase().startsWith(text)));
    if (next !== undefined) this.#go(next);
    return true;
  }

  /** @param {number} at */
  #bringIntoSight(at) {
    const height = this.element.offsetHeight / this.rows.length;
    if (!height) return;
    const { scroller } = this;
    const top = this.element.getBoundingClientRect().top + at * height;
    const edge = scroller?.getBoundingClientRect() ?? { top: 0, bottom: window.innerHeight };
    if (top > edge.top + 2 * height && top < edge.bottom - 3 * height) return;
    (scroller ?? window).scrollBy({ top: top - (edge.top + edge.bottom) / 2 });
    this.#paint();
  }
}

/** @param {Row} row */
function namesOf({ folder, entry }) {
  return folder ? [folder.name] : entry ? [entry.title, nameOf(entry.path)] : [];
}

/** @param {Row} row @param {typeof COLUMNS} columns */
function spoken({ folder, entry }, columns) {
  if (folder) return t("folders.spoken", { name: folder.name, count: folder.count });
  if (!entry) return "";
  return [entry.title || nameOf(entry.path), nameOf(entry.path), ...columns.map((column) => column.spoken(entry))].join(
    ", ",
  );
}

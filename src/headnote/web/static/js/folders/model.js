/** Documents → folders → the rows that are seen, and what is told in them. */

import { ago, bytes, dayOf, whole } from "../core/format.js";
import { language, t } from "../core/texts.js";

/** @typedef {import("../types.js").Entry} Entry */

/**
 * A folder with what its documents come to together.
 * @typedef {{name: string, path: string, folders: Folder[], documents: Entry[], count: number, size: number,
 *   changed: number, chunks: number, links: number}} Folder
 */

/**
 * One line of the tree. Levels and places count from 1, as assistive technology does.
 * @typedef {{key: string, folder: Folder|null, entry: Entry|null, level: number, place: number, siblings: number}} Row
 */

/** @typedef {"name"|"title"|"changed"|"size"|"chunks"|"links"} Order */

const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });

/** @param {string} path */
export const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

/** The folders around a document, outermost first. @param {string} path */
export function foldersAbove(path) {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** @param {Entry[]} entries @returns {Folder} The one that has all others. */
export function folderOf(entries) {
  const root = emptyFolder("", "");
  const known = new Map([["", root]]);
  for (const entry of entries) {
    let folder = root;
    add(folder, entry);
    for (const path of foldersAbove(entry.path)) {
      let below = known.get(path);
      if (!below) {
        below = emptyFolder(nameOf(path), path);
        known.set(path, below);
        folder.folders.push(below);
      }
      folder = below;
      add(folder, entry);
    }
    folder.documents.push(entry);
  }
  return root;
}

/** @param {string} name @param {string} path @returns {Folder} */
function emptyFolder(name, path) {
  return { name, path, folders: [], documents: [], count: 0, size: 0, changed: 0, chunks: 0, links: 0 };
}

/** @param {Folder} folder @param {Entry} entry */
function add(folder, entry) {
  folder.count += 1;
  folder.size += entry.size;
  folder.chunks += entry.chunks;
  folder.links += entry.links;
  folder.changed = Math.max(folder.changed, entry.changed);
}

/** Sort a folder and all below it: names from a to z, the newest, largest and most linked first. In place.
 * @param {Folder} folder @param {Order} order @param {boolean} isReversed */
export function sortFolder(folder, order, isReversed) {
  const turn = isReversed ? -1 : 1;
  const byName = (/** @type {Folder} */ a, /** @type {Folder} */ b) => collator.compare(a.name, b.name);
  const amount = order === "name" || order === "title" ? null : order;
  folder.folders.sort((a, b) => turn * (amount ? b[amount] - a[amount] || byName(a, b) : byName(a, b)));
  folder.documents.sort((a, b) => turn * compare(a, b, order));
  for (const below of folder.folders) sortFolder(below, order, isReversed);
}

/** @param {Entry} a @param {Entry} b @param {Order} order */
function compare(a, b, order) {
  const byName = () => collator.compare(nameOf(a.path), nameOf(b.path)) || collator.compare(a.path, b.path);
  if (order === "name") return byName();
  if (order === "title") return collator.compare(a.title || a.path, b.title || b.path) || byName();
  return b[order] - a[order] || byName();
}

/** Folders first, then documents; below each open folder what is in it.
 * @param {Folder} root @param {(folder: Folder) => boolean} isOpen @returns {Row[]} */
export function rowsOf(root, isOpen) {
  /** @type {Row[]} */
  const rows = [];
  const walk = (/** @type {Folder} */ folder, /** @type {number} */ level) => {
    const siblings = folder.folders.length + folder.documents.length;
    let place = 0;
    for (const below of folder.folders) {
      rows.push({ key: `${below.path}/`, folder: below, entry: null, level, place: ++place, siblings });
      if (isOpen(below)) walk(below, level + 1);
    }
    for (const entry of folder.documents)
      rows.push({ key: entry.path, folder: null, entry, level, place: ++place, siblings });
  };
  walk(root, 1);
  return rows;
}

/** Documents whose title or path has all words. @param {Entry[]} entries @param {string[]} words */
export function matching(entries, words) {
  if (words.length === 0) return entries;
  return entries.filter(({ path, title }) => {
    const text = `${path} ${title}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Of all documents, below a folder that opens by itself, … */
const NEARLY_ALL = 0.9;
/** … if what stands beside it stays in sight. */
const FEW_ROWS = 25;

/** Folders that hold nearly all documents, one in the other: nobody should have to open them by hand.
 * @param {Folder} root @returns {string[]} */
export function mainFolders(root) {
  const isMain = (/** @type {Folder} */ { count, folders, documents }, /** @type {Folder} */ above) =>
    above.folders.length + above.documents.length === 1 ||
    (count >= NEARLY_ALL * root.count && folders.length + documents.length <= FEW_ROWS);
  const paths = [];
  for (let above = root; ;) {
    const main = above.folders.find((folder) => isMain(folder, above));
    if (!main) return paths;
    paths.push(main.path);
    above = main;
  }
}

// -- What is told of a document beside its name, and by what lists of documents are sorted

/** @typedef {{size: number, changed: number, chunks: number, links: number}} Amounts */

const RECENT = 14 * 86400;

/** @type {[Order, string][]} */
export const ORDERS = [
  ["name", t("amount.name")],
  ["title", t("amount.title")],
  ["changed", t("amount.changed.date")],
  ["size", t("amount.size")],
  ["chunks", t("amount.chunks")],
  ["links", t("amount.links")],
];

/** @type {{order: keyof Amounts, head: string, short: (amounts: Amounts) => string,
 *   spoken: (amounts: Amounts) => string}[]} */
export const COLUMNS = [
  {
    order: "changed",
    head: t("amount.changed"),
    short: ({ changed }) => when(changed),
    spoken: ({ changed }) => when(changed),
  },
  { order: "size", head: t("amount.size"), short: ({ size }) => bytes(size), spoken: ({ size }) => bytes(size) },
  {
    order: "chunks",
    head: t("amount.chunks"),
    short: ({ chunks }) => whole(chunks),
    spoken: ({ chunks }) => t("count.chunks", { count: chunks }),
  },
  {
    order: "links",
    head: t("amount.links"),
    short: ({ links }) => whole(links),
    spoken: ({ links }) => t("count.links", { count: links }),
  },
];

/** @param {number} seconds Since 1970. */
function when(seconds) {
  return Date.now() / 1000 - seconds < RECENT ? ago(seconds) : dayOf(seconds);
}

/** What is told of a document beside its name, and by what lists of documents are sorted. */

import { ago, bytes, plural, whole } from "../core/format.js";

/** @typedef {import("./model.js").Order} Order */
/** @typedef {{size: number, changed: number, chunks: number, links: number}} Amounts */

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const RECENT = 14 * 86400;

/** @type {[Order, string][]} */
export const ORDERS = [
  ["name", "Name"],
  ["title", "Title"],
  ["changed", "Date changed"],
  ["size", "Size"],
  ["chunks", "Chunks"],
  ["links", "Links"],
];

/** @type {{order: keyof Amounts, head: string, short: (amounts: Amounts) => string,
 *   spoken: (amounts: Amounts) => string}[]} */
export const COLUMNS = [
  { order: "changed", head: "Changed", short: ({ changed }) => when(changed), spoken: ({ changed }) => when(changed) },
  { order: "size", head: "Size", short: ({ size }) => bytes(size), spoken: ({ size }) => bytes(size) },
  {
    order: "chunks",
    head: "Chunks",
    short: ({ chunks }) => whole(chunks),
    spoken: ({ chunks }) => plural(chunks, "chunk"),
  },
  { order: "links", head: "Links", short: ({ links }) => whole(links), spoken: ({ links }) => plural(links, "link") },
];

/** @param {number} seconds Since 1970. */
function when(seconds) {
  return Date.now() / 1000 - seconds < RECENT ? ago(seconds) : DAY.format(new Date(seconds * 1000));
}

/** The documents with some tags: what a tag leads to, before any word is typed. */

import { h } from "../core/dom.js";
import { hrefOf } from "../core/routes.js";

/** @typedef {import("../types.js").Entry} Entry */

/** As the server compares them: without case, and `tools` stands for `tools/saw`, too. @param {string} tag */
const folded = (tag) => tag.trim().toLowerCase().replace(/^#+/, "").replace(/^\/+|\/+$/g, "");

/** Those that have all the tags. @param {Entry[]} entries @param {string[]} tags */
export function withTags(entries, tags) {
  const wanted = tags.map(folded);
  return entries.filter((entry) => {
    const own = entry.tags.map(folded);
    return wanted.every((tag) => own.some((one) => one === tag || one.startsWith(`${tag}/`)));
  });
}

/** @param {Entry[]} entries */
export function documentHits(entries) {
  const items = entries.map(({ path, title }) =>
    h(
      "li",
      { class: "hit" },
      h(
        "a",
        { class: "hit-link", href: hrefOf("document", { path }) },
        h("span", { class: "hit-title" }, title || path),
        h("span", { class: "hit-place mono" }, path),
      ),
    ),
  );
  return h("ol", { class: "hits", "aria-label": "Documents" }, items);
}

/** @param {string[]} tags */
export const tagNames = (tags) => tags.map((tag) => `#${tag.replace(/^#/, "")}`).join(" and ");

/** @param {string[]} tags */
export function nothingTagged(tags) {
  return h("div", { class: "empty" }, h("h2", null, `No document has ${tagNames(tags)}`));
}

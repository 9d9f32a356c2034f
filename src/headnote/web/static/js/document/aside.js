/** The sidebar of a document: outline, backlinks, links, tags and frontmatter. */

import { h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { hrefOf } from "../core/routes.js";

/** @typedef {import("../types.js").DocumentPage} DocumentPage */
/** @typedef {import("../types.js").Link} Link */

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

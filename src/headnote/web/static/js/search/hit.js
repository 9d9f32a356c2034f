/** One hit: its place, its snippet, and why it was found. */

import { CodePoints } from "../core/codepoints.js";
import { crumbs, h } from "../core/dom.js";
import { lines, modelName } from "../core/format.js";
import { hrefOf, hrefOfPlace } from "../core/routes.js";

/** @typedef {import("../types.js").Hit} Hit */
/** @typedef {import("../types.js").Why} Why */

/** The headings above a passage, the title of its document first. @param {Hit} hit */
function pathOf({ breadcrumb, title, path }) {
  if (!title || breadcrumb === title || breadcrumb.startsWith(`${title} > `)) return breadcrumb || path;
  return breadcrumb ? `${title} > ${breadcrumb}` : title;
}

/** @param {Hit} hit @param {string} query @returns {HTMLLIElement} */
export function hitElement(hit, query) {
  const { lines: snippetLines, cut_before: cutBefore } = hit.snippet;
  return h(
    "li",
    { class: "hit" },
    h(
      "a",
      { class: "hit-link", href: hrefOfPlace({ ...hit, start_line: hit.line }, query) },
      h("span", { class: "hit-title" }, crumbs(pathOf(hit))),
      h("span", { class: "hit-place mono" }, `${hit.path}:${hit.line}`),
    ),
    hit.about ? h("p", { class: "hit-about" }, hit.about) : null,
    h("div", { class: cutBefore ? "hit-text cut-before" : "hit-text" }, snippetLines.map(lineElement)),
    reasons(hit),
  );
}

/** A line of the snippet with its marks. @param {import("../types.js").SnippetLine} line */
function lineElement({ text, marks, code }) {
  const points = new CodePoints(text);
  /** @type {(string|HTMLElement)[]} */
  const pieces = [];
  let at = 0;
  for (const [start, end] of marks) {
    pieces.push(points.slice(at, start), h("mark", null, points.slice(start, end)));
    at = end;
  }
  pieces.push(points.slice(at, Infinity));
  return h(
    "p",
    { class: code ? "hit-line code" : "hit-line" },
    pieces.filter((piece) => piece !== ""),
  );
}

/** @param {Hit} hit */
function reasons(hit) {
  const score = h("span", { class: "hit-score numbers" }, hit.score.toFixed(2));
  const meter = h("span", { class: "meter", "aria-hidden": "true" }, h("i"));
  meter.style.setProperty("--part", `${Math.min(100, Math.max(2, hit.score * 100))}%`);
  const summary = h(
    "summary",
    null,
    h("span", null, "Score "),
    score,
    meter,
    h("span", { class: "hit-legs" }, legs(hit.why)),
  );
  return h("details", { class: "disclosure hit-why" }, summary, h("dl", { class: "why" }, rows(hit)));
}

/** @param {Why} why */
function legs(why) {
  const ways = [
    why.keyword_rank !== null && "words",
    why.semantic_rank !== null && "meaning",
    (why.linked_from || why.links_to) && "a link",
  ];
  return ways.filter(Boolean).join(" + ");
}

/** @param {Hit} hit */
function rows({ why, tokens, start_line: first, end_line: last }) {
  /** @type {[string, Node|string][]} */
  const rows = [];
  if (why.keyword_rank !== null)
    rows.push(["By words", `rank ${why.keyword_rank}, BM25 ${why.keyword_score.toFixed(2)}`]);
  else rows.push(["By words", "not found"]);
  if (why.semantic_rank !== null)
    rows.push([
      "By meaning",
      `rank ${why.semantic_rank}, similarity ${why.similarity.toFixed(3)}, model ${modelName(why.model)}`,
    ]);
  else rows.push(["By meaning", "not found"]);
  if (why.matched.length > 0)
    rows.push([
      "Matched words",
      h(
        "span",
        null,
        why.matched.map((word) => h("span", { class: "chip" }, word)),
      ),
    ]);
  if (why.guesses.length > 0)
    rows.push(["Guessed", why.guesses.map(({ typed, found }) => `${typed} → ${found}`).join(", ")]);
  if (why.share_reason) {
    const meaning = Math.round(100 * why.meaning_share);
    rows.push(["Weights", `meaning ${meaning}%, words ${100 - meaning}%: ${why.share_reason}`]);
  }
  if (why.linked_from) rows.push(["Linked from", linkTo(why.linked_from)]);
  if (why.links_to) rows.push(["Links to", linkTo(why.links_to)]);
  if (why.about !== 1) rows.push(["Context", `× ${why.about.toFixed(2)}`]);
  if (why.recency !== 1) rows.push(["Recency", `× ${why.recency.toFixed(2)}`]);
  rows.push(["Passage", `lines ${lines(first, last)}, ${tokens} tokens`]);
  return rows.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)]);
}

/** @param {string} place as path:line */
function linkTo(place) {
  const colon = place.lastIndexOf(":");
  return h("a", { href: hrefOf("document", { path: place.slice(0, colon), line: place.slice(colon + 1) }) }, place);
}

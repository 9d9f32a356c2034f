/** Hits as rows of the palette: documents by their title, sections by their heading, passages by their words. */

import { CodePoints } from "../core/codepoints.js";
import { hrefOf, hrefOfPlace } from "../core/routes.js";

/** @typedef {import("../types.js").Hit} Hit */
/**
 * A row: its title, with marks as offsets, what stands beside it, and what it does.
 * @typedef {{title: string, marks?: [number, number][], detail?: string, hint?: string, run: () => void}} Row
 * @typedef {{name: string, rows: Row[]}} Group
 */

const MOST = 6;

/** @param {Hit[]} hits @param {string} query @returns {Group[]} */
export function groupsOf(hits, query) {
  /** @type {Map<string, Row>} */
  const documents = new Map();
  /** @type {Map<string, Row>} */
  const headings = new Map();
  /** @type {Row[]} */
  const passages = [];
  for (const hit of hits) {
    const heading = hit.breadcrumb.split(" > ").at(-1) ?? "";
    const isByTitle = names(hit.title, hit);
    if (isByTitle && !documents.has(hit.path)) documents.set(hit.path, documentRow(hit));
    if (heading !== hit.title && names(heading, hit)) {
      const section = `${hit.path} ${hit.breadcrumb}`;
      // The best hit comes first.
      if (!headings.has(section)) headings.set(section, headingRow(hit, heading));
    } else if (!isByTitle) passages.push(passageRow(hit, query));
  }
  return [
    { name: "Documents", rows: [...documents.values()].slice(0, MOST) },
    { name: "Headings", rows: [...headings.values()].slice(0, MOST) },
    { name: "Passages", rows: passages.slice(0, MOST) },
  ].filter(({ rows }) => rows.length > 0);
}

/** Whether a name has all words of the query that the passage has. @param {string} name @param {Hit} hit */
function names(name, { why }) {
  const text = name.toLowerCase();
  return why.matched.length > 0 && why.matched.every((word) => text.includes(word.toLowerCase()));
}

/** Where the words of the query stand in a name. @param {string} text @param {Hit} hit @returns {[number, number][]} */
function marksIn(text, { why }) {
  /** @type {[number, number][]} */
  const marks = [];
  for (const word of why.matched) {
    const at = text.toLowerCase().indexOf(word.toLowerCase());
    if (at >= 0 && marks.every(([start, end]) => at >= end || at + word.length <= start))
      marks.push([at, at + word.length]);
  }
  return marks.sort(([one], [other]) => one - other);
}

/** @param {string} href */
const goTo = (href) => () => {
  location.hash = href;
};

/** @param {Hit} hit @returns {Row} */
function documentRow(hit) {
  const run = goTo(hrefOf("document", { path: hit.path }));
  return { title: hit.title, marks: marksIn(hit.title, hit), detail: hit.path, run };
}

/** @param {Hit} hit @param {string} heading @returns {Row} */
function headingRow(hit, heading) {
  const run = goTo(hrefOf("document", { path: hit.path, line: hit.start_line }));
  return { title: heading, marks: marksIn(heading, hit), detail: `${hit.title} · ${hit.path}`, run };
}

/** @param {Hit} hit @param {string} query @returns {Row} */
function passageRow(hit, query) {
  const line = hit.snippet.lines.find(({ marks }) => marks.length > 0) ?? hit.snippet.lines[0];
  const run = goTo(hrefOfPlace({ ...hit, start_line: hit.line }, query));
  const detail = `${hit.path}:${hit.line}`;
  if (!line) return { title: hit.breadcrumb || hit.title, detail, run };
  const points = new CodePoints(line.text);
  /** @type {[number, number][]} */
  const marks = line.marks.map(([start, end]) => [points.unit(start), points.unit(end)]);
  return { title: line.text, marks, detail, run };
}

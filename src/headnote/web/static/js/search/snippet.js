/** The few lines of a passage that show why it was found. */

import { CodePoints } from "../core/codepoints.js";

/**
 * @typedef {{text: string, marked: boolean}} Piece
 * @typedef {{pieces: Piece[], code: boolean}} Line
 * @typedef {{start: number, text: string, kind: "prose"|"code"|"heading"|"blank", marks: [number, number][]}} SourceLine
 */

const MOST_LINES = 5;
const MOST_CHARACTERS = 420;
const BEFORE_MARK = 90;
/** What a reader of the rendered text would not see: emphasis, code marks, addresses of links, heading marks, indents. */
const SIGNS = /(?<=\S )\s+|^#{1,6}\s+|\*\*|__|`+|!?\[(?=[^\]]*\]\()|\]\([^)]*\)|\[\[|\]\]/g;
const OPENS_BLOCK = /^\s*(?:[-*+>|]|\d+[.)]\s|#{1,6}\s|<|```|~~~|\[\^)/;

/**
 * @param {string} text Of the passage.
 * @param {[number, number][]} marks Code points of words that matched.
 * @returns {{lines: Line[], cutBefore: boolean}}
 */
export function snippet(text, marks) {
  const points = new CodePoints(text);
  const units = marks.map(([start, end]) => /** @type {[number, number]} */ ([points.unit(start), points.unit(end)]));
  const all = sourceLines(text, units.sort((a, b) => a[0] - b[0])).filter((line) => line.kind !== "blank");
  const first = bestStart(all);
  /** @type {SourceLine[]} */
  const chosen = [];
  let length = 0;
  for (const line of all.slice(first, first + MOST_LINES)) {
    if (chosen.length > 0 && length + line.text.length > MOST_CHARACTERS) break;
    chosen.push(line);
    length += line.text.length;
  }
  return { lines: chosen.map(toLine), cutBefore: all.slice(0, first).some((line) => line.kind !== "heading") };
}

/** Lines as they are read: a paragraph that goes over several is one. @param {string} text @param {[number, number][]} marks */
function sourceLines(text, marks) {
  /** @type {SourceLine[]} */
  const lines = [];
  let start = 0;
  let fenced = false;
  for (const line of text.split("\n")) {
    const isFence = /^\s*(```|~~~)/.test(line);
    const kind = isFence ? "blank" : kindOf(line, fenced);
    const before = lines.at(-1);
    // One character for one line end: places in the text stay what they are.
    if (before?.kind === "prose" && kind === "prose" && !OPENS_BLOCK.test(line)) before.text += ` ${line}`;
    else lines.push({ start, text: line, kind, marks: [] });
    if (isFence) fenced = !fenced;
    start += line.length + 1;
  }
  let at = 0;
  for (const mark of marks) {
    while (at + 1 < lines.length && lines[at + 1].start <= mark[0]) at += 1;
    lines[at].marks.push(mark);
  }
  return lines;
}

/** @param {string} line @param {boolean} fenced @returns {SourceLine["kind"]} */
function kindOf(line, fenced) {
  if (line.trim() === "" || (!fenced && /^[\s:|*_-]+$/.test(line) && !/^-+\s*$/.test(line))) return "blank";
  if (fenced || line.trimStart().startsWith("|")) return "code";
  return /^#{1,6}\s/.test(line) || /^(=+|-+)\s*$/.test(line) ? "heading" : "prose";
}

/** The line after which most marks follow; headings are in the breadcrumb already. @param {SourceLine[]} lines */
function bestStart(lines) {
  let best = Math.max(lines.findIndex((line) => line.kind !== "heading"), 0);
  let most = count(lines, best);
  for (let i = best + 1; i < lines.length; i += 1) {
    const here = lines[i].marks.length > 0 ? count(lines, i) : 0;
    if (here > most) [best, most] = [i, here];
  }
  return best;
}

/** @param {SourceLine[]} lines @param {number} from */
function count(lines, from) {
  return lines.slice(from, from + MOST_LINES).reduce((sum, line) => sum + line.marks.length, 0);
}

/** @param {SourceLine} line @returns {Line} */
function toLine({ start, text, marks, kind }) {
  const [from, to] = window(text, marks.length > 0 ? marks[0][0] - start : 0);
  const signs = kind === "code" ? [] : [...text.matchAll(SIGNS)].map((sign) => [sign.index, sign.index + sign[0].length]);
  const seen = (/** @type {number} */ begin, /** @type {number} */ end) => withoutSigns(text, begin, end, signs);
  /** @type {Piece[]} */
  const pieces = from > 0 ? [{ text: "… ", marked: false }] : [];
  let at = from;
  for (const [first, last] of marks) {
    const begin = Math.max(first - start, at);
    const end = Math.min(last - start, to);
    if (end <= begin) continue;
    if (begin > at) pieces.push({ text: seen(at, begin), marked: false });
    pieces.push({ text: seen(begin, end), marked: true });
    at = end;
  }
  if (at < to) pieces.push({ text: seen(at, to), marked: false });
  if (to < text.length) pieces.push({ text: " …", marked: false });
  return { pieces: pieces.filter((piece) => piece.text !== ""), code: kind === "code" };
}

/** @param {string} text @param {number} begin @param {number} end @param {number[][]} signs Ranges that are left out. */
function withoutSigns(text, begin, end, signs) {
  let seen = "";
  let at = begin;
  for (const [first, last] of signs) {
    if (last <= at || first >= end) continue;
    seen += text.slice(at, Math.max(at, first));
    at = Math.min(last, end);
  }
  return seen + text.slice(at, end);
}

/** The part of a long line that is shown: whole words, the first mark among them. @param {string} text @param {number} mark */
function window(text, mark) {
  if (text.length <= MOST_CHARACTERS) return [0, text.length];
  const from = mark > BEFORE_MARK * 2 ? text.indexOf(" ", mark - BEFORE_MARK) + 1 : 0;
  const wanted = from + MOST_CHARACTERS;
  const to = wanted >= text.length ? text.length : text.lastIndexOf(" ", wanted);
  return [from, to > from ? to : Math.min(wanted, text.length)];
}

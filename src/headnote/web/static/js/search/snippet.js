/** The few lines of a passage that show why it was found. */

import { CodePoints } from "../core/codepoints.js";

/**
 * @typedef {{text: string, marked: boolean}} Piece
 * @typedef {{pieces: Piece[], code: boolean}} Line
 * @typedef {{start: number, text: string, code: boolean, heading: boolean, marks: [number, number][]}} SourceLine
 */

const MOST_LINES = 5;
const MOST_CHARACTERS = 420;

/**
 * @param {string} text Of the passage.
 * @param {[number, number][]} marks Code points of words that matched.
 * @returns {{lines: Line[], cutBefore: boolean, cutAfter: boolean}}
 */
export function snippet(text, marks) {
  const points = new CodePoints(text);
  const units = marks.map(([start, end]) => /** @type {[number, number]} */ ([points.unit(start), points.unit(end)]));
  const all = sourceLines(text, units).filter((line) => line.text.trim() !== "");
  const first = bestStart(all);
  /** @type {SourceLine[]} */
  const chosen = [];
  let length = 0;
  for (const line of all.slice(first, first + MOST_LINES)) {
    if (chosen.length > 0 && length + line.text.length > MOST_CHARACTERS) break;
    chosen.push(line);
    length += line.text.length;
  }
  return { lines: chosen.map(toLine), cutBefore: first > 0, cutAfter: first + chosen.length < all.length };
}

/** @param {string} text @param {[number, number][]} marks @returns {SourceLine[]} */
function sourceLines(text, marks) {
  const lines = [];
  let start = 0;
  let fenced = false;
  for (const line of text.split("\n")) {
    const isFence = /^\s*(```|~~~)/.test(line);
    const end = start + line.length;
    const own = marks.filter(([from, to]) => from < end && to > start);
    lines.push({
      start,
      text: isFence ? "" : line,
      code: fenced || line.trimStart().startsWith("|"),
      heading: !fenced && (/^#{1,6}\s/.test(line) || /^(=+|-+)\s*$/.test(line)),
      marks: own,
    });
    if (isFence) fenced = !fenced;
    start = end + 1;
  }
  return lines;
}

/** The line after which most different marks follow; headings are in the breadcrumb already. @param {SourceLine[]} lines */
function bestStart(lines) {
  const body = lines.findIndex((line) => !line.heading);
  let best = Math.max(body, 0);
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
function toLine({ start, text, marks, code }) {
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0;
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    const begin = Math.max(from - start, at);
    const end = Math.min(to - start, text.length);
    if (end <= begin) continue;
    if (begin > at) pieces.push({ text: text.slice(at, begin), marked: false });
    pieces.push({ text: text.slice(begin, end), marked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return { pieces, code };
}

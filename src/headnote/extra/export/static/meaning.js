// The vector of a query: the sum of the vectors of its word pieces, of which only those are fetched.

import { placeOf, Reader } from "./shards.js";

const DIMENSIONS = 256;
const MAX_WORD_CHARS = 100;
const UNKNOWN = 100;
const WORD = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;
/** Shard → its pieces with their rows. @type {WeakMap<DataView, Map<string, number>>} */
const READ = new WeakMap();

/** @typedef {import("./shards.js").Shards | import("./shards.js").Visit} Shards */

/** The words that the model reads: lower case, without accents, punctuation apart. @param {string} text */
export function wordsOf(text) {
  const visible = text.replace(/[\t\n\r]/g, " ").normalize("NFD").replace(/[\p{Mn}\p{Cc}\p{Cf}\ufffd]/gu, "");
  return visible.toLowerCase().replace(/[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g, " $& ").match(WORD) ?? [];
}

/** The direction of a text; undefined if the model reads nothing in it. @param {Shards} shards @param {string} text */
export async function vectorOf(shards, text) {
  const pieces = (await Promise.all(wordsOf(text).map((word) => piecesOf(shards, word)))).flat();
  const rows = await Promise.all(pieces.map((piece) => rowOf(shards, piece)));
  const sum = new Float32Array(DIMENSIONS);
  for (const { weight, row } of rows) for (let at = 0; at < DIMENSIONS; at++) sum[at] += weight * row[at];
  const length = Math.hypot(...sum);
  return length ? sum.map((value) => value / length) : undefined;
}

/**
 * The rows of the pieces of a word: the longest that it begins with, then the longest that goes on from there.
 * @param {Shards} shards @param {string} word @returns {Promise<number[]>}
 */
export async function piecesOf(shards, word) {
  if (word.length > MAX_WORD_CHARS) return [UNKNOWN];
  /** @type {number[]} */
  const rows = [];
  let start = 0;
  while (start < word.length) {
    const mark = start ? "##" : "";
    const [long, single] = await Promise.all([
      piecesAt(shards, mark + word.slice(start, start + 2)),
      piecesAt(shards, mark),
    ]);
    let end = word.length;
    while (end > start && rowNamed(mark + word.slice(start, end), long, single) === undefined) end--;
    if (end === start) return [UNKNOWN];
    rows.push(/** @type {number} */ (rowNamed(mark + word.slice(start, end), long, single)));
    start = end;
  }
  return rows;
}

/** @param {string} piece @param {Map<string, number>} long @param {Map<string, number>} single */
function rowNamed(piece, long, single) {
  return long.get(piece) ?? single.get(piece);
}

/** The pieces of a shard with their rows. @param {Shards} shards @param {string} key */
async function piecesAt(shards, key) {
  const contents = await shards.contents();
  const view = await shards.shard(contents.pieces, placeOf(contents.first_pieces, key));
  const known = READ.get(view);
  if (known) return known;
  const reader = new Reader(view);
  /** @type {Map<string, number>} */
  const rows = new Map();
  while (!reader.isDone) rows.set(reader.text(), reader.number());
  READ.set(view, rows);
  return rows;
}

/** @param {Shards} shards @param {number} piece */
async function rowOf(shards, piece) {
  const contents = await shards.contents();
  const view = await shards.shard(contents.model, Math.floor(piece / contents.rows));
  const start = (piece % contents.rows) * (4 + DIMENSIONS);
  return {
    weight: view.getInt32(start, true),
    row: new Int8Array(view.buffer, view.byteOffset + start + 4, DIMENSIONS),
  };
}

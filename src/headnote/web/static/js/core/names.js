/** What documents and headings are called, in memory: what is typed finds them at once, before any passage is found. */

import { get } from "./api.js";
import { contents, currentStatus } from "./status-feed.js";

/**
 * A document by its title, or a heading in one; `folded` has the words of the name as they are compared.
 * @typedef {{text: string, folded: string, path: string, title: string, line: number, isOwnLine: boolean}} Name
 * @typedef {{documents: Name[], headings: Name[]}} Names
 * @typedef {{name: Name, marks: [number, number][]}} Match
 */

/** @type {Names} */
let names = { documents: [], headings: [] };
/** @type {number|null} */
let generation = null;

/** Read the names anew if the index has changed. What was read before stays until then. */
export async function readNames() {
  const now = currentStatus()?.generation ?? null;
  if (now !== null && now === generation) return;
  const [entries, answer] = await Promise.all([contents(), get("/api/headings")]);
  const documents = entries.map(({ path, title }) => nameOf(title || path, path, title || path, [0, true]));
  const headings = entries.flatMap(({ path, title }) =>
    (answer.headings[path] ?? []).map((/** @type {[string, number, boolean]} */ [text, ...place]) =>
      nameOf(text, path, title || path, place),
    ),
  );
  names = { documents, headings: headings.filter(({ text, title }) => text !== title) };
  generation = now;
}

/** Whether names have been read. */
export const areNamesKnown = () => names.documents.length > 0;

/** @param {string} text @param {string} path @param {string} title @param {[number, boolean]} place @returns {Name} */
const nameOf = (text, path, title, [line, isOwnLine]) => ({ text, folded: fold(text), path, title, line, isOwnLine });

/**
 * The names that have all the words, each at the beginning of one of theirs; the best first.
 * @param {string} query @param {number} limit Of each kind.
 */
export function namesWith(query, limit) {
  const words = fold(query).split(/\s+/).filter(Boolean);
  return { documents: best(names.documents, words, limit), headings: best(names.headings, words, limit) };
}

/** @param {Name[]} all @param {string[]} words @param {number} limit @returns {Match[]} */
function best(all, words, limit) {
  /** @type {{name: Name, marks: [number, number][], rank: number}[]} */
  const found = [];
  for (const name of words.length > 0 ? all : []) {
    const marks = words.map((word) => wordAt(name.folded, word));
    if (marks.some((at) => at < 0)) continue;
    const spans = words.map((word, i) => /** @type {[number, number]} */ ([marks[i], marks[i] + word.length]));
    found.push({ name, marks: apart(spans), rank: rankOf(name.folded, words) });
  }
  found.sort((one, other) => one.rank - other.rank || one.name.text.length - other.name.text.length);
  return found.slice(0, limit);
}

/**
 * The lower, the nearer: the name itself, its beginning, words in a row.
 * @param {string} name @param {string[]} words
 */
function rankOf(name, words) {
  const phrase = words.join(" ");
  return name === phrase ? 0 : name.startsWith(phrase) ? 1 : name.includes(phrase) ? 2 : 3;
}

/** Where a word begins with these letters; -1 if none does. @param {string} text @param {string} letters */
function wordAt(text, letters) {
  for (let at = text.indexOf(letters); at >= 0; at = text.indexOf(letters, at + 1))
    if (at === 0 || !WORD.test(text[at - 1]) || !WORD.test(letters[0]) || WIDE.test(letters[0])) return at;
  return -1;
}

const WORD = /[\p{L}\p{N}]/u;
/** Written without blanks: any letter may begin a word. */
const WIDE = /[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** In order, and none twice. @param {[number, number][]} spans @returns {[number, number][]} */
function apart(spans) {
  spans.sort(([one], [other]) => one - other);
  return spans.filter(([start], at) => at === 0 || start >= spans[at - 1][1]);
}

/** Without case and accents, letter by letter, so that places stay what they are. @param {string} text */
function fold(text) {
  const lower = text.toLowerCase();
  if (/^[\0-\x7f]*$/.test(lower)) return lower;
  return Array.from(text, (letter) => {
    const plain = letter.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    return plain.length === letter.length ? plain : letter;
  }).join("");
}

// -- What somebody may have meant by a path that leads nowhere

/** The documents with the most similar names, the best first. @param {string} path @param {number} limit */
export function nearestTo(path, limit) {
  const wanted = pairsOf(stem(path));
  const near = names.documents.map((name) => {
    const own = [stem(name.path), name.folded].map((one) => likeness(wanted, pairsOf(one)));
    return { name, likeness: Math.max(...own) };
  });
  near.sort((one, other) => other.likeness - one.likeness);
  return near.slice(0, limit).filter((one) => one.likeness >= ALIKE).map((one) => one.name);
}

/** Of 1: below, names have little in common. */
const ALIKE = 0.4;

/** The name of a file, without what follows its dot. @param {string} path */
export const stem = (path) => fold(path.split("/").at(-1) ?? "").replace(/\.[^.]*$/, "");

/** Each two letters that follow one another. @param {string} text */
const pairsOf = (text) => new Set(Array.from(text.slice(1), (_, at) => text.slice(at, at + 2)));

/** @param {Set<string>} one @param {Set<string>} other */
function likeness(one, other) {
  const common = [...one].filter((pair) => other.has(pair)).length;
  return (2 * common) / Math.max(1, one.size + other.size);
}

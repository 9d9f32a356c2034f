// Text to the terms by which pages are found. The exporter cuts pages in the same way: extra/export/shards.py.

import { stem } from "./stemmer.js";

const MAX_CHARS = 80;
const MAX_PARTS = 24;
const TYPOGRAPHY = /[’‘“”–—…\u00a0]/g;
const WORD = /(?:--?|[#.@$])?[0-9A-Za-z]+(?:[-._']{1,3}[0-9A-Za-z]+)*(?:\+\+|#(?![0-9A-Za-z]))?|[^\x00-\x7f]+/g;
const WITHOUT_BLANKS = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+/gu;
const FUNCTION_WORDS = new Set(
  `a about after all also am an and any are as at be been before between both but by can could did do does each few for
  from had has have how i if in into is it its may me more most my no not of on or other our over same should so some
  such than that the their them then there these they this through to under until up us use using very was we were what
  when where which while who why will with would you your`.split(/\s+/),
);

/** The words of a text as they are compared: without accents. @param {string} text */
function wordsOf(text) {
  const plain = text.replace(TYPOGRAPHY, (mark) => (mark === "’" ? "'" : " "));
  return plain.normalize("NFKC").normalize("NFD").replace(/\p{Mn}/gu, "").match(WORD) ?? [];
}

/** All terms of a text, in order. @param {string} text */
export function termsOf(text) {
  return wordsOf(text).flatMap((word) => (/^[\x00-\x7f]*$/.test(word) ? asciiTerms(word) : otherTerms(word)));
}

/** What a query is about: its terms without function words, each once. @param {string} query */
export function queryTerms(query) {
  const all = [...new Set(termsOf(query))];
  const functions = new Set([...FUNCTION_WORDS].flatMap(asciiTerms));
  const content = all.filter((term) => !functions.has(term));
  return content.length ? content : all;
}

/** Other scripts: words as they are, and pairs of characters where there are no blanks. @param {string} word */
function otherTerms(word) {
  const pairs = (word.match(WITHOUT_BLANKS) ?? []).flatMap((run) => {
    const characters = [...run];
    return [...characters.slice(1).map((one, at) => characters[at] + one), ...characters];
  });
  const rest = word.replace(WITHOUT_BLANKS, " ").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...pairs, ...rest.map((one) => [...one].slice(0, MAX_CHARS).join(""))];
}

/** @param {string} word */
function asciiTerms(word) {
  const marked = /^(--?|[#.@$])?(.+?)(\+\+|#)?$/s.exec(word);
  if (!marked) return [];
  const [, before = "", , behind = ""] = marked;
  const core = withoutContraction(marked[2]);
  const parts = core.match(/[^-._'+#@$]+/g) ?? [];
  if (!parts.length) return [];
  const mark = before || behind ? [(before + core.replaceAll("'", "") + behind).toLowerCase().slice(0, MAX_CHARS)] : [];
  if (parts.length === 1) return [...mark, ...partTerms(parts[0])];
  const wholes = parts.length <= MAX_PARTS ? wholeTerms(parts) : [];
  return [...mark, ...wholes, ...parts.flatMap(partTerms)];
}

/** @param {string} core */
function withoutContraction(core) {
  const match = /^(.+)'(s|t|re|ve|ll|d|m)$/is.exec(core);
  if (!match) return core;
  return match[2].toLowerCase() === "s" ? match[1] : match[1] + match[2];
}

/** All parts run together; of a version its beginnings. @param {string[]} parts */
function wholeTerms(parts) {
  const joined = parts.map((part, at) => {
    const joint = at && /[0-9]$/.test(parts[at - 1]) && /^[0-9]/.test(part) ? "." : "";
    return joint + part.toLowerCase();
  });
  const whole = joined.join("");
  if (!/^[0-9]+$/.test(whole.replaceAll(".", "").replace(/^v/, ""))) return [stemmed(whole)];
  const versions = joined.slice(1).map((_, at) => joined.slice(0, at + 2).join("").slice(0, MAX_CHARS));
  return [...versions, ...versions.filter((one) => one.startsWith("v")).map((one) => one.slice(1))];
}

/** A part, and the words in it: `ConfigMap`, `python3`. @param {string} part */
function partTerms(part) {
  const lower = part.toLowerCase();
  const terms = [stemmed(lower)];
  const numbered = /^([a-z]{3,})[0-9]+$/.exec(lower);
  if (numbered) terms.push(stemmed(numbered[1]));
  if (hasHumps(part)) {
    const humps = part.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g) ?? [];
    if (humps.length > 1 && humps.length <= MAX_PARTS) terms.push(...humps.map((hump) => stemmed(hump.toLowerCase())));
  }
  return terms;
}

/** @param {string} part */
function hasHumps(part) {
  const inner = part.slice(1);
  const isLower = /[a-z]/.test(inner) && !/[A-Z]/.test(inner);
  const isUpper = /[A-Z]/.test(part) && !/[a-z]/.test(part);
  return !isLower && !isUpper && !/^[A-Z]{2,}s$/.test(part) && inner !== inner.toLowerCase();
}

/** @param {string} word */
function stemmed(word) {
  const short = word.slice(0, MAX_CHARS);
  return /^[a-z]+$/.test(short) ? stem(short) : short;
}

// A search: by words and by meaning, from the few shards that the query needs. It ranks as headnote does.

import { vectorOf } from "./meaning.js";
import { placeOf, Reader, Shards } from "./shards.js";
import { queryTerms } from "./terms.js";

const [K1, B] = [1.2, 0.75];
const DEPTH = 200;
/** Below this, nothing answers a query: ranking.py says what it is measured on. */
const RELEVANT = 0.27;
const [CERTAINTY_OF_WORDS, CERTAINTY_OF_BOTH] = [0.6, 0.88];
const [MIN_STANDING_OUT, TIMES_THE_NEXT, MAX_STANDING_OUT] = [0.2, 3, 8];
const [SHARE, LONG_LOSS, SHORT, LONG] = [0.65, 0.15, 6, 12];
const FORGIVEN = 1;
const COMPLETED = 0.8;
const MAX_COMPLETIONS = 40;
/** A last word that less than one in so many chunks has may be the beginning of another one. */
const RARE = 1000;
/** So many of the best hits pass on this much of their score to those they link to, and less against the link. */
const [LINK_SOURCES, LINKED, LINKING] = [5, 0.05, 0.01];
const REPEATED = 0.95;
const HALF = 0.5;
/** Clusters that are read because they are near, and because they have the best words. */
const [NEAR, WORDED] = [5, 4];
/**
 * Bytes of an answer, and of one cluster and one group. What the words of a query leave is for looking around. Script,
 * styles and the headers of responses come on top: 60 kB.
 */
const [BUDGET, CLUSTER_BYTES, GROUP_BYTES] = [220_000, 6_000, 3_200];
const [MIN_GROUPS, MAX_GROUPS] = [10, 32];
/** What is left of a similarity that is only known of the cluster. */
const BY_CLUSTER = 0.9;

/** @typedef {import("./shards.js").Visit} Visit */
/** @typedef {{ term: string, shares: Map<string, number>, isUnfinished: boolean }} Reading */
/**
 * @typedef {{ url: string, title: string, headings: string[], text: string, links: number[],
 *   chunk: number, score: number, terms: string[] }} Hit
 */

export class Engine {
  /** @param {URL} base  Where the export is. */
  constructor(base) {
    this.shards = new Shards(base);
  }

  /** @param {string} query @param {number} [limit] @returns {Promise<Hit[]>} */
  async search(query, limit = 10) {
    const shards = this.shards.visit();
    const contents = await shards.contents();
    const [words, read] = await Promise.all([byWords(shards, query), vectorOf(shards, query)]);
    const isBegun = words.ranking.length > 0 && words.readings.every((reading) => reading.isUnfinished);
    const vector = isBegun ? undefined : read; // half a word has no meaning yet
    const share = vector ? (words.ranking.length ? shareOf(words.readings) : 1) : 0;
    const value = (1 - share) * words.coverage;
    const best = words.ranking[0]?.[1] || 1;
    const near = vector ? await byMeaning(shards, vector, words.ranking) : new Map();
    const scores = new Map([...near].map(([chunk, similarity]) => [chunk, share * similarity]));
    for (const [chunk, score] of words.ranking) {
      scores.set(chunk, (scores.get(chunk) ?? 0) + (value * score) / best);
    }
    const wordScores = new Map(words.ranking);
    const ranked = [...scores].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    const most = Math.floor(clamped((BUDGET - shards.bytes) / GROUP_BYTES, MIN_GROUPS, MAX_GROUPS));
    /** @type {Set<number>} */
    const groups = new Set();
    for (const [chunk] of ranked) {
      if (groups.size >= most) break;
      groups.add(Math.floor(chunk / contents.group));
    }
    const looked = (await Promise.all([...groups].map((group) => details(shards, group, vector)))).flat();
    const hits = looked.map(({ chunk, record, similarity }) => ({
      ...record,
      links: record.links ?? [],
      chunk,
      score: share * Math.max(similarity, 0) + (value * (wordScores.get(chunk) ?? 0)) / best,
      terms: [...words.readings.flatMap((reading) => [...reading.shares.keys()])],
    }));
    if (relevanceOf(words, vector ? looked : []) < RELEVANT && !standsOut(hits, looked)) return [];
    return chosen(withLinks(hits), limit);
  }
}

/**
 * How certain it is that the best hit answers the query.
 * @param {{ readings: Reading[], coverage: number }} words @param {{ similarity: number }[]} looked
 */
function relevanceOf({ readings, coverage }, looked) {
  const byWords = Math.min(coverage * Math.max(readings.length / LONG, 1), 1);
  const nearest = Math.max(0, ...looked.map(({ similarity }) => similarity));
  if (!nearest) return byWords;
  const unfinished = readings.filter((reading) => reading.isUnfinished).length;
  const share = SHARE * (1 - unfinished / Math.max(readings.length, 1));
  const both = (1 - share) * byWords + share * nearest;
  return Math.max(CERTAINTY_OF_WORDS * byWords, CERTAINTY_OF_BOTH * both);
}

/**
 * Whether one page is far nearer in meaning than everything else.
 * @param {{ url: string }[]} hits @param {{ similarity: number }[]} looked
 */
function standsOut(hits, looked) {
  const nearest = Math.max(0, ...looked.map(({ similarity }) => similarity));
  const near = hits.filter((_, at) => looked[at].similarity * TIMES_THE_NEXT > nearest);
  if (nearest < MIN_STANDING_OUT || near.length > MAX_STANDING_OUT || near.length === hits.length) return false;
  return new Set(near.map(({ url }) => url.split("#")[0])).size === 1;
}

/** Chunks that have terms of the query, best first, as BM25 ranks them. @param {Visit} shards @param {string} query */
async function byWords(shards, query) {
  const contents = await shards.contents();
  const terms = queryTerms(query);
  const last = /\S$/.test(query) ? terms.at(-1) : undefined;
  const found = await Promise.all(terms.map((term) => postingsOf(shards, term, term === last)));
  /** @type {Map<number, number>} */
  const sums = new Map();
  /** @type {Map<number, number>} */
  const covered = new Map();
  const weights = found.map(({ count }) => Math.log1p(contents.chunks / (1 + count)));
  found.forEach(({ postings, parts }, at) => {
    for (const { chunk, score } of postings) sums.set(chunk, (sums.get(chunk) ?? 0) + score);
    for (const [chunk, part] of parts) covered.set(chunk, (covered.get(chunk) ?? 0) + part * weights[at]);
  });
  const known = sum(weights.filter((_, at) => found[at].postings.length));
  const unknown = weights.filter((_, at) => !found[at].postings.length);
  const total = known + (unknown.length === 1 ? Math.min(unknown[0], FORGIVEN * known) : sum(unknown));
  const ranking = [...sums].sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, DEPTH);
  const most = Math.max(0, ...ranking.slice(0, 3).map(([chunk]) => covered.get(chunk) ?? 0));
  const readings = found.map(({ reading }) => reading);
  return { ranking, readings, coverage: total ? most / total : 0 };
}

/**
 * What a term adds to the score of each chunk. An unfinished word stands for those that it begins.
 * @param {Visit} shards @param {string} term @param {boolean} isOpen
 */
async function postingsOf(shards, term, isOpen) {
  const contents = await shards.contents();
  const shard = await shards.shard(contents.words, placeOf(contents.first_terms, term));
  /** @type {{ term: string, at: number, count: number }[]} */
  const begun = [];
  const reader = new Reader(shard);
  /** @type {{ term: string, at: number, count: number } | undefined} */
  let own;
  while (!reader.isDone) {
    const name = reader.text();
    const [count, length] = [reader.number(), reader.number()];
    if (name === term) own = { term, at: reader.at, count };
    else if (isOpen && term.length > 1 && name.startsWith(term)) begun.push({ term: name, at: reader.at, count });
    reader.at += length;
  }
  const isRare = (own?.count ?? 0) * RARE < contents.chunks;
  const longer = isRare ? begun.sort((one, other) => other.count - one.count).slice(0, MAX_COMPLETIONS) : [];
  const all = sum(longer.map((entry) => entry.count));
  const shares = new Map(longer.map((entry) => [entry.term, (COMPLETED * entry.count) / all]));
  if (own) shares.set(term, 1);
  const entries = own ? [...longer, own] : longer;
  /** How much of the word a chunk has. @type {Map<number, number>} */
  const parts = new Map();
  const postings = entries.flatMap((entry) => scored(shard, entry, contents, shares.get(entry.term) ?? 1));
  for (const { chunk, share } of postings) parts.set(chunk, share === 1 ? 1 : COMPLETED);
  const reading = { term, shares, isUnfinished: longer.length > 0 };
  return { reading, postings, parts, count: own?.count ?? 0 };
}

/**
 * How near chunks are: those of the nearest clusters, and those with the best words.
 * @param {Visit} shards @param {Float32Array} vector @param {[number, number][]} words
 */
async function byMeaning(shards, vector, words) {
  const contents = await shards.contents();
  const centres = new Reader(await shards.shard(contents.centres, 0));
  const near = contents.sizes.map((/** @type {number} */ _, /** @type {number} */ at) => ({
    at,
    similarity: centres.similarity(vector),
  }));
  /** @type {number[]} */
  const starts = [0];
  for (const size of contents.sizes) starts.push(starts[starts.length - 1] + size);
  const clusterOf = (/** @type {number} */ chunk) => lastNotAbove(starts, chunk);
  const nearest = [...near].sort((one, other) => other.similarity - one.similarity).slice(0, NEAR);
  const read = new Set(nearest.map(({ at }) => at));
  const left = BUDGET - shards.bytes - NEAR * CLUSTER_BYTES - MIN_GROUPS * GROUP_BYTES;
  const worded = clamped(Math.floor(left / CLUSTER_BYTES), 0, WORDED);
  for (const [chunk] of words) {
    if (read.size >= NEAR + worded) break;
    read.add(clusterOf(chunk));
  }
  /** @type {Map<number, number>} */
  const similarities = new Map();
  await Promise.all(
    [...read].map(async (at) => {
      const reader = new Reader(await shards.shard(contents.clusters, at));
      for (let chunk = starts[at]; chunk < starts[at + 1]; chunk++) {
        similarities.set(chunk, reader.similarity(vector));
      }
    }),
  );
  for (const [chunk] of words) {
    if (!similarities.has(chunk)) similarities.set(chunk, BY_CLUSTER * near[clusterOf(chunk)].similarity);
  }
  return similarities;
}

/**
 * Chunks with what is shown of them and how near they are.
 * @param {Visit} shards @param {number} group @param {Float32Array} [vector]
 */
async function details(shards, group, vector) {
  const contents = await shards.contents();
  const reader = new Reader(await shards.shard(contents.details, group));
  /** @type {any[]} */
  const records = JSON.parse(reader.text());
  return records.map((record, at) => ({
    chunk: group * contents.group + at,
    record,
    similarity: vector ? exactSimilarity(reader, vector) : 0,
  }));
}

/**
 * Half of the whole and half of the nearest part, and more if a name is nearer.
 * @param {Reader} reader @param {Float32Array} vector
 */
function exactSimilarity(reader, vector) {
  const count = reader.number();
  const name = Math.max(reader.similarity(vector), reader.similarity(vector));
  const whole = new Float32Array(vector.length);
  let [total, nearest] = [0, -1];
  for (let part = 0; part < count; part++) {
    const own = reader.vector();
    const similarity = own.reduce((before, value, at) => before + value * vector[at], 0);
    own.forEach((value, at) => (whole[at] += value));
    total += similarity;
    nearest = Math.max(nearest, similarity);
  }
  const text = HALF * (total / (Math.hypot(...whole) || 1)) + HALF * nearest;
  return text + HALF * Math.max(name - text, 0);
}

/** @param {DataView} shard @param {{ at: number, count: number }} entry @param {any} contents @param {number} share */
function scored(shard, entry, contents, share) {
  const reader = new Reader(shard);
  reader.at = entry.at;
  const rarity = Math.log((contents.chunks - entry.count + 0.5) / (entry.count + 0.5));
  const weight = (rarity > 0 ? rarity : 1e-6) * share;
  let chunk = 0;
  return Array.from({ length: entry.count }, () => {
    chunk += reader.number();
    const [often, length] = [reader.number(), reader.number()];
    const score = (weight * often * (K1 + 1)) / (often + K1 * (1 - B + (B * length) / contents.average));
    return { chunk, score, share };
  });
}

/**
 * The best hits, none of them twice; a page that has one already counts a little less.
 * @param {Hit[]} hits @param {number} limit
 */
function chosen(hits, limit) {
  const byScore = (/** @type {Hit} */ one, /** @type {Hit} */ other) => other.score - one.score;
  const seen = new Set();
  const spread = hits.sort(byScore).map((hit) => {
    const page = hit.url.split("#")[0];
    const isRepeated = seen.has(page);
    seen.add(page);
    return isRepeated ? { ...hit, score: hit.score * REPEATED } : hit;
  });
  const texts = new Set();
  const isNew = (/** @type {Hit} */ hit) => !texts.has(hit.text) && texts.add(hit.text);
  return spread.sort(byScore).filter(isNew).slice(0, limit);
}

/** With what the best hits add to those they link to, and to those that link to them. @param {Hit[]} hits */
function withLinks(hits) {
  const sources = [...hits].sort((one, other) => other.score - one.score).slice(0, LINK_SOURCES);
  return hits.map((hit) => {
    const boosts = sources.map((source) => {
      const part = source.links.includes(hit.chunk) ? LINKED : hit.links.includes(source.chunk) ? LINKING : 0;
      return Math.min(part * source.score, source.score - hit.score);
    });
    return { ...hit, score: hit.score + Math.max(0, ...boosts) };
  });
}

/** @param {number} value @param {number} least @param {number} most */
function clamped(value, least, most) {
  return Math.max(least, Math.min(value, most));
}

/** How much meaning counts; unfinished words have none. @param {Reading[]} readings */
function shareOf(readings) {
  const share = SHARE - LONG_LOSS * clamped((readings.length - SHORT) / (LONG - SHORT), 0, 1);
  return (share * readings.filter((reading) => !reading.isUnfinished).length) / readings.length;
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((one, other) => one + other, 0);
}

/** @param {number[]} starts @param {number} value */
function lastNotAbove(starts, value) {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= value) low = middle;
    else high = middle;
  }
  return low;
}

// A search: by words and by meaning, from the few shards that the query needs. It ranks as headnote does.

import { vectorOf } from "./meaning.js";
import { placeOf, Reader, Shards } from "./shards.js";
import { queryTerms } from "./terms.js";

const [K1, B] = [1.2, 0.75];
const DEPTH = 200;
const RELEVANT = 0.3;
const [SHARE, LONG_LOSS, SHORT, LONG] = [0.65, 0.15, 6, 12];
const FORGIVEN = 1.5;
const COMPLETED = 0.8;
const MOST_COMPLETIONS = 40;
const REPEATED = 0.95;
const HALF = 0.5;
/** Clusters that are read because they are near, and because they have the best words; groups that are looked at. */
const [NEAR, WORDED, GROUPS] = [5, 4, 12];
/** What is left of a similarity that is only known of the cluster. */
const BY_CLUSTER = 0.9;

/** @typedef {{ term: string, shares: Map<string, number>, known: boolean }} Reading */
/** @typedef {{ url: string, title: string, headings: string[], text: string, score: number, terms: string[] }} Hit */

export class Engine {
  /** @param {URL} base  Where the export is. */
  constructor(base) {
    this.shards = new Shards(base);
  }

  /** @param {string} query @param {number} [limit] @returns {Promise<Hit[]>} */
  async search(query, limit = 10) {
    const contents = await this.shards.contents();
    const [words, vector] = await Promise.all([this.byWords(query), vectorOf(this.shards, query)]);
    const share = vector ? (words.ranking.length ? shareOf(words.readings.length) : 1) : 0;
    const value = (1 - share) * words.coverage;
    const best = words.ranking[0]?.[1] || 1;
    const near = vector ? await this.byMeaning(vector, words.ranking) : new Map();
    const scores = new Map([...near].map(([chunk, similarity]) => [chunk, share * similarity]));
    for (const [chunk, score] of words.ranking) {
      scores.set(chunk, (scores.get(chunk) ?? 0) + (value * score) / best);
    }
    const byWords = new Map(words.ranking);
    const ranked = [...scores].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    /** @type {Set<number>} */
    const groups = new Set();
    for (const [chunk] of ranked) {
      if (groups.size >= GROUPS) break;
      groups.add(Math.floor(chunk / contents.group));
    }
    const looked = (await Promise.all([...groups].map((group) => this.details(group, vector)))).flat();
    const hits = looked.map(({ chunk, record, similarity }) => ({
      ...record,
      score: share * Math.max(similarity, 0) + (value * (byWords.get(chunk) ?? 0)) / best,
      terms: [...words.readings.flatMap((reading) => [...reading.shares.keys()])],
    }));
    return chosen(hits, limit);
  }

  /** Chunks that have terms of the query, best first, as BM25 ranks them. @param {string} query */
  async byWords(query) {
    const contents = await this.shards.contents();
    const terms = queryTerms(query);
    const last = /\S$/.test(query) ? terms.at(-1) : undefined;
    const found = await Promise.all(terms.map((term) => this.postings(term, term === last)));
    /** @type {Map<number, number>} */
    const sums = new Map();
    /** @type {Map<number, number>} */
    const covered = new Map();
    const weights = found.map(({ count }) => Math.log1p(contents.chunks / (1 + count)));
    found.forEach(({ postings }, at) => {
      for (const { chunk, score } of postings) sums.set(chunk, (sums.get(chunk) ?? 0) + score);
      for (const chunk of new Set(postings.map((one) => one.chunk))) {
        covered.set(chunk, (covered.get(chunk) ?? 0) + weights[at]);
      }
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
   * @param {string} term @param {boolean} isOpen
   */
  async postings(term, isOpen) {
    const contents = await this.shards.contents();
    const shard = await this.shards.shard(contents.words, placeOf(contents.first_terms, term));
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
    const entries = own ? [own] : begun.sort((one, other) => other.count - one.count).slice(0, MOST_COMPLETIONS);
    const all = sum(entries.map((entry) => entry.count)) || 1;
    const shares = new Map(entries.map((entry) => [entry.term, own ? 1 : (COMPLETED * entry.count) / all]));
    const postings = entries.flatMap((entry) => scored(shard, entry, contents, shares.get(entry.term) ?? 1));
    return { reading: { term, shares, known: Boolean(own) }, postings, count: own?.count ?? 0 };
  }

  /**
   * How near chunks are: those of the nearest clusters, and those with the best words.
   * @param {Float32Array} vector @param {[number, number][]} words
   */
  async byMeaning(vector, words) {
    const contents = await this.shards.contents();
    const centres = new Reader(await this.shards.shard(contents.centres, 0));
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
    for (const [chunk] of words) {
      if (read.size >= NEAR + WORDED) break;
      read.add(clusterOf(chunk));
    }
    /** @type {Map<number, number>} */
    const similarities = new Map();
    await Promise.all(
      [...read].map(async (at) => {
        const reader = new Reader(await this.shards.shard(contents.clusters, at));
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

  /** Chunks with what is shown of them and how near they are. @param {number} group @param {Float32Array} [vector] */
  async details(group, vector) {
    const contents = await this.shards.contents();
    const reader = new Reader(await this.shards.shard(contents.details, group));
    /** @type {any[]} */
    const records = JSON.parse(reader.text());
    return records.map((record, at) => ({
      chunk: group * contents.group + at,
      record,
      similarity: vector ? exactSimilarity(reader, vector) : 0,
    }));
  }
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
    return { chunk, score };
  });
}

/** The best hits; a page that has one already counts a little less. @param {Hit[]} hits @param {number} limit */
function chosen(hits, limit) {
  const byScore = (/** @type {Hit} */ one, /** @type {Hit} */ other) => other.score - one.score;
  const seen = new Set();
  const spread = hits.sort(byScore).map((hit) => {
    const page = hit.url.split("#")[0];
    const isRepeated = seen.has(page);
    seen.add(page);
    return isRepeated ? { ...hit, score: hit.score * REPEATED } : hit;
  });
  return (spread[0]?.score ?? 0) < RELEVANT ? [] : spread.sort(byScore).slice(0, limit);
}

/** How much meaning counts. @param {number} terms */
function shareOf(terms) {
  return SHARE - LONG_LOSS * Math.min(Math.max((terms - SHORT) / (LONG - SHORT), 0), 1);
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

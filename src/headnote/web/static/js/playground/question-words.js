/** What became of the passage that answers a question, in words. Pure. */

import { lines, plural, whole } from "../core/format.js";

/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {import("../types.js").Passage} Passage */

/**
 * `fate` is whole, torn or lost; `chunk` is where to look for it, -1 for nowhere.
 * @typedef {{fate: "whole"|"torn"|"lost", rank: string, words: string, chunk: number}} Verdict
 */

/** @param {Chunked|null} result @returns {Verdict|null} Null unless there is a question and a passage. */
export function verdictOf(result) {
  const asked = result?.question;
  if (!result || !asked?.passage) return null;
  const { passage, ranks } = asked;
  const found = ranks.filter((rank) => rank !== null).length;
  const rank = passage.rank === null ? "not found" : `rank ${whole(passage.rank)} of ${whole(found)}`;
  if (passage.whole_in !== null)
    return { fate: "whole", rank, words: `whole in chunk ${whole(passage.whole_in + 1)}`, chunk: passage.whole_in };
  const { chunks } = passage;
  if (chunks.length === 0) return { fate: "lost", rank, words: "in no chunk", chunk: -1 };
  if (chunks.length === 1)
    return { fate: "torn", rank, words: `partly in chunk ${whole(chunks[0] + 1)}`, chunk: chunks[0] };
  return { fate: "torn", rank, words: `torn into ${plural(chunks.length, "chunk")}`, chunk: bestOf(chunks, ranks) };
}

/** @param {number[]} chunks @param {(number|null)[]} ranks */
function bestOf(chunks, ranks) {
  const rank = (/** @type {number} */ chunk) => ranks[chunk] ?? Infinity;
  return chunks.reduce((best, chunk) => (rank(chunk) < rank(best) ? chunk : best));
}

/** @param {Passage} passage */
export const placeOf = ({ start_line, end_line }) =>
  `${end_line > start_line ? "lines" : "line"} ${lines(start_line, end_line)}`;

/**
 * For screen readers: what became of it in each lane.
 * @param {{name: string, result: Chunked|null}[]} lanes
 */
export function spoken(lanes) {
  return lanes
    .flatMap(({ name, result }) => {
      const verdict = verdictOf(result);
      if (!result || !verdict) return [];
      const subject = lanes.length > 1 ? `${name}: ` : "";
      return [`${subject}${plural(result.chunks.length, "chunk")}, answer ${verdict.rank}, ${verdict.words}`];
    })
    .join(". ");
}

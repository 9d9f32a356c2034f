/** What became of the passage that answers a question. */

import { h, refill } from "../core/dom.js";
import { lines, plural, whole } from "../core/format.js";

/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {import("../types.js").Passage} Passage */
/** @typedef {import("./lane.js").Lane} Lane */

// -- In words

/**
 * `fate` is whole, torn or lost; `chunk` is where to look for it, -1 for nowhere.
 * @typedef {{fate: "whole"|"torn"|"lost", rank: string, words: string, chunk: number}} Verdict
 */

/** @param {Chunked|null} result @returns {Verdict|null} Null unless there is a question and a passage. */
function verdictOf(result) {
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

// -- In one lane, and the way to it. The button stays while its words change, as does focus.

export class VerdictButton {
  /** @param {number} at Which lane it is about. */
  constructor(at) {
    this.at = at;
    this.reveal = () => {};
    this.element = h("button", { type: "button", class: "verdict", hidden: true, onclick: () => this.reveal() });
  }

  /** @param {Lane[]} lanes */
  show(lanes) {
    const lane = lanes[this.at];
    const verdict = lane ? verdictOf(lane.result) : null;
    this.element.hidden = !verdict;
    if (!lane || !verdict) return;
    const { fate, rank, words, chunk } = verdict;
    this.reveal = () => chunk >= 0 && lane.reveal(chunk);
    this.element.className = `verdict ${fate}`;
    this.element.title = chunk >= 0 ? "Show it" : "";
    refill(
      this.element,
      lanes.length > 1 && h("b", { class: "verdict-lane" }, lane.name),
      h("b", { class: "numbers" }, rank.slice(0, 1).toUpperCase() + rank.slice(1)),
      h("span", { class: "verdict-fate" }, words),
    );
  }
}

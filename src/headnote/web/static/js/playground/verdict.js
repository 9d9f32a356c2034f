/** What became of the passage that answers a question. */

import { h, refill } from "../core/dom.js";
import { inLines } from "../core/format.js";
import { t } from "../core/texts.js";

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
  const rank = passage.rank === null ? t("why.none") : t("verdict.rank", { rank: passage.rank, found });
  const { chunks, whole_in: holder } = passage;
  if (holder !== null) return { fate: "whole", rank, words: t("verdict.whole", { chunk: holder + 1 }), chunk: holder };
  if (chunks.length === 0) return { fate: "lost", rank, words: t("verdict.lost"), chunk: -1 };
  if (chunks.length === 1)
    return { fate: "torn", rank, words: t("verdict.part", { chunk: chunks[0] + 1 }), chunk: chunks[0] };
  return { fate: "torn", rank, words: t("verdict.torn", { count: chunks.length }), chunk: bestOf(chunks, ranks) };
}

/** @param {number[]} chunks @param {(number|null)[]} ranks */
function bestOf(chunks, ranks) {
  const rank = (/** @type {number} */ chunk) => ranks[chunk] ?? Infinity;
  return chunks.reduce((best, chunk) => (rank(chunk) < rank(best) ? chunk : best));
}

/** @param {Pick<Passage, "start_line"|"end_line">} passage */
export const placeOf = ({ start_line, end_line }) => inLines(start_line, end_line);

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
      const { rank, words } = verdict;
      return [subject + t("verdict.spoken", { count: result.chunks.length, rank, words })];
    })
    .join(". ");
}

/**
 * The verdict on one lane, as one sentence: who, what became of the answer, and what a search makes of that.
 * @param {string} who @param {Chunked|null} result @returns {{fate: Verdict["fate"], who: string, words: string}|null}
 */
export function sentenceOf(who, result) {
  const verdict = verdictOf(result);
  const passage = result?.question?.passage;
  if (!verdict || !passage) return null;
  const { fate, rank, chunk } = verdict;
  const count = passage.chunks.length;
  if (fate === "whole") return { fate, who, words: t("sentence.whole", { chunk: chunk + 1, rank }) };
  if (fate === "lost") return { fate, who, words: t("sentence.lost") };
  if (count === 1) return { fate, who, words: t("sentence.part", { chunk: chunk + 1, rank }) };
  return { fate, who, words: t("sentence.torn", { count, rank }) };
}

// -- In one lane, and the way to it. The button stays while its words change, as does focus.

const SIGNS = { whole: "✓", torn: "✗", lost: "✗" };

export class VerdictButton {
  constructor() {
    this.reveal = () => {};
    this.element = h("button", { type: "button", class: "verdict", hidden: true, onclick: () => this.reveal() });
  }

  /** @param {Lane} lane */
  show(lane) {
    const sentence = sentenceOf(lane.title, lane.result);
    this.element.hidden = !sentence;
    if (!sentence) return;
    const { fate, who, words } = sentence;
    this.reveal = () => lane.revealAnswer();
    this.element.className = `verdict ${fate}`;
    this.element.title = t("verdict.show");
    refill(
      this.element,
      h("span", { class: "verdict-sign", "aria-hidden": "true" }, SIGNS[fate]),
      h("span", { class: "verdict-words numbers" }, h("b", null, who), " ", words),
    );
  }
}

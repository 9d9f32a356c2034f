/** A question on the bands and cards of a lane: they glow by score, and the passage that answers it has a mark. */

import { h, refill } from "../core/dom.js";

/** @typedef {import("../types.js").Asked} Asked */
/** @typedef {import("./ghost.js").Extent} Extent */
/** @typedef {import("./pane.js").Pane} Pane */

/** A score below this is worth nothing, and glows so even if it is the best. The search calls it irrelevant. */
const LEAST_TOP = 0.3;
const RANKS_SHOWN = 3;

/**
 * How each chunk glows, from 0 to 1. Scores can be compared between settings, so lanes share the brightest.
 * @param {Asked} asked @param {number} top The best score of all lanes.
 */
function glowOf(asked, top) {
  return asked.scores.map((score) => (score / Math.max(top, LEAST_TOP)) ** 2);
}

/** Glow, and the mark of the passage. @param {Pane} pane */
export function drawQuestion({ bands, answer, points, ghost, question: { asked, top } }) {
  glow(bands, asked, top);
  const passage = asked?.passage;
  if (!passage) return refill(answer);
  const span = { start: points.unit(passage.start), end: points.unit(passage.end) };
  refill(answer, passageMark(ghost.measure()(span), passage.whole_in !== null));
}

/** @param {HTMLElement} bands @param {Asked|null} asked @param {number} top */
function glow(bands, asked, top) {
  bands.classList.toggle("asked", asked !== null);
  for (const rank of bands.querySelectorAll(".pane-rank")) rank.remove();
  if (!asked) return;
  const shares = glowOf(asked, top);
  for (const element of bands.querySelectorAll(".pane-band")) {
    const band = /** @type {HTMLElement} */ (element);
    const chunk = Number(band.dataset.chunk);
    band.style.setProperty("--glow", (shares[chunk] ?? 0).toFixed(3));
    const rank = asked.ranks[chunk];
    if (rank !== null && rank <= RANKS_SHOWN) band.querySelector(".pane-label")?.append(rankBadge(rank));
  }
}

/** @param {number} rank */
const rankBadge = (rank) => h("span", { class: "pane-rank" }, `#${rank}`);

/**
 * The mark of the passage: a bracket beside its rows.
 * @param {Extent} extent @param {boolean} isWhole
 */
function passageMark({ top, bottom }, isWhole) {
  const mark = h("div", { class: isWhole ? "pane-passage" : "pane-passage torn" }, h("span", null, "answer"));
  mark.style.top = `${top}px`;
  mark.style.height = `${bottom - top}px`;
  return mark;
}

/** Rank and score on each card. @param {HTMLElement} rows @param {Asked|null} asked */
export function scoreCards(rows, asked) {
  [...rows.children].forEach((card, chunk) => {
    card.querySelector(".card-score")?.remove();
    const rank = asked?.ranks[chunk];
    if (!asked || !rank) return;
    const words = `rank ${rank} · score ${asked.scores[chunk].toFixed(2)}`;
    card
      .querySelector(".card-main")
      ?.append(h("span", { class: `card-score numbers${rank === 1 ? " first" : ""}` }, words));
  });
}

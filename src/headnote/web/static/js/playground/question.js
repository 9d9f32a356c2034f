/** A question to the text: which chunks answer it, and whether the settings leave the answer whole. */

import { announce, freshId, h, refill } from "../core/dom.js";
import { exactly } from "../core/format.js";
import { t } from "../core/texts.js";
import { placeOf, spoken } from "./verdict.js";

/** @typedef {import("../types.js").Asked} Asked */
/** @typedef {import("../types.js").Passage} Passage */
/** @typedef {import("./address.js").Lines} Lines */
/** @typedef {import("./lane.js").Lane} Lane */
/** @typedef {import("./pane.js").Pane} Pane */
/** @typedef {import("./spans.js").Extent} Extent */
/** @typedef {import("./spans.js").Span} Span */
/** @typedef {import("../core/format.js").CodePoints} CodePoints */

// -- On the bands and cards of a lane: they glow by score, and the passage that answers the question has a mark

/** A score below this is worth nothing, and glows so even if it is the best. The search calls it irrelevant. */
const MIN_TOP = 0.3;
const RANKS_SHOWN = 3;

/**
 * How each chunk glows, from 0 to 1. Scores can be compared between settings, so lanes share the brightest.
 * @param {Asked} asked @param {number} top The best score of all lanes.
 */
function glowOf(asked, top) {
  return asked.scores.map((score) => (score / Math.max(top, MIN_TOP)) ** 2);
}

/** Glow, and the answer: green where it is whole, red in its pieces where it is torn. @param {Pane} pane */
export function drawQuestion({ bands, answer, own, points, ghost, question: { asked, top } }) {
  glow(bands, asked, top);
  const passage = asked?.passage;
  if (!passage) return refill(answer);
  const span = unitsOf(passage, points);
  const pieces = piecesOf(passage, span, own);
  refill(
    answer,
    passageMark(ghost.measure()(span), passage.whole_in !== null),
    pieces.flatMap((piece, at) => ghost.boxes(piece).map((box) => placed("pane-piece", at, box))),
    pieces
      .slice(1)
      .flatMap((piece) => tear(ghost.boxes(piece)[0], !/(^|\n)\s*$/.test(points.text.slice(0, piece.start)))),
  );
}

/** A passage in the offsets of JavaScript. @param {Passage} passage @param {CodePoints} points @returns {Span} */
export const unitsOf = ({ start, end }, points) => ({ start: points.unit(start), end: points.unit(end) });

/**
 * The passage as the chunks have it: one piece if a chunk has all of it.
 * @param {Passage} passage @param {Span} span @param {Span[]} own Of all chunks. @returns {Span[]}
 */
export function piecesOf({ chunks, whole_in }, span, own) {
  if (whole_in !== null) return [span];
  const pieces = chunks.map((chunk) => ({
    start: Math.max(span.start, own[chunk].start),
    end: Math.min(span.end, own[chunk].end),
  }));
  return pieces.filter(({ start, end }) => end > start);
}

/** @param {string} kind @param {number} at @param {{x: number, y: number, width: number, height: number}} box */
function placed(kind, at, { x, y, width, height }) {
  const element = h("div", { class: `${kind}${at % 2 ? " next" : ""}` });
  Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  return element;
}

/**
 * Where it is cut: a line above the row that begins there. Inside a row the line is a step, below the words before it.
 * @param {DOMRect|undefined} box The first row of what follows. @param {boolean} isInside
 */
function tear(box, isInside) {
  if (!box) return [];
  const [y, height] = [`${box.y}px`, `${box.height}px`];
  const right = h("div", { class: "pane-tear" }, h("span", null, t("answer.torn")));
  Object.assign(right.style, { left: isInside ? `${box.x}px` : "0", top: y, height: isInside ? height : "0" });
  if (!isInside) return [right];
  const left = h("div", { class: "pane-tear left" });
  Object.assign(left.style, { width: `${box.x}px`, top: y, height });
  return [left, right];
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
  const mark = h("div", { class: isWhole ? "pane-passage" : "pane-passage torn" });
  mark.style.top = `${top}px`;
  mark.style.height = `${bottom - top}px`;
  return mark;
}

/** Rank and score on each card. @param {HTMLElement} rows @param {Asked|null} asked */
function scoreCards(rows, asked) {
  [...rows.children].forEach((card, chunk) => {
    card.querySelector(".card-score")?.remove();
    const rank = asked?.ranks[chunk];
    if (!asked || !rank) return;
    const words = t("card.score", { rank, score: exactly(asked.scores[chunk], 2) });
    card
      .querySelector(".card-main")
      ?.append(h("span", { class: `card-score numbers${rank === 1 ? " first" : ""}` }, words));
  });
}

// -- The question

const TYPING_PAUSE = 150;
const touch = matchMedia("(pointer: coarse)");

const HOW = `${t("question.how")} ${t("question.how.else")}`;

export class Question {
  /** @param {(pause: number) => void} changed @param {HTMLElement} picturing What makes a picture of the answer. */
  constructor(changed, picturing) {
    this.changed = changed;
    this.picturing = picturing;
    /** @type {Lines|null} Null if the search finds the passage. */
    this.lines = null;
    /** @type {Lines|null} */
    this.selected = null;
    /** @type {Lane[]} */
    this.lanes = [];
    const id = freshId("question");
    this.input = h("input", {
      id,
      type: "search",
      class: "input",
      placeholder: t("question.placeholder"),
      autocomplete: "off",
      maxlength: 2000,
    });
    this.input.addEventListener("input", () => this.#typed());
    this.using = h("button", { type: "button", class: "button", hidden: true, onclick: () => this.#useSelected() });
    this.automatic = h(
      "button",
      { type: "button", class: "button quiet", hidden: true, onclick: () => this.#choose(null) },
      t("question.again"),
    );
    this.passage = h("p", { class: "question-passage", title: HOW });
    /** The answer that was brought into sight last. */
    this.revealed = "";
    this.answer = h(
      "div",
      { class: "question-answer", hidden: true },
      h("div", { class: "question-place" }, this.passage, this.using, this.automatic),
      picturing,
    );
    this.element = h(
      "form",
      { class: "question", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      h("label", { for: id, class: "field-label" }, t("ask.question")),
      this.input,
      this.answer,
    );
  }

  get text() {
    return this.input.value.trim();
  }

  /** What a request adds to the text and its settings. */
  get request() {
    return { question: this.text, passage: this.text ? this.lines : null };
  }

  /** @param {string} question @param {Lines|null} lines */
  set(question, lines) {
    this.input.value = question;
    this.lines = lines;
  }

  /** The text has changed: lines may be others now. */
  forgetLines() {
    this.lines = null;
    this.#select(null);
  }

  /** Watch what is selected in the text of a lane. @param {Lane} lane */
  watch(lane) {
    const { input } = lane.pane;
    for (const event of ["select", "keyup", "pointerup"])
      input.addEventListener(event, () => this.#select(linesOf(input.value, input.selectionStart, input.selectionEnd)));
  }

  /** @param {Lane[]} lanes With their results. */
  show(lanes) {
    this.lanes = lanes;
    const all = lanes.map(({ result }) => result?.question ?? null);
    const top = Math.max(0, ...all.flatMap((asked) => asked?.scores ?? []));
    lanes.forEach(({ pane, cards }, at) => {
      pane.ask(all[at], top);
      scoreCards(cards.rows, all[at]);
    });
    const asked = all.find((one) => one !== null) ?? null;
    this.answer.hidden = asked === null;
    for (const lane of lanes) lane.verdict.show(lane);
    if (!asked) return;
    this.picturing.hidden = !asked.passage;
    this.#reveal(asked);
    refill(
      this.passage,
      wordsOf(
        asked,
        all.some((one) => one?.relevant),
      ),
    );
    this.automatic.hidden = !asked.passage?.is_given;
    this.#offer();
    announce(spoken(lanes));
  }

  /** A new answer is brought into sight, once, and with it where it is torn. @param {Asked} asked */
  #reveal({ passage }) {
    // A lane may still show what it found for the question before.
    const known = this.lanes.filter(({ result }) => {
      const found = result?.question?.passage;
      return found && found.start === passage?.start && found.end === passage.end;
    });
    const place = passage ? `${known.length}:${this.text}:${passage.start}-${passage.end}` : "";
    if (place === this.revealed) return;
    this.revealed = place;
    const tears = known.flatMap(({ pane }) => pane.tear() ?? []);
    for (const { pane } of known) pane.revealAnswer(Math.min(...tears));
  }

  #typed() {
    if (this.text === "") this.forgetLines();
    this.changed(TYPING_PAUSE);
  }

  /** @param {Lines|null} selected */
  #select(selected) {
    this.selected = selected;
    this.#offer();
  }

  #offer() {
    const { selected, lines } = this;
    const isNew = selected && !(selected.start_line === lines?.start_line && selected.end_line === lines.end_line);
    this.using.hidden = !isNew || this.answer.hidden;
    if (selected) this.using.textContent = t("question.use", { lines: placeOf(selected) });
  }

  #useSelected() {
    this.#choose(this.selected);
    // On a touch screen a keyboard would cover the text.
    if (!touch.matches) this.input.focus();
  }

  /** @param {Lines|null} lines */
  #choose(lines) {
    this.lines = lines;
    this.#select(null);
    this.changed(0);
  }
}

/** @param {import("../types.js").Asked} asked @param {boolean} isRelevant */
function wordsOf({ passage }, isRelevant) {
  if (!passage) return [h("span", { class: "soft" }, t("question.nothing"))];
  return [
    h("span", { class: "soft" }, t("question.answer")),
    ` ${placeOf(passage)}`,
    h("span", { class: "soft" }, `, ${t(passage.is_given ? "question.byHand" : "question.bySearch")}`),
    !passage.is_given && h("span", { class: "visually-hidden" }, `. ${HOW}`),
    !isRelevant && h("span", { class: "question-doubt" }, ` ${t("question.doubt")}`),
  ];
}

/**
 * The lines of a selection; null if nothing is selected.
 * @param {string} text @param {number} start @param {number} end
 */
function linesOf(text, start, end) {
  const chosen = text.slice(start, end);
  if (chosen.trim() === "") return null;
  const count = (/** @type {string} */ piece) => piece.split("\n").length - 1;
  const first = 1 + count(text.slice(0, start)) + count(chosen.slice(0, chosen.length - chosen.trimStart().length));
  return { start_line: first, end_line: first + count(chosen.trim()) };
}

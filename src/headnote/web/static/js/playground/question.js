/** A question to the text: which chunks answer it, and whether the settings leave the answer whole. */

import { announce } from "../core/announce.js";
import { freshId, h, refill } from "../core/dom.js";
import { scoreCards } from "./question-marks.js";
import { placeOf, spoken } from "./question-words.js";
import { VerdictButton } from "./verdict.js";

/** @typedef {import("../types.js").Passage} Passage */
/** @typedef {import("./address.js").Lines} Lines */
/** @typedef {import("./lane.js").Lane} Lane */

const TYPING_PAUSE = 150;

const HOW = "what a search finds first if every paragraph stands alone. Select lines of the text to change it.";

export class Question {
  /** @param {(pause: number) => void} changed */
  constructor(changed) {
    this.changed = changed;
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
      placeholder: "Ask the text something, and see whether the answer stays whole",
      autocomplete: "off",
      maxlength: 2000,
    });
    this.input.addEventListener("input", () => this.#typed());
    this.using = h("button", { type: "button", class: "button", hidden: true, onclick: () => this.#useSelected() });
    this.automatic = h(
      "button",
      { type: "button", class: "button quiet", hidden: true, onclick: () => this.#choose(null) },
      "Find it again",
    );
    this.passage = h("p", { class: "question-passage", title: `The answer is ${HOW}` });
    this.verdicts = [new VerdictButton(0), new VerdictButton(1)];
    this.answer = h(
      "div",
      { class: "question-answer", hidden: true },
      h(
        "div",
        { class: "verdicts" },
        this.verdicts.map(({ element }) => element),
      ),
      h("div", { class: "question-place" }, this.passage, this.using, this.automatic),
    );
    this.element = h(
      "form",
      { class: "question", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      h("label", { for: id, class: "field-label" }, "Question"),
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
    if (!asked) return;
    for (const verdict of this.verdicts) verdict.show(lanes);
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
    if (selected) this.using.textContent = `Use ${placeOf(/** @type {Passage} */ (selected))} as the answer`;
  }

  #useSelected() {
    this.#choose(this.selected);
    this.input.focus();
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
  if (!passage) return [h("span", { class: "soft" }, "Nothing in the text has to do with it.")];
  return [
    h("span", { class: "soft" }, "Answer: "),
    placeOf(passage),
    h("span", { class: "soft" }, passage.is_given ? ", chosen by you" : ", found by search"),
    !passage.is_given && h("span", { class: "visually-hidden" }, `: ${HOW}`),
    !isRelevant && h("span", { class: "question-doubt" }, " A search would call nothing here relevant."),
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

/** What became of the answer in one lane, and the way to it. The button stays while its words change, as does focus. */

import { h, refill } from "../core/dom.js";
import { verdictOf } from "./question-words.js";

/** @typedef {import("./lane.js").Lane} Lane */

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

/** Two lanes side by side: where they differ, and the way from one difference to the next. */

import { announce } from "../core/announce.js";
import { CodePoints } from "../core/codepoints.js";
import { h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";
import { differingBoundaries } from "./differences.js";

/** @typedef {import("./lane.js").Lane} Lane */
/** @typedef {import("./differences.js").Boundary} Boundary */

/** @type {ScrollIntoViewOptions} */
const NEAREST = { block: "nearest" };

export class Comparison {
  constructor() {
    /** @type {Lane[]} */
    this.lanes = [];
    /** @type {Boundary[]} */
    this.boundaries = [];
    this.at = -1;
    this.count = h("p", { class: "comparison-count numbers" });
    this.place = h("span", { class: "comparison-place soft numbers" });
    this.steps = h(
      "div",
      { class: "comparison-steps" },
      step("Previous", "Previous difference (p)", "p", () => this.go(-1)),
      this.place,
      step("Next", "Next difference (n)", "n", () => this.go(1)),
    );
    this.element = h("div", { class: "comparison", hidden: true }, this.count, this.steps);
  }

  /** Compare what the lanes show now. @param {Lane[]} lanes One lane has nothing to differ from. */
  show(lanes) {
    this.lanes = lanes;
    this.element.hidden = lanes.length < 2;
    const [a, b] = lanes.map((lane) => lane.result);
    const text = lanes[0]?.text ?? "";
    this.boundaries = a && b ? differingBoundaries(new CodePoints(text), a.chunks, b.chunks) : [];
    this.at = -1;
    for (const { pane, name } of lanes) {
      pane.mark(this.boundaries.map((boundary) => ({ ...boundary, isHere: boundary.side === name })));
    }
    this.#tell();
  }

  /** To another difference. @param {1|-1} way @returns {false|void} False if there is none. */
  go(way) {
    const count = this.boundaries.length;
    if (count === 0) return false;
    const from = this.at < 0 && way < 0 ? 0 : this.at;
    this.at = (from + way + count) % count;
    for (const { pane } of this.lanes) pane.revealDifference(this.at);
    // On a phone the texts stand below each other.
    this.lanes.find(({ name }) => name === this.boundaries[this.at].side)?.pane.element.scrollIntoView(NEAREST);
    this.#tell();
    announce(`Difference ${this.at + 1} of ${count}, only in ${this.boundaries[this.at].side}`);
  }

  #tell() {
    const count = this.boundaries.length;
    this.steps.hidden = count === 0;
    if (count === 0) {
      refill(this.count, h("b", null, "Both cut in the same places"));
      return;
    }
    const inA = this.boundaries.filter(({ side }) => side === "A").length;
    this.place.textContent = `${this.at < 0 ? "–" : whole(this.at + 1)} of ${whole(count)}`;
    refill(
      this.count,
      h("b", null, plural(count, "boundary differs", "boundaries differ")),
      h("span", { class: "soft" }, `${whole(inA)} only in A, ${whole(count - inA)} only in B`),
    );
  }
}

/** @param {string} label @param {string} title @param {string} key @param {() => void} act */
function step(label, title, key, act) {
  return h("button", { type: "button", class: "button", title, onclick: act }, label, h("kbd", null, key));
}

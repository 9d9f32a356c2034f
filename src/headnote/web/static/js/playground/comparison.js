/** Two lanes side by side: where they differ, and the way from one difference to the next. */

import { announce, h, refill, withKey } from "../core/dom.js";
import { CodePoints, whole } from "../core/format.js";
import { t } from "../core/texts.js";
import { ownSpans } from "./spans.js";

/** @typedef {import("../types.js").Chunk} Chunk */
/** @typedef {import("./lane.js").Lane} Lane */

// -- Where two ways to cut the same text differ

/**
 * @typedef {"A"|"B"} Side
 * @typedef {{offset: number, side: Side}} Boundary A place where a chunk begins on one side only.
 * @typedef {Boundary & {isHere: boolean}} Difference A boundary as one of the sides sees it.
 */

/**
 * The boundaries that only one side has, in the order of the text.
 * @param {CodePoints} points @param {Chunk[]} a @param {Chunk[]} b
 * @returns {Boundary[]}
 */
function differingBoundaries(points, a, b) {
  const [inA, inB] = [boundaries(points, a), boundaries(points, b)];
  const only = (/** @type {Set<number>} */ own, /** @type {Set<number>} */ other, /** @type {Side} */ side) =>
    [...own].filter((offset) => !other.has(offset)).map((offset) => ({ offset, side }));
  return [...only(inA, inB, "A"), ...only(inB, inA, "B")].sort((one, other) => one.offset - other.offset);
}

/** Where chunks begin. The beginning of the text is no boundary. @param {CodePoints} points @param {Chunk[]} chunks */
function boundaries(points, chunks) {
  const first = points.text.length - points.text.trimStart().length;
  const starts = ownSpans(points, chunks).map(({ start }) => start);
  return new Set(starts.filter((start) => start > first));
}

// -- The comparison

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
      step(t("difference.back"), withKey(t("difference.previous"), "p"), "p", () => this.go(-1)),
      this.place,
      step(t("difference.on"), withKey(t("difference.next"), "n"), "n", () => this.go(1)),
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
    announce(t("difference.announced", { place: this.at + 1, count, side: this.boundaries[this.at].side }));
  }

  #tell() {
    const count = this.boundaries.length;
    this.steps.hidden = count === 0;
    if (count === 0) {
      refill(this.count, h("b", null, t("difference.none")));
      return;
    }
    const inA = this.boundaries.filter(({ side }) => side === "A").length;
    this.place.textContent = t("match.at", { place: this.at < 0 ? "–" : whole(this.at + 1), count });
    refill(
      this.count,
      h("b", null, t("difference.count", { count })),
      h("span", { class: "soft" }, t("difference.sides", { a: inA, b: count - inA })),
    );
  }
}

/** @param {string} label @param {string} title @param {string} key @param {() => void} act */
function step(label, title, key, act) {
  return h("button", { type: "button", class: "button", title, onclick: act }, label, h("kbd", null, key));
}

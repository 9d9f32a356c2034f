/** One way to cut the text: settings on one side, the text in its bands, what came out on the other. */

import { announce, errorNotice } from "../core/announce.js";
import { post } from "../core/api.js";
import { h, refill } from "../core/dom.js";
import { plural } from "../core/format.js";
import { Latest } from "../core/latest.js";
import { Cards } from "./cards.js";
import { Controls } from "./controls.js";
import { Histogram } from "./histogram.js";
import { Pane } from "./pane.js";
import { Recipe } from "./recipe.js";
import { cuts, numbers } from "./summary.js";

/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {import("../types.js").Presets} Presets */

export class Lane {
  /**
   * @param {Presets} presets
   * @param {string} preset
   * @param {string} name For screen readers.
   * @param {(text: string) => void} typed
   */
  constructor(presets, preset, name, typed) {
    this.latest = new Latest();
    this.text = "";
    this.active = -1;
    this.file = "guide.md";
    const handlers = {
      typed,
      pointed: (/** @type {number} */ chunk) => this.#activate(chunk),
      chosen: (/** @type {number} */ chunk) => this.#choose(chunk, "cards"),
    };
    this.pane = new Pane(handlers);
    this.cards = new Cards({ pointed: handlers.pointed, chosen: (chunk) => this.#choose(chunk, "pane") });
    this.histogram = new Histogram();
    this.recipe = new Recipe();
    this.controls = new Controls(presets, { preset, changed: {} }, () => this.#cut(0));
    this.failure = h("div");
    this.facts = h("div");
    this.cuts = h("div");
    this.element = h(
      "section",
      { class: "lane", "aria-label": name },
      h("div", { class: "lane-settings" }, this.controls.element, this.recipe.element),
      this.pane.element,
      h(
        "div",
        { class: "lane-result" },
        this.failure,
        this.facts,
        this.histogram.element,
        this.cuts,
        h("h3", { class: "cards-title" }, "Chunks"),
        this.cards.element,
      ),
    );
  }

  /** @param {string} text @param {string} file @param {number} pause */
  setText(text, file, pause) {
    this.text = text;
    this.file = file;
    this.pane.setText(text);
    this.#cut(pause);
  }

  /** @param {number} pause */
  #cut(pause) {
    const { text, file } = this;
    const { preset, changed } = this.controls.choice;
    this.recipe.show(this.controls.choice, file);
    this.latest.run(pause, (signal) => post("/api/chunk", { text, path: file, preset, settings: changed }, signal), {
      done: (result) => this.#show(text, result),
      failed: (error) => refill(this.failure, errorNotice(error)),
    });
  }

  /** @param {string} text @param {Chunked} result */
  #show(text, result) {
    this.result = result;
    refill(this.failure);
    refill(this.facts, numbers(result));
    refill(
      this.cuts,
      cuts(result, (chunk) => this.#choose(chunk, "pane")),
    );
    this.controls.show(result.settings);
    this.pane.show(text, result);
    this.histogram.show(result);
    this.cards.show(result);
    this.element.dataset.chunks = String(result.chunks.length);
    announce(`${this.controls.choice.preset}: ${plural(result.chunks.length, "chunk")}`);
  }

  /** @param {number} chunk */
  #activate(chunk) {
    if (this.active === chunk) return;
    this.active = chunk;
    this.pane.activate(chunk);
    this.cards.activate(chunk);
    this.histogram.activate(chunk);
  }

  /** @param {number} chunk @param {"pane"|"cards"} where It is to be brought into sight. */
  #choose(chunk, where) {
    if (chunk < 0) return;
    this.#activate(chunk);
    if (where === "pane") this.pane.reveal(chunk);
    else this.cards.reveal(chunk);
  }
}

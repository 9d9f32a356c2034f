/** One way to cut the text: settings on one side, the text in its bands, what came out on the other. */

import { post } from "../core/api.js";
import { announce, errorNotice, h, refill } from "../core/dom.js";
import { parts, t } from "../core/texts.js";
import { Cards, cuts, listTitle, numbers } from "./cards.js";
import { Controls } from "./controls.js";
import { Histogram } from "./histogram.js";
import { Pane } from "./pane.js";
import { isPeer, titleOf } from "./choice.js";
import { Recipe } from "./recipe.js";
import { VerdictButton } from "./verdict.js";

/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {import("../types.js").Presets} Presets */

// -- One piece of work at a time, then the newest that waits
//
// Unlike `Latest` it lets work finish: what follows a slider is shown while the slider moves, however long it takes.

/** @typedef {{work: () => Promise<any>, then: {done: (value: any) => void, failed: (error: any) => void}}} Task */

class OneAtATime {
  /** @type {Task|null} */
  #waiting = null;
  #isBusy = false;
  /** @type {number|undefined} */
  #timer;

  /**
   * Run `work` after a pause, unless other work replaces it before it starts.
   * @template T
   * @param {number} pause In milliseconds.
   * @param {() => Promise<T>} work
   * @param {{done: (value: T) => void, failed: (error: any) => void}} then
   */
  run(pause, work, then) {
    window.clearTimeout(this.#timer);
    this.#waiting = { work, then };
    this.#timer = window.setTimeout(() => void this.#start(), pause);
  }

  async #start() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let task = this.#next(); task; task = this.#next()) await carryOut(task);
    } finally {
      this.#isBusy = false;
    }
  }

  #next() {
    const task = this.#waiting;
    this.#waiting = null;
    return task;
  }
}

/** @param {Task} task */
async function carryOut({ work, then }) {
  let value;
  try {
    value = await work();
  } catch (error) {
    then.failed(error);
    return;
  }
  then.done(value);
}

// -- The lane

export class Lane {
  /**
   * @param {Presets} presets
   * @param {import("./choice.js").Choice} choice
   * @param {"A"|"B"} name
   * @param {{typed: (text: string) => void, shown: () => void, chosen: () => void, asked: () => object}} told
   *   `asked` has what a question adds to the request.
   */
  constructor(presets, choice, name, told) {
    this.requests = new OneAtATime();
    this.told = told;
    this.name = name;
    this.text = "";
    this.active = -1;
    this.file = "guide.md";
    /** What this way to cut is called. */
    this.title = "";
    /** @type {Chunked|null} Of the text that is shown. */
    this.result = null;
    const handlers = {
      typed: told.typed,
      pointed: (/** @type {number} */ chunk) => this.#activate(chunk),
      chosen: (/** @type {number} */ chunk) => this.#choose(chunk, "cards"),
    };
    this.pane = new Pane(handlers);
    this.cards = new Cards({ pointed: handlers.pointed, chosen: (chunk) => this.#choose(chunk, "pane") });
    this.histogram = new Histogram();
    this.verdict = new VerdictButton();
    this.recipe = new Recipe();
    this.controls = new Controls(presets, choice, () => {
      this.cut(0);
      told.chosen();
    });
    this.failure = h("div", { class: "lane-failure" });
    this.sheet = h(
      "button",
      { type: "button", class: "button lane-sheet", "aria-expanded": "false", onclick: () => this.#openSheet() },
      h("span", null, parts("lane.settings", { name: h("span", { class: "lane-of" }, name) })),
    );
    this.facts = h("div", { class: "lane-facts" });
    this.cuts = h("div");
    this.listTitle = h("h3", { class: "cards-title" });
    this.element = h(
      "section",
      { class: "lane", "aria-label": t("lane.settings", { name }) },
      h(
        "div",
        { class: "lane-settings" },
        h("b", { class: "lane-name" }, name),
        this.sheet,
        this.controls.element,
        this.recipe.element,
      ),
      h("div", { class: "lane-text" }, this.verdict.element, this.pane.element),
      h("div", { class: "lane-result" }, this.failure, this.facts, this.histogram.element),
      h("div", { class: "lane-list" }, this.cuts, this.listTitle, this.cards.element),
    );
  }

  /** @param {string} text @param {string} file @param {number} pause */
  setText(text, file, pause) {
    this.text = text;
    this.file = file;
    this.pane.setText(text);
    this.cut(pause);
  }

  /** @param {number} pause */
  cut(pause) {
    const { text, file } = this;
    const { choice } = this.controls;
    const { preset, changed } = choice;
    this.recipe.element.hidden = isPeer(preset);
    this.recipe.show(choice, file);
    const work = () => post("/api/chunk", { text, path: file, preset, settings: changed, ...this.told.asked() });
    this.requests.run(pause, work, {
      // Another text may stand there by now, and its own chunks are on their way.
      done: (result) => text === this.text && this.#show(result, choice),
      failed: (error) => refill(this.failure, errorNotice(error)),
    });
  }

  /** @param {Chunked} result @param {import("./choice.js").Choice} choice What it was asked with. */
  #show(result, choice) {
    this.result = result;
    refill(this.failure);
    refill(this.facts, numbers(result));
    refill(
      this.cuts,
      cuts(result, (chunk) => this.#choose(chunk, "pane")),
    );
    this.listTitle.textContent = listTitle(result);
    // A slider that has moved on since stays under the finger: the answer to where it is now comes next.
    if (choice === this.controls.choice) this.controls.show(result.settings);
    this.title = titleOf(choice.preset, result.settings);
    this.pane.show(result);
    this.cards.show(result);
    this.element.dataset.chunks = String(result.chunks.length);
    if (!result.question) announce(`${choice.preset}: ${t("count.chunks", { count: result.chunks.length })}`);
    this.told.shown();
  }

  /** Bring the answer into sight, and on a phone the text that it stands in. */
  revealAnswer() {
    const passage = this.result?.question?.passage;
    if (!passage) return;
    this.pane.element.scrollIntoView({ block: "nearest" });
    this.pane.revealAnswer();
    this.#activate(passage.whole_in ?? passage.chunks[0] ?? -1);
  }

  /** On a narrow screen settings are out of the way until they are asked for. */
  #openSheet() {
    const isOpen = this.element.classList.toggle("sheet-is-open");
    this.sheet.setAttribute("aria-expanded", String(isOpen));
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

/** The playground: cut a text, change a setting, see the boundaries move. */

import { errorNotice } from "../core/announce.js";
import { get, text } from "../core/api.js";
import { asset } from "../core/assets.js";
import { freshId, h, refill } from "../core/dom.js";
import { bytes } from "../core/format.js";
import { registerKeys } from "../shell/keys.js";
import { Comparison } from "./comparison.js";
import { Lane } from "./lane.js";

/** @typedef {import("../types.js").Presets} Presets */

const TYPING_PAUSE = 120;
const LARGEST_FILE = 2_000_000;

class PlaygroundView {
  constructor() {
    this.text = "";
    this.file = "relay.md";
    /** @type {Lane[]} */
    this.lanes = [];
    this.lanesBox = h("div", { class: "lanes" });
    this.comparison = new Comparison();
    this.failure = h("div");
    this.fileInput = h("input", {
      type: "file",
      id: freshId("file"),
      class: "visually-hidden",
      accept: ".md,.mdx,.markdown,.txt,text/*",
      tabindex: "-1",
      "aria-label": "Open a file",
    });
    this.fileInput.addEventListener("change", () => this.fileInput.files && this.#open(this.fileInput.files[0]));
    this.nameInput = h("input", {
      class: "input file-name mono",
      "aria-label": "Document name; .mdx turns on MDX",
      spellcheck: "false",
      value: this.file,
    });
    this.nameInput.addEventListener("change", () =>
      this.#setText(this.text, this.nameInput.value.trim() || "untitled.md", 0),
    );
    this.comparing = h(
      "button",
      { type: "button", class: "button", "aria-pressed": "false", onclick: () => this.#compare() },
      "Compare two",
    );
    this.element = h(
      "section",
      { class: "view playground", "aria-labelledby": "playground-h" },
      h(
        "div",
        { class: "playground-head" },
        h("h1", { id: "playground-h", tabindex: "-1" }, "Playground"),
        h(
          "p",
          { class: "playground-about soft small" },
          "See where a document is cut. Write, paste or drop a file; nothing leaves this machine.",
        ),
        this.comparison.element,
        h(
          "div",
          { class: "playground-tools" },
          this.nameInput,
          h("button", { type: "button", class: "button", onclick: () => this.fileInput.click() }, "Open…"),
          this.fileInput,
          h("button", { type: "button", class: "button", onclick: () => this.#loadSample() }, "Sample"),
          this.comparing,
        ),
      ),
      this.failure,
      this.lanesBox,
    );
    registerKeys("playground", [
      {
        press: ["n", "p"],
        meaning: "next or previous difference, where two are compared",
        act: (press) => this.comparison.go(press === "n" ? 1 : -1),
      },
    ]);
    this.#acceptDrops();
    void this.#begin();
  }

  show() {}

  title() {
    return "Playground";
  }

  focus() {
    this.lanes[0]?.controls.select.focus();
  }

  async #begin() {
    try {
      this.presets = /** @type {Presets} */ (await get("/api/presets"));
      this.#addLane("default", "A");
      await this.#loadSample();
    } catch (error) {
      refill(this.failure, errorNotice(error));
    }
  }

  async #loadSample() {
    this.#setText(await text(asset("sample.md")), "relay.md", 0);
  }

  /** @param {string} preset @param {"A"|"B"} name */
  #addLane(preset, name) {
    if (!this.presets) return;
    const lane = new Lane(this.presets, preset, name, {
      typed: (text) => this.#setText(text, this.file, TYPING_PAUSE),
      shown: () => this.#relate(),
    });
    this.lanes.push(lane);
    this.lanesBox.append(lane.element);
    // Same text, same width: both panes scroll together.
    lane.pane.element.addEventListener(
      "scroll",
      () => {
        for (const other of this.lanes) {
          const box = other.pane.element;
          if (other !== lane && box.scrollTop !== lane.pane.element.scrollTop)
            box.scrollTop = lane.pane.element.scrollTop;
        }
      },
      { passive: true },
    );
  }

  /** What the lanes show has to do with each other: one scale, and where they differ. */
  #relate() {
    const results = this.lanes.flatMap(({ result }) => result ?? []);
    for (const { result, histogram } of this.lanes) if (result) histogram.show(result, results);
    this.comparison.show(this.lanes);
  }

  #compare() {
    const isOn = this.lanes.length < 2;
    if (isOn) {
      this.#addLane(this.lanes[0]?.controls.choice.preset === "default" ? "blocks" : "default", "B");
      const [first, second] = this.lanes;
      second?.setText(this.text, this.file, 0);
      if (second) second.pane.element.scrollTop = first.pane.element.scrollTop;
    } else {
      this.lanes.pop()?.element.remove();
    }
    this.#relate();
    this.comparing.setAttribute("aria-pressed", String(isOn));
    this.element.classList.toggle("comparing", isOn);
  }

  /** @param {string} text @param {string} file @param {number} pause */
  #setText(text, file, pause) {
    // A textarea has one kind of line end. The others would shift every offset.
    this.text = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    this.file = file;
    this.nameInput.value = file;
    for (const lane of this.lanes) lane.setText(this.text, file, pause);
  }

  /** @param {File|undefined} file */
  async #open(file) {
    if (!file) return;
    refill(this.failure);
    this.fileInput.value = "";
    if (file.size > LARGEST_FILE) {
      const error = {
        message: `${file.name} is too large: ${bytes(file.size)}.`,
        remedy: `The playground takes up to ${bytes(LARGEST_FILE)}; use headnote chunk.`,
      };
      refill(this.failure, errorNotice(error));
      return;
    }
    this.#setText(await file.text(), file.name, 0);
  }

  #acceptDrops() {
    const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files");
    this.element.addEventListener("dragover", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.element.classList.add("dropping");
    });
    this.element.addEventListener("dragleave", (event) => {
      if (!this.element.contains(/** @type {Node|null} */ (event.relatedTarget)))
        this.element.classList.remove("dropping");
    });
    this.element.addEventListener("drop", (event) => {
      this.element.classList.remove("dropping");
      if (!hasFiles(event)) return;
      event.preventDefault();
      void this.#open(event.dataTransfer?.files[0]);
    });
  }
}

export function createPlaygroundView() {
  return new PlaygroundView();
}

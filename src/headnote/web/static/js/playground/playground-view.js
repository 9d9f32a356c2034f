/** The playground: cut a text, change a setting, see the boundaries move. */

import { get } from "../core/api.js";
import { errorNotice, freshId, h, refill } from "../core/dom.js";
import { bytes } from "../core/format.js";
import { contents } from "../core/status-feed.js";
import { t } from "../core/texts.js";
import { registerKeys } from "../shell/keys.js";
import { Comparison } from "./comparison.js";
import { Lane } from "./lane.js";
import { Question } from "./question.js";
import { openAddress, openDocument, openSample, Sharing } from "./sharing.js";
import { VerdictPicture } from "./verdict-picture.js";

/** @typedef {import("../types.js").Presets} Presets */
/** @typedef {import("./choice.js").Choice} Choice */
/** @typedef {import("./sharing.js").Held} Held */

const TYPING_PAUSE = 120;
const MAX_FILE = 2_000_000;

class PlaygroundView {
  constructor() {
    /** @type {Presets|null} */
    this.presets = null;
    /** @type {Held} */
    this.held = { text: "", file: "relay.md", from: { kind: "sample" } };
    this.picture = new VerdictPicture(async () => {
      // The picture has the address.
      await this.sharing.write();
      return { question: this.question.text, file: this.held.file, text: this.held.text, lanes: this.lanes };
    });
    this.question = new Question((pause) => this.#asked(pause), this.picture.button);
    this.sharing = new Sharing(() => ({
      held: this.held,
      settled: {
        choices: this.lanes.map(({ controls }) => controls.choice),
        question: this.question.text,
        lines: this.question.lines,
      },
    }));
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
      "aria-label": t("playground.open.label"),
    });
    this.fileInput.addEventListener("change", () => this.fileInput.files && this.#open(this.fileInput.files[0]));
    this.nameInput = h("input", {
      class: "input file-name mono",
      "aria-label": t("playground.name"),
      spellcheck: "false",
      autocomplete: "off",
      value: this.held.file,
    });
    this.documents = h("datalist", { id: freshId("documents") });
    this.nameInput.setAttribute("list", this.documents.id);
    for (const event of ["focus", "click"])
      this.nameInput.addEventListener(event, () => void this.#offerDocuments());
    this.nameInput.addEventListener("blur", () => (this.nameInput.value ||= this.held.file));
    this.nameInput.addEventListener("change", () => void this.#name(this.nameInput.value.trim()));
    this.comparing = h(
      "button",
      { type: "button", class: "button", "aria-pressed": "false", onclick: () => this.#compare() },
      t("playground.compare"),
    );
    this.element = h(
      "section",
      { class: "view playground", "aria-labelledby": "playground-h" },
      h(
        "div",
        { class: "playground-head" },
        h("h1", { id: "playground-h", tabindex: "-1" }, t("view.playground")),
        h("p", { class: "playground-about soft small" }, t("playground.about")),
        this.comparison.element,
        h(
          "div",
          { class: "playground-tools" },
          this.nameInput,
          this.documents,
          h("button", { type: "button", class: "button", onclick: () => this.fileInput.click() }, t("playground.open")),
          this.fileInput,
          h("button", { type: "button", class: "button", onclick: () => this.#openSample() }, t("playground.sample")),
          this.comparing,
          this.sharing.button,
        ),
      ),
      this.sharing.note,
      this.failure,
      this.question.element,
      this.lanesBox,
    );
    registerKeys("playground", [
      {
        press: ["n", "p"],
        meaning: t("keys.differences"),
        act: (press) => this.comparison.go(press === "n" ? 1 : -1),
      },
    ]);
    this.#acceptDrops();
  }

  /** @param {URLSearchParams} query */
  show(query) {
    // Back from another view, all is as it was left.
    if (this.sharing.isNews(query) || !this.presets) void this.#openAddress(query);
    else void this.sharing.write();
  }

  title() {
    return t("view.playground");
  }

  focus() {
    this.lanes[0]?.controls.select.focus();
  }

  /** @param {URLSearchParams} query */
  async #openAddress(query) {
    this.sharing.read(query);
    try {
      this.presets ??= /** @type {Presets} */ (await get("/api/presets"));
      const { choices, question, lines, held, problem } = await openAddress(query, this.presets);
      if (this.sharing.opened !== query.toString()) return;
      refill(this.failure, problem && errorNotice(problem));
      this.#setLanes(choices);
      this.#setText(held, 0);
      this.question.set(question, lines);
    } catch (error) {
      refill(this.failure, errorNotice(error));
    }
  }

  async #openSample() {
    this.#setText(await openSample(), 0);
    this.sharing.touch();
  }

  /** All documents are offered while the field is empty: a browser offers only what has the words in it. */
  async #offerDocuments() {
    this.nameInput.value = "";
    this.nameInput.placeholder = this.held.file;
    const entries = await contents().catch(() => []);
    refill(
      this.documents,
      entries.map(({ path, title }) => h("option", { value: path }, title === path ? "" : title)),
    );
  }

  /** Open the document of that path, or give the text this name. @param {string} name */
  async #name(name) {
    if (!name || name === this.held.file) return;
    const entries = await contents().catch(() => []);
    if (!entries.some(({ path }) => path === name)) return this.#changeText(this.held.text, name, 0);
    try {
      this.#setText(await openDocument(name), 0);
      this.sharing.touch();
    } catch (error) {
      refill(this.failure, errorNotice(error));
    }
  }

  /** @param {Choice[]} choices */
  #setLanes(choices) {
    while (this.lanes.length > 0) this.lanes.pop()?.element.remove();
    for (const choice of choices) this.#addLane(choice);
    this.#tellComparing();
  }

  /** @param {number} pause */
  #asked(pause) {
    for (const lane of this.lanes) lane.cut(pause);
    this.sharing.touch();
  }

  /** @param {Choice} choice */
  #addLane(choice) {
    if (!this.presets) return;
    const lane = new Lane(this.presets, choice, this.lanes.length === 0 ? "A" : "B", {
      typed: (text) => this.#changeText(text, this.held.file, TYPING_PAUSE),
      shown: () => this.#relate(),
      chosen: () => this.sharing.touch(),
      asked: () => this.question.request,
    });
    this.lanes.push(lane);
    this.question.watch(lane);
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
    this.question.show(this.lanes);
  }

  #compare() {
    if (this.lanes.length < 2) {
      const preset = this.lanes[0]?.controls.choice.preset === "default" ? "langchain" : "default";
      this.#addLane({ preset, changed: {} });
      const [first, second] = this.lanes;
      second?.setText(this.held.text, this.held.file, 0);
      if (second) second.pane.element.scrollTop = first.pane.element.scrollTop;
    } else {
      this.lanes.pop()?.element.remove();
    }
    this.#relate();
    this.#tellComparing();
    this.sharing.touch();
  }

  #tellComparing() {
    const isOn = this.lanes.length > 1;
    this.comparing.setAttribute("aria-pressed", String(isOn));
    this.element.classList.toggle("comparing", isOn);
  }

  /** Another text, from the reader. @param {string} text @param {string} file @param {number} pause */
  #changeText(text, file, pause) {
    this.#setText({ text, file, from: { kind: "text" } }, pause);
    this.sharing.touch();
  }

  /** @param {Held} held @param {number} pause */
  #setText({ text, file, from }, pause) {
    // A textarea has one kind of line end. The others would shift every offset.
    this.held = { text: text.replaceAll("\r\n", "\n").replaceAll("\r", "\n"), file, from };
    this.nameInput.value = this.nameInput.title = file;
    // Of a path that is too long for the field, the end says most.
    requestAnimationFrame(() => (this.nameInput.scrollLeft = this.nameInput.scrollWidth));
    this.question.forgetLines();
    for (const lane of this.lanes) lane.setText(this.held.text, file, pause);
  }

  /** @param {File|undefined} file */
  async #open(file) {
    if (!file) return;
    refill(this.failure);
    this.fileInput.value = "";
    if (file.size > MAX_FILE) {
      const error = {
        message: t("playground.tooLarge", { file: file.name, size: bytes(file.size) }),
        remedy: t("playground.tooLarge.remedy", { limit: bytes(MAX_FILE) }),
      };
      refill(this.failure, errorNotice(error));
      return;
    }
    this.#changeText(await file.text(), file.name, 0);
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

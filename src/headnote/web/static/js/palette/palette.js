/** One field for everything: documents, headings, passages, commands, recent searches. */

import { get } from "../core/api.js";
import { freshId, h, refill } from "../core/dom.js";
import { plural } from "../core/format.js";
import { Latest } from "../core/latest.js";
import { hrefOf } from "../core/routes.js";
import { recentSearches, rememberSearch } from "../search/recent.js";
import { commands, matching } from "./commands.js";
import { groupsOf } from "./rows.js";

/** @typedef {import("./rows.js").Group} Group */
/** @typedef {import("./rows.js").Row} Row */

const PAUSE = 60;
const LIMIT = 20;
/** Commands before those that were asked for by name. */
const FEW = 4;
const COMMANDS = "Commands";

export class Palette {
  /** @param {{go: (view: string) => void}} actions */
  constructor(actions) {
    this.actions = actions;
    this.latest = new Latest();
    /** @type {Row[]} In the order of the list. */
    this.rows = [];
    this.at = 0;
    /** The row that was gone to by arrows or mouse: it stays chosen when the answer comes. @type {Row|null} */
    this.chosen = null;
    /** Whether the answer that is awaited, if any, leaves the first row as it is. */
    this.isCertain = true;
    /** Whether Enter was pressed before that was certain. */
    this.isEntered = false;
    /** What the server has found for the words in the field, or for those before them. @type {Group[]} */
    this.found = [];
    this.list = h("div", { class: "palette-list", role: "listbox", id: "palette-list", "aria-label": "Suggestions" });
    this.state = h("p", { class: "visually-hidden", role: "status" });
    this.input = h("input", {
      class: "palette-input",
      type: "text",
      role: "combobox",
      placeholder: "Go to a document, a passage, a command",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Go to",
      "aria-autocomplete": "list",
      "aria-controls": "palette-list",
      "aria-expanded": "true",
    });
    this.dialog = h("dialog", { class: "palette", "aria-label": "Go to anything" }, this.input, this.list, this.state);
    this.input.addEventListener("input", () => this.#ask());
    this.dialog.addEventListener("keydown", (event) => this.#press(event));
    // Outside of its content: on the backdrop.
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.dialog.addEventListener("close", () => this.latest.stop());
    document.body.append(this.dialog);
  }

  /** @param {string} [text] What was typed already. */
  open(text = "") {
    if (this.dialog.open) return;
    this.input.value = text;
    this.found = [];
    this.dialog.showModal();
    this.input.focus();
    this.#ask();
  }

  #ask() {
    const q = this.input.value.trimStart();
    this.chosen = null;
    this.isEntered = false;
    if (!q.trim()) {
      this.latest.stop();
      this.found = [];
      this.#show();
      return;
    }
    // Commands are there at once; what was found before stays until the answer comes.
    this.#show(true);
    this.latest.run(PAUSE, (signal) => get("/api/search", { q, limit: LIMIT }, signal), {
      done: ({ hits }) => {
        this.#answer(groupsOf(hits, q.trim()));
        this.state.textContent = plural(this.rows.length, "suggestion");
      },
      failed: (error) => {
        this.#answer([]);
        this.state.textContent = error.message;
      },
    });
  }

  /** @param {Group[]} found */
  #answer(found) {
    this.found = found;
    this.#show();
    if (this.isEntered) this.#run(this.at);
  }

  /** @param {boolean} [isWaiting] */
  #show(isWaiting = false) {
    const q = this.input.value.trim();
    /** @type {Group[]} */
    const all = q ? this.#groups(q) : this.#beginning();
    const groups = all.filter(({ rows }) => rows.length > 0);
    this.rows = groups.flatMap(({ rows }) => rows);
    this.isCertain = !isWaiting || groups[0].name === COMMANDS;
    this.at = Math.max(0, this.rows.findIndex((row) => isSame(row, this.chosen)));
    let number = 0;
    refill(
      this.list,
      groups.map(({ name, rows }) => groupElement(name, rows.map((row) => this.#option(row, number++)))),
    );
    this.#mark();
    if (this.chosen) this.#reveal();
  }

  /** @returns {Group[]} */
  #beginning() {
    const recent = recentSearches().map((text) => ({ title: text, hint: "search", run: () => search(text) }));
    return [
      { name: "Recent searches", rows: recent },
      { name: COMMANDS, rows: commands(this.actions) },
    ];
  }

  /** @param {string} q @returns {Group[]} */
  #groups(q) {
    const rows = matching(commands(this.actions), q).slice(0, FEW);
    const whole = { title: `Search for “${q}”`, hint: "all passages", run: () => search(q) };
    return [{ name: COMMANDS, rows }, ...this.found, { name: "Search", rows: [whole] }];
  }

  /** @param {Row} row @param {number} number */
  #option(row, number) {
    const option = h(
      "div",
      { class: "palette-row", role: "option", id: `palette-row-${number}`, onclick: () => this.#run(number) },
      h("span", { class: "palette-title" }, marked(row)),
      row.detail && h("span", { class: "palette-detail mono" }, row.detail),
      row.hint && h("span", { class: "palette-hint" }, row.hint),
    );
    option.addEventListener("mousemove", () => {
      if (this.at !== number) this.#choose(number);
    });
    return option;
  }

  /** @param {number} number */
  #choose(number) {
    this.at = number;
    this.chosen = this.rows[number];
    this.#mark();
  }

  #mark() {
    for (const option of this.list.querySelectorAll('[role="option"]'))
      option.setAttribute("aria-selected", String(option.id === `palette-row-${this.at}`));
    if (this.rows.length > 0) this.input.setAttribute("aria-activedescendant", `palette-row-${this.at}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  #reveal() {
    document.getElementById(`palette-row-${this.at}`)?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.rows.length > 0) {
      this.#choose((this.at + step + this.rows.length) % this.rows.length);
      this.#reveal();
    } else if (event.key === "Enter") this.#enter();
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") this.dialog.close();
    else return;
    event.preventDefault();
  }

  /** Rows of the words before are still there while the answer is awaited: only one that was gone to is meant. */
  #enter() {
    if (this.isCertain || this.chosen) this.#run(this.at);
    else this.isEntered = true;
  }

  /** @param {number} number */
  #run(number) {
    const row = this.rows[number];
    if (!row) return;
    this.dialog.close();
    row.run();
  }
}

/** Whether two rows say the same. @param {Row} one @param {Row|null} other */
function isSame(one, other) {
  return one.title === other?.title && one.detail === other.detail;
}

/** @param {string} q */
function search(q) {
  rememberSearch(q);
  location.hash = hrefOf("search", { q });
}

/** @param {string} name @param {HTMLElement[]} options */
function groupElement(name, options) {
  const id = freshId("palette-group");
  return h(
    "div",
    { class: "palette-group", role: "group", "aria-labelledby": id },
    h("div", { class: "palette-name", id, role: "presentation" }, name),
    options,
  );
}

/** @param {Row} row */
function marked({ title, marks = [] }) {
  let at = 0;
  const pieces = marks.flatMap(([start, end]) => {
    const before = title.slice(at, start);
    at = end;
    return [before, h("mark", null, title.slice(start, end))];
  });
  return [...pieces, title.slice(at)].filter((piece) => piece !== "");
}

/** One field for everything: documents, headings, passages, commands, recent searches. */

import { get, Latest } from "../core/api.js";
import { copy } from "../core/clipboard.js";
import { freshId, h, refill } from "../core/dom.js";
import { CodePoints } from "../core/format.js";
import { areNamesKnown, namesWith, readNames } from "../core/names.js";
import { hrefOf, hrefOfPlace } from "../core/routes.js";
import { language, t } from "../core/texts.js";
import { nameOf } from "../folders/model.js";
import { openKeysDialog } from "../shell/keys.js";
import { chooseLanguage, forgetSearches, LANGUAGES, recentSearches, rememberSearch } from "../shell/preferences.js";

/** @typedef {import("../types.js").Hit} Hit */

// -- What the palette can do besides finding: go to a view, switch the theme, copy the address, …

/** @typedef {{title: string, words: string, hint?: string, run: () => void}} Command */

/** @param {{go: (view: string) => void}} actions @returns {Command[]} */
function commands({ go }) {
  const isDark = document.documentElement.dataset.theme === "dark";
  const list = [
    { title: t("view.search"), words: t("command.search"), hint: "1", run: () => go("search") },
    { title: t("view.document"), words: t("command.document"), hint: "2", run: () => go("document") },
    { title: t("view.playground"), words: t("command.playground"), hint: "3", run: () => go("playground") },
    { title: t("view.graph"), words: t("command.graph"), hint: "4", run: () => go("graph") },
    { title: t("view.ask"), words: t("command.ask"), hint: "5", run: () => go("ask") },
    { title: t("view.status"), words: t("command.status"), hint: "6", run: () => go("status") },
    {
      title: t(isDark ? "theme.light" : "theme.dark"),
      words: t("command.theme"),
      hint: "t",
      run: () => document.getElementById("theme-toggle")?.click(),
    },
    {
      title: t("command.link.title"),
      words: t("command.link"),
      run: () => void copy(location.href, t("copy.link.done")),
    },
    { title: t("command.reload.title"), words: t("command.reload"), run: () => location.reload() },
    { title: t("command.keys.title"), words: t("command.keys"), hint: "?", run: openKeysDialog },
  ];
  for (const [code, name] of LANGUAGES)
    if (code !== language) list.push({ title: name, words: t("command.language"), run: () => chooseLanguage(code) });
  if (recentSearches().length > 0)
    list.push({ title: t("command.forget.title"), words: t("command.forget"), run: forgetSearches });
  return list;
}

/** Commands in which each word of the query begins some word. @param {Command[]} all @param {string} query */
function matching(all, query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ title, words }) => {
    const own = `${title} ${words}`.toLowerCase().split(" ");
    return wanted.every((word) => own.some((one) => one.startsWith(word)));
  });
}

// -- Rows: documents by their title, sections by their heading, passages by their words

/**
 * A row: its title, with marks as offsets, what stands beside it, and what it does.
 * @typedef {{title: string, marks?: [number, number][], detail?: string, hint?: string, run: () => void}} Row
 * @typedef {{name: string, rows: Row[]}} Group
 */

const MAX_ENTRIES = 6;
/** Of one document. */
const MAX_PASSAGES = 2;

/** What is called so, from memory. @param {string} query @returns {Found} */
function namedRows(query) {
  const { documents, headings } = namesWith(query, MAX_ENTRIES);
  return {
    documents: new Map(
      documents.map(({ name: { path, text }, marks }) => {
        const run = goTo(hrefOf("document", { path }));
        return [path, { title: text, marks, detail: shortened(path), run }];
      }),
    ),
    headings: new Map(
      headings.map(({ name: { path, text, title, line, isOwnLine }, marks }) => {
        const run = goTo(hrefOf("document", { path, line, fragment: isOwnLine ? null : text }));
        return [sectionOf(path, text), { title: text, marks, detail: `${title} · ${nameOf(path)}`, run }];
      }),
    ),
    passages: [],
  };
}

/**
 * Documents by their paths, and headings by path and text, so that none is listed twice.
 * @typedef {{documents: Map<string, Row>, headings: Map<string, Row>, passages: Row[]}} Found
 */

const MAX_PATH = 40;

/** The end of a long path says most. @param {string} path */
function shortened(path) {
  return path.length > MAX_PATH ? `…/${path.split("/").slice(-2).join("/")}` : path;
}

/** @param {string} path @param {string} heading */
const sectionOf = (path, heading) => `${path}\n${heading}`;

/**
 * What is called so, then what the server has found.
 * @param {Found} named @param {Hit[]} hits @param {string} query
 */
function withHits(named, hits, query) {
  const documents = new Map(named.documents);
  const headings = new Map(named.headings);
  /** @type {Row[]} */
  const passages = [];
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const hit of hits) {
    const heading = hit.breadcrumb.split(" > ").at(-1) ?? "";
    const isByTitle = names(hit.title, hit);
    if (isByTitle && !documents.has(hit.path)) documents.set(hit.path, documentRow(hit));
    if (heading !== hit.title && names(heading, hit)) {
      const section = sectionOf(hit.path, heading);
      // The best hit comes first.
      if (!headings.has(section)) headings.set(section, headingRow(hit, heading));
    } else if (!isByTitle) {
      const count = counts.get(hit.path) ?? 0;
      counts.set(hit.path, count + 1);
      if (count < MAX_PASSAGES) passages.push(passageRow(hit, query));
    }
  }
  return { documents, headings, passages };
}

/** @param {Found} found @returns {Group[]} */
function groupsOf({ documents, headings, passages }) {
  return [
    { name: t("view.document"), rows: [...documents.values()].slice(0, MAX_ENTRIES) },
    { name: t("palette.headings"), rows: [...headings.values()].slice(0, MAX_ENTRIES) },
    { name: t("palette.passages"), rows: passages.slice(0, MAX_ENTRIES) },
  ];
}

/** Whether a name has all words of the query that the passage has. @param {string} name @param {Hit} hit */
function names(name, { why }) {
  const text = name.toLowerCase();
  return why.matched.length > 0 && why.matched.every((word) => text.includes(word.toLowerCase()));
}

/** Where the words of the query stand in a name. @param {string} text @param {Hit} hit @returns {[number, number][]} */
function marksIn(text, { why }) {
  /** @type {[number, number][]} */
  const marks = [];
  for (const word of why.matched) {
    const at = text.toLowerCase().indexOf(word.toLowerCase());
    if (at >= 0 && marks.every(([start, end]) => at >= end || at + word.length <= start))
      marks.push([at, at + word.length]);
  }
  return marks.sort(([one], [other]) => one - other);
}

/** @param {string} href */
const goTo = (href) => () => {
  location.hash = href;
};

/** @param {Hit} hit @returns {Row} */
function documentRow(hit) {
  const run = goTo(hrefOf("document", { path: hit.path }));
  return { title: hit.title, marks: marksIn(hit.title, hit), detail: shortened(hit.path), run };
}

/** @param {Hit} hit @param {string} heading @returns {Row} */
function headingRow(hit, heading) {
  const run = goTo(hrefOf("document", { path: hit.path, line: hit.start_line }));
  return { title: heading, marks: marksIn(heading, hit), detail: `${hit.title} · ${nameOf(hit.path)}`, run };
}

/** @param {Hit} hit @param {string} query @returns {Row} */
function passageRow(hit, query) {
  const line = hit.snippet.lines.find(({ marks }) => marks.length > 0) ?? hit.snippet.lines[0];
  const run = goTo(hrefOfPlace({ ...hit, start_line: hit.line }, query));
  const detail = `${shortened(hit.path)}:${hit.line}`;
  if (!line) return { title: hit.breadcrumb || hit.title, detail, run };
  const points = new CodePoints(line.text);
  /** @type {[number, number][]} */
  const marks = line.marks.map(([start, end]) => [points.unit(start), points.unit(end)]);
  return { title: line.text, marks, detail, run };
}

// -- The palette

const PAUSE = 60; // before the server is asked for passages
const LIMIT = 20;
/** Commands before those that were asked for by name. */
const FEW = 4;
const COMMANDS = t("palette.commands");

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
    /** What is called as the words in the field. @type {Found} */
    this.named = namedRows("");
    /** What is found for them; until the answer comes, passages are those of the words before. @type {Found} */
    this.found = this.named;
    const suggestions = t("palette.suggestions");
    this.list = h("div", { class: "palette-list", role: "listbox", id: "palette-list", "aria-label": suggestions });
    this.state = h("p", { class: "visually-hidden", role: "status" });
    this.input = h("input", {
      class: "palette-input",
      type: "text",
      role: "combobox",
      placeholder: t("palette.placeholder"),
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": t("palette.field"),
      "aria-autocomplete": "list",
      "aria-controls": "palette-list",
      "aria-expanded": "true",
    });
    const look = { class: "palette", "aria-label": t("palette.label") };
    this.dialog = h("dialog", look, this.input, this.list, this.state);
    this.input.addEventListener("input", () => this.#ask());
    this.dialog.addEventListener("keydown", (event) => this.#press(event));
    // Outside of its content: on the backdrop.
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.dialog.addEventListener("close", () => this.latest.stop());
    document.body.append(this.dialog);
  }

  /** Read what documents and headings are called, before anybody types. */
  prepare() {
    readNames().catch(() => {});
  }

  /** @param {string} [text] What was typed already. */
  open(text = "") {
    if (this.dialog.open) return;
    this.input.value = text;
    this.found = namedRows("");
    this.dialog.showModal();
    this.input.focus();
    this.#ask();
    // Whoever types faster than the names are read gets them a moment later.
    readNames().then(
      () => this.dialog.open && this.#name(),
      () => {},
    );
  }

  /** Show what is called as the words in the field, before anything else is found. */
  #name() {
    const q = this.input.value.trim();
    if (!q) return;
    this.named = namedRows(q);
    this.found = { ...this.named, passages: this.found.passages };
    this.#show(true);
  }

  #ask() {
    const q = this.input.value.trimStart();
    this.chosen = null;
    this.isEntered = false;
    if (!q.trim()) {
      this.latest.stop();
      this.found = namedRows("");
      this.#show();
      return;
    }
    this.#name();
    this.latest.run(PAUSE, (signal) => get("/api/search", { q, limit: LIMIT }, signal), {
      done: ({ hits }) => {
        this.#answer(withHits(this.named, hits, q.trim()));
        this.state.textContent = t("palette.count", { count: this.rows.length });
      },
      failed: (error) => {
        this.#answer(this.named);
        this.state.textContent = error.message;
      },
    });
  }

  /** @param {Found} found */
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
    const isCommand = areNamesKnown() && groups[0].name === COMMANDS;
    this.isCertain = !isWaiting || isCommand || this.named.documents.size > 0;
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
    const recent = recentSearches().map((text) => ({ title: text, hint: t("palette.again"), run: () => search(text) }));
    return [
      { name: t("recent.title"), rows: recent },
      { name: COMMANDS, rows: commands(this.actions) },
    ];
  }

  /** @param {string} q @returns {Group[]} */
  #groups(q) {
    const rows = matching(commands(this.actions), q).slice(0, FEW);
    const whole = { title: t("search.for", { query: q }), hint: t("palette.all"), run: () => search(q) };
    const named = { name: COMMANDS, rows };
    // What a document or a heading is called goes first: nobody reloads the page by looking for a recipe.
    const isCommand = areNamesKnown() && this.named.documents.size + this.named.headings.size === 0;
    const found = isCommand ? [named, ...groupsOf(this.found)] : [...groupsOf(this.found), named];
    return [...found, { name: t("view.search"), rows: [whole] }];
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

/** Chips above the hits: how the query was understood, what is filtered, and what would narrow the search. */

import { h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";

/** @typedef {import("../types.js").Facet} Facet */
/** @typedef {import("../types.js").Understood} Understood */
/** @typedef {import("./filters.js").Filters} Filters */

// -- How the query was understood: a chip for each operator in it, which takes it out again

/** @typedef {{shown: string, said: string, written: (query: string) => string|null}} Operator */

export class Operators {
  /** @param {HTMLInputElement} input @param {() => void} changed */
  constructor(input, changed) {
    this.input = input;
    this.changed = changed;
    this.element = h("div", { class: "operators", role: "group", "aria-label": "How the query is read", hidden: true });
  }

  /** @param {Understood} understood @param {string} query */
  show(understood, query) {
    const chips = operatorsOf(understood, query).map((operator) => this.#chip(operator));
    const notes = understood.notes.map((note) => h("p", { class: "soft small" }, note));
    this.element.hidden = chips.length === 0 && notes.length === 0;
    const row = h("div", { class: "facet-row" }, h("span", { class: "facet-name" }, "Query"), chips);
    const shown = [chips.length > 0 && row, ...notes].filter(Boolean);
    // What says the same stays, and so does the focus in it.
    const fresh = h("div", null, shown);
    if (this.element.innerHTML !== fresh.innerHTML) refill(this.element, shown);
  }

  clear() {
    this.element.hidden = true;
    refill(this.element);
  }

  /** @param {Operator} operator */
  #chip(operator) {
    const remove = () => this.#remove(operator);
    return h(
      "button",
      {
        type: "button",
        class: "facet active",
        "aria-label": `Remove ${operator.said}`,
        onclick: remove,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Delete" && event.key !== "Backspace") return;
          event.preventDefault();
          remove();
        },
      },
      h("span", null, operator.shown),
      h("span", { "aria-hidden": "true" }, "×"),
    );
  }

  /** @param {Operator} operator */
  #remove({ written }) {
    const part = written(this.input.value);
    if (part === null) return;
    this.input.value = this.input.value.replace(part, " ").replace(/\s+/g, " ").trim();
    this.input.focus();
    this.changed();
  }
}

/** @param {Understood} understood @param {string} query @returns {Operator[]} */
function operatorsOf({ phrases, excluded, filters }, query) {
  const found = [
    ...phrases.map((phrase) => ({
      shown: `“${phrase}”`,
      said: `the phrase ${phrase}`,
      written: (/** @type {string} */ typed) => quotedIn(typed, phrase),
    })),
    ...excluded.map((text) => ({
      shown: `without ${text}`,
      said: `the exclusion of ${text}`,
      written: (/** @type {string} */ typed) => (typed.includes(`-${text}`) ? `-${text}` : null),
    })),
    ...filters.map((text) => ({
      shown: text,
      said: `the filter ${text}`,
      written: (/** @type {string} */ typed) => (typed.includes(text) ? text : null),
    })),
  ];
  // Filters of the panel have chips of their own.
  return found.filter(({ written }) => written(query) !== null);
}

/** A phrase as it is typed, with its quotes. @param {string} typed @param {string} phrase */
function quotedIn(typed, phrase) {
  const quoted = typed.match(/"[^"]*"|“[^”]*”/g) ?? [];
  const plain = (/** @type {string} */ text) => text.slice(1, -1).split(/\s+/).filter(Boolean).join(" ");
  return quoted.find((text) => plain(text) === phrase) ?? null;
}

// -- Folders, tags and fields that narrow a search, each with what it would leave, and the filters that are set

const MAX_ENTRIES = 6;
/** Fields that are offered: more would push the hits out of sight. */
const MAX_FIELDS = 2;

/** @type {Record<string, string>} */
const NAMES = { folder: "Folder", tag: "Tag" };

export class Facets {
  /** @param {Filters} filters */
  constructor(filters) {
    this.filters = filters;
    this.element = h("div", { class: "facets", role: "group", "aria-label": "Narrow the search", hidden: true });
  }

  /** @param {Facet[]} facets */
  show(facets) {
    const rows = [...this.#active(), ...groups(facets).map(([name, values]) => this.#row(name, values))];
    this.element.hidden = rows.length === 0;
    refill(this.element, rows);
  }

  #active() {
    const set = this.filters.set();
    if (set.length === 0) return [];
    const chips = set.map((filter) =>
      h(
        "button",
        {
          type: "button",
          class: "facet active",
          "aria-label": `Remove the filter ${filter.shown}`,
          onclick: () => this.filters.remove(filter),
        },
        h("span", null, filter.shown),
        h("span", { "aria-hidden": "true" }, "×"),
      ),
    );
    return [row("Filters", chips)];
  }

  /** @param {string} name @param {Facet[]} values */
  #row(name, values) {
    const chips = values.slice(0, MAX_ENTRIES).map((facet) => {
      const shown = facet.kind === "folder" ? lastFolder(facet.value) : facet.value;
      return h(
        "button",
        {
          type: "button",
          class: "facet",
          title: facet.value,
          "aria-label": `Narrow to ${shown}: ${plural(facet.total, "passage")}`,
          onclick: () => this.filters.add(facet.parameter, facet.argument),
        },
        h("span", null, shown),
        h("span", { class: "facet-count numbers" }, whole(facet.total)),
      );
    });
    return row(name, chips);
  }
}

/** @param {string} name @param {HTMLElement[]} chips */
function row(name, chips) {
  return h("div", { class: "facet-row" }, h("span", { class: "facet-name" }, name), chips);
}

/** Facets by what they narrow. A comma would end a filter in its field. @param {Facet[]} facets */
function groups(facets) {
  /** @type {Map<string, Facet[]>} */
  const found = new Map();
  let fields = 0;
  for (const facet of facets.filter(({ argument }) => !argument.includes(","))) {
    const name = NAMES[facet.kind] ?? facet.name;
    if (!found.has(name)) {
      if (facet.kind === "field" && fields === MAX_FIELDS) continue;
      if (facet.kind === "field") fields += 1;
      found.set(name, []);
    }
    found.get(name)?.push(facet);
  }
  return [...found];
}

/** @param {string} folder as `guides/setup/` */
const lastFolder = (folder) => `${folder.split("/").at(-2) ?? ""}/`;

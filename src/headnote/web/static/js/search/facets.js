/** Chips above the hits: how the query was understood, what is filtered, and what would narrow the search. */

import { freshId, h, refill } from "../core/dom.js";
import { whole } from "../core/format.js";
import { t } from "../core/texts.js";

/** @typedef {import("../types.js").Facet} Facet */
/** @typedef {import("../types.js").Understood} Understood */
/** @typedef {import("./filters.js").Filters} Filters */

// -- How the query was understood: a chip for each operator in it, which takes it out again

/** @typedef {{shown: string, removal: string, written: (query: string) => string|null}} Operator */

export class Operators {
  /** @param {HTMLInputElement} input @param {() => void} changed */
  constructor(input, changed) {
    this.input = input;
    this.changed = changed;
    this.element = h("div", { class: "operators", role: "group", "aria-label": t("operators.label"), hidden: true });
  }

  /** @param {Understood} understood @param {string} query */
  show(understood, query) {
    const chips = operatorsOf(understood, query).map((operator) => this.#chip(operator));
    const notes = understood.notes.map((note) => h("p", { class: "soft small" }, note));
    this.element.hidden = chips.length === 0 && notes.length === 0;
    const row = h("div", { class: "facet-row" }, h("span", { class: "facet-name" }, t("operators.query")), chips);
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
        "aria-label": operator.removal,
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
      shown: t("operator.phrase", { phrase }),
      removal: t("operator.phrase.remove", { phrase }),
      written: (/** @type {string} */ typed) => quotedIn(typed, phrase),
    })),
    ...excluded.map((text) => ({
      shown: t("operator.without", { text }),
      removal: t("operator.without.remove", { text }),
      written: (/** @type {string} */ typed) => (typed.includes(`-${text}`) ? `-${text}` : null),
    })),
    ...filters.map((text) => ({
      shown: text,
      removal: t("filter.remove", { filter: text }),
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

/** Fields that are offered: more would not fit into the line. */
const MAX_FIELDS = 2;
/** What leaves more of the passages than this does not narrow a search. */
const NARROW = 0.9;

/** @type {Record<string, string>} */
const NAMES = { folder: t("facet.folder"), tag: t("filter.tag") };

export class Facets {
  /** @param {Filters} filters */
  constructor(filters) {
    this.filters = filters;
    /** The name of what is open. */
    this.open = "";
    this.element = h("div", { class: "facets", role: "group", "aria-label": t("facets.label"), hidden: true });
    this.panel = h("div", { class: "facet-values", id: freshId("facet"), role: "group", hidden: true });
    document.addEventListener("click", ({ target }) => {
      const isInside = target instanceof Node && (this.panel.contains(target) || this.element.contains(target));
      if (!isInside) this.#close();
    });
    for (const place of [this.element, this.panel])
      place.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !this.open) return;
        event.preventDefault();
        const chip = this.#chipOf(this.open);
        this.#close();
        chip?.focus();
      });
  }

  /** @param {Facet[]} facets @param {number} total Of all passages that are found. */
  show(facets, total) {
    const narrowing = facets.filter((facet) => facet.total <= total * NARROW);
    const chips = [...this.#active(), ...groups(narrowing).map(([name, values]) => this.#chip(name, values))];
    this.#close();
    this.element.hidden = chips.length === 0;
    refill(this.element, chips);
  }

  #active() {
    return this.filters.set().map((filter) =>
      h(
        "button",
        {
          type: "button",
          class: "facet active",
          "aria-label": t("filter.remove", { filter: filter.shown }),
          onclick: () => this.filters.remove(filter),
        },
        h("span", null, filter.shown),
        h("span", { "aria-hidden": "true" }, "×"),
      ),
    );
  }

  /** What opens the values of a folder, a tag, a field. @param {string} name @param {Facet[]} values */
  #chip(name, values) {
    return h(
      "button",
      {
        type: "button",
        class: "facet opens",
        data: { facet: name },
        "aria-expanded": "false",
        "aria-controls": this.panel.id,
        onclick: () => (this.open === name ? this.#close() : this.#show(name, values)),
      },
      h("span", null, name),
    );
  }

  /** @param {string} name @param {Facet[]} values */
  #show(name, values) {
    this.#close();
    this.open = name;
    this.#chipOf(name)?.setAttribute("aria-expanded", "true");
    this.panel.setAttribute("aria-label", name);
    refill(this.panel, values.map((facet) => this.#value(facet)));
    this.panel.hidden = false;
  }

  #close() {
    this.#chipOf(this.open)?.setAttribute("aria-expanded", "false");
    this.open = "";
    this.panel.hidden = true;
  }

  /** @param {string} name */
  #chipOf(name) {
    const chips = /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll("[data-facet]")]);
    return chips.find(({ dataset }) => dataset.facet === name);
  }

  /** @param {Facet} facet */
  #value(facet) {
    const shown = facet.kind === "folder" ? lastFolder(facet.value) : facet.value;
    return h(
      "button",
      {
        type: "button",
        class: "facet-value",
        title: facet.value,
        "aria-label": t("facet.narrow", { value: shown, count: facet.total }),
        onclick: () => this.filters.add(facet.parameter, facet.argument),
      },
      h("span", null, shown),
      h("span", { class: "facet-count numbers" }, whole(facet.total)),
    );
  }
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

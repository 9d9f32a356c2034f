/** How the query was understood: a chip for each operator in it, which takes it out again. */

import { h, refill } from "../core/dom.js";

/** @typedef {import("../types.js").Understood} Understood */
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

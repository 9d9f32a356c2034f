/** The filters of a search, as fields and as part of the address. */

import { freshId, h } from "../core/dom.js";

/**
 * @typedef {{name: string, label: string, placeholder: string, hint: string, type?: string, many: boolean,
 *   complete?: RegExp}} FilterField Incomplete values are still being typed, and not sent.
 */

/** @type {FilterField[]} */
const FIELDS = [
  { name: "path", label: "Path", placeholder: "guides/**, *.mdx", hint: "globs, or a folder", many: true },
  { name: "tag", label: "Tag", placeholder: "howto", hint: "all must match", many: true },
  {
    name: "where",
    label: "Frontmatter",
    placeholder: "status=draft",
    hint: "key=value",
    many: true,
    complete: /^[^=]+=/,
  },
  { name: "since", label: "Changed since", placeholder: "", hint: "", type: "date", many: false },
];

const MODES = [
  ["hybrid", "Both"],
  ["semantic", "Meaning"],
  ["keyword", "Words"],
];

export class Filters {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.mode = this.#buildMode();
    /** @type {Map<string, HTMLInputElement>} */
    this.inputs = new Map();
    this.count = h("span", { class: "chip", hidden: true });
    this.clearing = h(
      "button",
      { type: "button", class: "button quiet", onclick: () => this.clear() },
      "Clear filters",
    );
    this.panel = h(
      "details",
      { class: "disclosure filters" },
      h("summary", null, "Filters ", this.count),
      h(
        "div",
        { class: "filter-fields" },
        FIELDS.map((field) => this.#buildField(field)),
        this.clearing,
      ),
    );
  }

  /** Parameters of the request, besides the query. */
  query() {
    /** @type {Record<string, string|string[]>} */
    const parameters = { mode: this.#mode() };
    for (const { name, many, complete } of FIELDS) {
      const value = this.#value(name);
      const parts = many ? value.split(",").map((part) => part.trim()) : [value];
      parameters[name] = parts.filter((part) => part && (!complete || complete.test(part)));
    }
    return parameters;
  }

  /** Parameters of the address; defaults are left out. */
  address() {
    const values = Object.fromEntries(FIELDS.map(({ name }) => [name, this.#value(name)]));
    return { mode: this.#mode() === "hybrid" ? "" : this.#mode(), ...values };
  }

  /** @param {URLSearchParams} query */
  fill(query) {
    const mode = query.get("mode") ?? "hybrid";
    for (const input of this.mode.querySelectorAll("input")) input.checked = input.value === mode;
    for (const [name, input] of this.inputs) {
      const value = query.get(name) ?? "";
      if (input.value !== value) input.value = value;
    }
    this.#tell();
    if (this.active() > 0) this.panel.open = true;
  }

  /** How many filters are set. */
  active() {
    return FIELDS.filter(({ name }) => this.#value(name)).length;
  }

  /** The filters one by one. @returns {{name: string, value: string, shown: string}[]} */
  set() {
    return FIELDS.flatMap(({ name, many }) => {
      const values = many ? this.#value(name).split(",") : [this.#value(name)];
      const marks = { tag: "#", since: "since " };
      const mark = marks[/** @type {"tag"|"since"} */ (name)] ?? "";
      return values
        .map((value) => value.trim())
        .filter(Boolean)
        .map((value) => ({ name, value, shown: `${mark}${name === "path" ? value.replace(/^\/(?=.)/, "") : value}` }));
    });
  }

  /**
   * Narrow the search. A folder takes the place of the one that it lies in.
   * @param {string} name @param {string} value
   */
  add(name, value) {
    const before = this.#value(name);
    this.#put(name, before && name !== "path" ? `${before}, ${value}` : value);
  }

  /** @param {{name: string, value: string}} filter */
  remove({ name, value }) {
    const others = this.#value(name).split(",");
    const kept = others.map((one) => one.trim()).filter((one) => one && one !== value);
    this.#put(name, kept.join(", "));
  }

  /** @param {string} name @param {string} value */
  #put(name, value) {
    const input = this.inputs.get(name);
    if (input) input.value = value;
    this.#touch();
  }

  clear() {
    for (const input of this.inputs.values()) input.value = "";
    this.#touch();
  }

  /** @param {string} mode */
  setMode(mode) {
    for (const input of this.mode.querySelectorAll("input")) input.checked = input.value === mode;
    this.#touch();
  }

  #mode() {
    return this.mode.querySelector("input:checked")?.getAttribute("value") ?? "hybrid";
  }

  /** @param {string} name */
  #value(name) {
    return this.inputs.get(name)?.value.trim() ?? "";
  }

  #touch() {
    this.#tell();
    this.changed();
  }

  #tell() {
    const active = this.active();
    this.count.hidden = this.clearing.hidden = active === 0;
    this.count.textContent = String(active);
  }

  #buildMode() {
    const name = freshId("mode");
    const choices = MODES.map(([value, label]) =>
      h(
        "label",
        null,
        h("input", { type: "radio", name, value, checked: value === "hybrid", onchange: () => this.#touch() }),
        h("span", null, label),
      ),
    );
    return h("fieldset", { class: "segments" }, h("legend", null, "Search by"), choices);
  }

  /** @param {FilterField} field */
  #buildField({ name, label, placeholder, hint, type }) {
    const id = freshId(name);
    const input = h("input", {
      id,
      class: "input",
      type: type ?? "text",
      placeholder,
      autocomplete: "off",
      spellcheck: "false",
    });
    input.addEventListener("input", () => this.#touch());
    this.inputs.set(name, input);
    const note = hint ? h("span", { class: "soft" }, ` · ${hint}`) : null;
    return h("div", { class: "field" }, h("label", { for: id }, label, note), input);
  }
}

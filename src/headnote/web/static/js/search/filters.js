/** The filters of a search, as fields and as part of the address. */

import { freshId, h } from "../core/dom.js";
import { day } from "../core/format.js";
import { t } from "../core/texts.js";

/**
 * @typedef {{name: string, label: string, placeholder: string, hint: string, type?: string, many: boolean,
 *   complete?: (part: string) => boolean, help?: string}} FilterField Incomplete values are still being typed, and
 *   not sent.
 */

/** @type {FilterField[]} */
const FIELDS = [
  { name: "path", label: t("filter.path"), placeholder: "guides/**, *.mdx", hint: t("filter.path.hint"), many: true },
  { name: "tag", label: t("filter.tag"), placeholder: "howto", hint: t("filter.tag.hint"), many: true },
  {
    name: "where",
    label: t("filter.where"),
    placeholder: "status=draft, version >= 2",
    hint: t("filter.where.hint"),
    many: true,
    complete: isComplete,
  },
  { name: "since", label: t("filter.since"), placeholder: "", hint: "", type: "date", many: false },
];

/** Values between commas, but for those in quotes and parentheses. @param {string} text */
function partsOf(text) {
  const parts = text.match(/(?:"(?:[^"\\]|\\.)*"|\([^()]*\)|[^,])+/g) ?? [];
  return parts.map((part) => part.trim()).filter(Boolean);
}

/**
 * Whether a condition may be sent: a field alone, a sign without a value and an open parenthesis are still being typed.
 * @param {string} part
 */
function isComplete(part) {
  const plain = part.replace(/"(?:[^"\\]|\\.)*"/g, "x");
  const isOpen = plain.includes('"') || plain.split("(").length !== plain.split(")").length;
  const compares = /[=<>≤≥≠]\s*\S|[^=<>]=\s*$|\)\s*$|\s(exists|missing)\s*\)*$/i.test(plain);
  return compares && !isOpen && !/(^|\s)(and|or|not|in)\s*$/i.test(plain) && !/[<>!]=?\s*$/.test(plain);
}

/** What a chip says. @param {string} name @param {string} value */
function shownAs(name, value) {
  if (name === "since") return t("filter.since.date", { date: day(value) });
  return name === "path" ? value.replace(/^\/(?=.)/, "") : name === "tag" ? `#${value}` : value;
}

const MODES = [
  ["hybrid", t("mode.both")],
  ["semantic", t("mode.meaning")],
  ["keyword", t("mode.words")],
];

export class Filters {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.mode = this.#buildMode();
    this.problem = h("p", { class: "filter-problem small", id: freshId("where-problem"), role: "status" });
    /** @type {Map<string, HTMLInputElement>} */
    this.inputs = new Map();
    this.count = h("span", { class: "chip", hidden: true });
    this.clearing = h(
      "button",
      { type: "button", class: "button quiet", onclick: () => this.clear() },
      t("filters.clear"),
    );
    this.panel = h(
      "details",
      { class: "filters" },
      h("summary", { class: "facet opens" }, t("filters.title"), " ", this.count),
      h(
        "div",
        { class: "filter-fields" },
        h("div", { class: "field" }, h("span", { class: "field-label" }, t("mode.title")), this.mode),
        FIELDS.map((field) => this.#buildField(field)),
        this.clearing,
      ),
    );
    this.#closeOutside();
  }

  /** Over the hits: whoever goes on with them does not need it. */
  #closeOutside() {
    document.addEventListener("click", ({ target }) => {
      if (target instanceof Node && target.isConnected && !this.panel.contains(target)) this.panel.open = false;
    });
    this.panel.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.panel.open = false;
    });
  }

  /** Parameters of the request, besides the query. */
  query() {
    /** @type {Record<string, string|string[]>} */
    const parameters = { mode: this.#mode() };
    for (const { name, many, complete } of FIELDS) {
      const value = this.#value(name);
      const parts = many ? partsOf(value) : [value];
      parameters[name] = parts.filter((part) => part && (!complete || complete(part)));
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
  }

  /** How many filters are set. */
  active() {
    return FIELDS.filter(({ name }) => this.#value(name)).length;
  }

  /** The filters one by one. @returns {{name: string, value: string, shown: string}[]} */
  set() {
    return FIELDS.flatMap(({ name, many }) => {
      const values = many ? partsOf(this.#value(name)) : [this.#value(name)];
      return values.filter(Boolean).map((value) => ({ name, value, shown: shownAs(name, value) }));
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
    const kept = partsOf(this.#value(name)).filter((one) => one !== value);
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

  /** What is wrong with the conditions, below their field; empty if nothing is. @param {string} problem */
  tellProblem(problem) {
    if (this.problem.textContent !== problem) this.problem.textContent = problem;
    const input = this.inputs.get("where");
    if (problem) input?.setAttribute("aria-invalid", "true");
    else input?.removeAttribute("aria-invalid");
    if (problem) this.panel.open = true;
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
    return h("fieldset", { class: "segments" }, h("legend", null, t("mode.title")), choices);
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
    const problem = name === "where" ? this.problem : null;
    if (problem) input.setAttribute("aria-describedby", problem.id);
    return h("div", { class: "field" }, h("label", { for: id }, label, note), input, problem);
  }
}

/** A preset and its settings, as things to move: two words first, every setting behind them. */

import { freshId, h, refill } from "../core/dom.js";
import { change, isPeer, presetNamed, titleOf } from "./choice.js";
import { BASIC_NAMES, fieldControl, SIZE_NAMES, sizeControl, wordControl } from "./fields.js";

/** @typedef {import("../types.js").Presets} Presets */
/** @typedef {import("../types.js").Settings} Settings */
/** @typedef {import("./choice.js").Choice} Choice */

/**
 * @typedef {{settings: Settings, choice: Choice, ofPreset: Settings}} Now The settings in force, what was changed, and
 *   of what.
 * @typedef {{element: HTMLElement, show: (now: Now) => void}} Control
 */

/** The first of the settings that are no sizes. */
const FIRST = ["strategy", "counter"];

export class Controls {
  /** @param {Presets} presets @param {Choice} choice @param {(choice: Choice) => void} changed */
  constructor(presets, choice, changed) {
    this.presets = presets;
    this.choice = choice;
    this.changed = changed;
    this.select = this.#presetSelect();
    this.about = h("p", { class: "controls-about soft small" });
    this.resetting = h(
      "button",
      { type: "button", class: "button quiet", onclick: () => this.#set({ preset: this.choice.preset, changed: {} }) },
      "Reset",
    );
    const words = BASIC_NAMES.map((name) => wordControl(name, this.#setter(name)));
    const sizes = SIZE_NAMES.flatMap((name) => this.#infos(name)).map((info) =>
      sizeControl(info, this.#setter(info.name)),
    );
    const fields = this.#fieldInfos().map((info) => fieldControl(info, this.#setter(info.name)));
    /** @type {Control[]} */
    this.controls = [...words, ...sizes, ...fields];
    this.more = h(
      "details",
      { class: "disclosure controls-more" },
      h("summary", null, "All settings"),
      h(
        "div",
        { class: "controls-all" },
        h("div", { class: "controls-sizes" }, elements(sizes)),
        h("div", { class: "controls-others" }, elements(fields)),
      ),
    );
    this.element = h("div", { class: "controls" }, this.#presetField(), this.about, elements(words), this.more);
    this.more.addEventListener("keydown", (event) => event.key === "Escape" && this.#closeMore());
    this.#tellAbout();
  }

  ofPreset() {
    return presetNamed(this.presets, this.choice.preset)?.settings ?? {};
  }

  /** Show the settings in force: those that were not changed follow those that were. @param {Settings} settings */
  show(settings) {
    const now = { settings, choice: this.choice, ofPreset: this.ofPreset() };
    for (const control of this.controls) control.show(now);
    this.resetting.hidden = Object.keys(this.choice.changed).length === 0;
  }

  /** @param {string} name */
  #setter(name) {
    return (/** @type {any} */ value) => this.#set(change(this.choice, name, value, this.ofPreset()));
  }

  /** @param {Choice} choice */
  #set(choice) {
    this.choice = choice;
    this.select.value = choice.preset;
    this.#tellAbout();
    this.changed(choice);
  }

  #closeMore() {
    this.more.open = false;
    this.more.querySelector("summary")?.focus();
  }

  #tellAbout() {
    const about = presetNamed(this.presets, this.choice.preset)?.description ?? "";
    refill(this.about, about, isPeer(this.choice.preset) && this.#otherPeers());
    this.element.classList.toggle("peer", isPeer(this.choice.preset));
    this.select.title = about;
    this.resetting.hidden = Object.keys(this.choice.changed).length === 0;
  }

  /** What else to compare with is one click away. */
  #otherPeers() {
    const others = this.presets.peers.filter(({ name }) => name !== this.choice.preset);
    const buttons = others.map(({ name, settings }) =>
      h(
        "button",
        { type: "button", class: "button quiet", onclick: () => this.#set({ preset: name, changed: {} }) },
        `${titleOf(name, settings)} instead`,
      ),
    );
    return h("span", { class: "controls-instead" }, buttons);
  }

  /** @param {string} name */
  #infos(name) {
    return this.presets.settings.filter((info) => info.name === name);
  }

  #fieldInfos() {
    const others = this.presets.settings.filter(({ name }) => ![...SIZE_NAMES, ...FIRST].includes(name));
    return [...FIRST.flatMap((name) => this.#infos(name)), ...others];
  }

  #presetSelect() {
    const select = h(
      "select",
      { id: freshId("preset"), class: "input" },
      this.presets.presets.map(({ name }) => h("option", { value: name }, name)),
      h(
        "optgroup",
        { label: "To compare with" },
        this.presets.peers.map(({ name, settings }) => h("option", { value: name }, titleOf(name, settings))),
      ),
    );
    select.value = this.choice.preset;
    select.addEventListener("change", () => this.#set({ preset: select.value, changed: {} }));
    return select;
  }

  #presetField() {
    return h(
      "div",
      { class: "field controls-preset" },
      h(
        "div",
        { class: "controls-head" },
        h("label", { class: "field-label", for: this.select.id }, "Preset"),
        this.resetting,
      ),
      this.select,
    );
  }
}

/** @param {Control[]} controls */
const elements = (controls) => controls.map(({ element }) => element);

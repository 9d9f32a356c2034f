/** A preset and its settings, as things to move. */

import { freshId, h, refill } from "../core/dom.js";
import { change } from "./choice.js";

/**
 * @typedef {import("../types.js").Presets} Presets
 * @typedef {import("../types.js").Settings} Settings
 * @typedef {import("../types.js").SettingInfo} SettingInfo
 * @typedef {import("./choice.js").Choice} Choice
 */

const SIZES = ["max_tokens", "target_tokens", "min_tokens", "overlap_tokens"];
const SHOWN = ["strategy", "counter"];
/**
 * Basic mode: a word instead of numbers. The usual word changes nothing.
 * @type {Record<string, {label: string, words: string[], usual: string}>}
 */
const BASIC = {
  size: { label: "Chunk size", words: ["small", "medium", "large"], usual: "medium" },
  overlap: { label: "Chunk overlap", words: ["preset", "none", "low", "medium", "high"], usual: "preset" },
};
/** @type {Record<string, string>} */
const LABELS = { max_tokens: "Max", target_tokens: "Target", min_tokens: "Min", overlap_tokens: "Overlap" };

export class Controls {
  /** @param {Presets} presets @param {Choice} choice @param {(choice: Choice) => void} changed */
  constructor(presets, choice, changed) {
    this.presets = presets;
    this.choice = choice;
    this.changed = changed;
    /** @type {Map<string, (value: any, isChanged: boolean) => void>} How each control gets its value. */
    this.setters = new Map();
    this.select = this.#presetSelect();
    this.about = h("p", { class: "soft small" });
    this.resetting = h(
      "button",
      { type: "button", class: "button quiet", onclick: () => this.#set({ preset: this.choice.preset, changed: {} }) },
      "Reset",
    );
    const infos = new Map(presets.settings.map((info) => [info.name, info]));
    const row = (/** @type {string} */ name) =>
      infos.has(name) && this.#control(/** @type {SettingInfo} */ (infos.get(name)));
    const others = presets.settings
      .map((info) => info.name)
      .filter((name) => !SIZES.includes(name) && !SHOWN.includes(name));
    this.element = h(
      "div",
      { class: "controls" },
      this.#presetField(),
      this.about,
      h(
        "div",
        { class: "controls-basic" },
        Object.keys(BASIC).map((name) => this.#word(name)),
      ),
      h("div", { class: "controls-sizes" }, SIZES.map(row)),
      h(
        "details",
        { class: "disclosure controls-more" },
        h("summary", null, "All settings"),
        h("div", { class: "controls-others" }, [...SHOWN, ...others].map(row)),
      ),
    );
    this.#tellAbout();
  }

  ofPreset() {
    return this.presets.presets.find(({ name }) => name === this.choice.preset)?.settings ?? {};
  }

  /** Show the settings in force: those that were not changed follow those that were. @param {Settings} settings */
  show(settings) {
    const values = { ...settings, ...inWords(this.choice.changed) };
    for (const [name, setValue] of this.setters) setValue(values[name], name in this.choice.changed);
    this.resetting.hidden = Object.keys(this.choice.changed).length === 0;
  }

  /** @param {Choice} choice */
  #set(choice) {
    this.choice = choice;
    this.select.value = choice.preset;
    this.#tellAbout();
    this.changed(choice);
  }

  #tellAbout() {
    this.about.textContent = this.presets.presets.find(({ name }) => name === this.choice.preset)?.description ?? "";
    this.resetting.hidden = Object.keys(this.choice.changed).length === 0;
  }

  #presetSelect() {
    const select = h(
      "select",
      { id: freshId("preset"), class: "input" },
      this.presets.presets.map(({ name }) => h("option", { value: name }, name)),
    );
    select.value = this.choice.preset;
    select.addEventListener("change", () => this.#set({ preset: select.value, changed: {} }));
    return select;
  }

  #presetField() {
    return h(
      "div",
      { class: "field" },
      h(
        "div",
        { class: "controls-head" },
        h("label", { class: "field-label", for: this.select.id }, "Preset"),
        this.resetting,
      ),
      this.select,
    );
  }

  /** @param {string} name */
  #word(name) {
    const id = freshId(name);
    const { label, words, usual } = BASIC[name];
    const select = h(
      "select",
      { id, class: "input" },
      words.map((word) => h("option", { value: word }, word)),
    );
    select.addEventListener("change", () =>
      this.#set(change(this.choice, name, select.value === usual ? undefined : select.value, this.ofPreset())),
    );
    const row = h("div", { class: "setting-row" }, h("label", { for: id }, label), select);
    this.setters.set(name, (value, isChanged) => {
      select.value = value ?? usual;
      row.classList.toggle("changed", isChanged);
    });
    return row;
  }

  /** @param {SettingInfo} info */
  #control(info) {
    const set = (/** @type {any} */ value) => this.#set(change(this.choice, info.name, value, this.ofPreset()));
    if (SIZES.includes(info.name)) return this.#size(info, set);
    if (info.type === "boolean") return this.#boolean(info, set);
    return info.type === "choice" ? this.#choice(info, set) : this.#typed(info, set);
  }

  /** @param {SettingInfo} info @param {(value: number) => void} set */
  #size(info, set) {
    const id = freshId(info.name);
    const slider = h("input", {
      type: "range",
      min: 0,
      "aria-label": `${LABELS[info.name]}, slider`,
      title: info.description,
    });
    const number = h("input", {
      id,
      type: "number",
      class: "input size-number numbers",
      min: 0,
      step: 1,
      inputmode: "numeric",
    });
    slider.addEventListener("input", () => set(Math.max(info.name === "max_tokens" ? 1 : 0, Number(slider.value))));
    number.addEventListener("input", () => number.value !== "" && number.checkValidity() && set(Number(number.value)));
    const row = h(
      "div",
      { class: "size-row", title: info.description },
      h("label", { for: id }, LABELS[info.name]),
      slider,
      number,
    );
    this.setters.set(info.name, (value, isChanged) => {
      const top = info.name === "overlap_tokens" ? 0.5 : 1;
      const widest = Math.max(...SIZES.map((name) => Number(this.ofPreset()[name] ?? 0)));
      slider.max = String(Math.max(Math.ceil((widest * 2.5 * top) / 100) * 100, Number(value)));
      slider.step = widest > 1200 ? "10" : "4";
      if (document.activeElement !== slider || Number(slider.value) !== value) slider.value = String(value);
      if (document.activeElement !== number) number.value = String(value);
      row.classList.toggle("changed", isChanged);
    });
    return row;
  }

  /** @param {SettingInfo} info @param {(value: boolean) => void} set */
  #boolean(info, set) {
    const id = freshId(info.name);
    const box = h("input", { id, type: "checkbox" });
    box.addEventListener("change", () => set(box.checked));
    const row = h(
      "div",
      { class: "setting-row" },
      h("div", { class: "setting-box" }, box, h("label", { for: id, class: "mono" }, info.name)),
      hint(info),
    );
    this.setters.set(info.name, (value, isChanged) => {
      box.checked = value === true;
      box.indeterminate = value === null;
      row.classList.toggle("changed", isChanged);
    });
    return row;
  }

  /** @param {SettingInfo} info @param {(value: string) => void} set */
  #choice(info, set) {
    const id = freshId(info.name);
    const select = h(
      "select",
      { id, class: "input" },
      info.choices.map((choice) => h("option", { value: choice }, choice)),
    );
    select.addEventListener("change", () => set(select.value));
    return this.#field(info, id, select, (value) => {
      select.value = String(value);
    });
  }

  /** Numbers and lists. @param {SettingInfo} info @param {(value: any) => void} set */
  #typed(info, set) {
    const id = freshId(info.name);
    const isNumber = info.type === "integer";
    const input = h("input", {
      id,
      class: "input",
      type: isNumber ? "number" : "text",
      min: isNumber ? 0 : null,
      placeholder: isNumber ? null : "none",
      spellcheck: "false",
    });
    const read = () =>
      isNumber
        ? Number(input.value)
        : input.value
            .split(",")
            .map((word) => word.trim())
            .filter(Boolean);
    input.addEventListener("change", () => (isNumber && input.value === "" ? set(undefined) : set(read())));
    return this.#field(info, id, input, (value) => {
      if (document.activeElement !== input) input.value = Array.isArray(value) ? value.join(", ") : String(value ?? "");
    });
  }

  /**
   * @param {SettingInfo} info
   * @param {string} id
   * @param {HTMLElement} control
   * @param {(value: any) => void} setValue
   */
  #field(info, id, control, setValue) {
    const row = h(
      "div",
      { class: "setting-row" },
      h("label", { for: id, class: "mono" }, info.name),
      control,
      hint(info),
    );
    this.setters.set(info.name, (value, isChanged) => {
      setValue(value);
      row.classList.toggle("changed", isChanged);
    });
    return row;
  }
}

/** The settings that are given as words. @param {Settings} changed @returns {Settings} */
function inWords(changed) {
  return Object.fromEntries(
    Object.keys(BASIC)
      .filter((name) => name in changed)
      .map((name) => [name, changed[name]]),
  );
}

/** The description, with code as code. @param {SettingInfo} info */
function hint({ description }) {
  const element = h("p", { class: "setting-hint soft" });
  refill(
    element,
    description.split("`").map((part, at) => (at % 2 ? h("code", null, part) : part)),
  );
  return element;
}

/** A preset and its settings, as things to move: two words first, every setting behind them. */

import { freshId, h, refill } from "../core/dom.js";
import { parts, t } from "../core/texts.js";
import { change, isPeer, isWordChanged, presetNamed, sizeIn, titleOf, unitOf, wordOf } from "./choice.js";

/** @typedef {import("../types.js").Presets} Presets */
/** @typedef {import("../types.js").SettingInfo} SettingInfo */
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
      t("controls.reset"),
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
      h("summary", null, t("controls.all")),
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
        t("controls.instead", { title: titleOf(name, settings) }),
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
        { label: t("controls.peers") },
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
        h("label", { class: "field-label", for: this.select.id }, t("controls.preset")),
        this.resetting,
      ),
      this.select,
    );
  }
}

/** @param {Control[]} controls */
const elements = (controls) => controls.map(({ element }) => element);

// -- Basic mode: a word instead of numbers, and the size it stands for

/** @typedef {"size"|"overlap"} BasicName */

/**
 * The words, each with what people read.
 * @type {Record<BasicName, {words: [string, string][], amount: (settings: Settings) => string}>}
 */
const BASIC = {
  size: {
    words: [
      ["small", t("size.small")],
      ["medium", t("size.medium")],
      ["large", t("size.large")],
    ],
    amount: (settings) => `≤ ${sizeIn(settings, Number(settings.max_tokens))}`,
  },
  overlap: {
    words: [
      ["none", t("overlap.none")],
      ["low", t("overlap.low")],
      ["medium", t("overlap.medium")],
      ["high", t("overlap.high")],
    ],
    amount: (settings) =>
      Number(settings.overlap_tokens) > 0 ? sizeIn(settings, Number(settings.overlap_tokens)) : "",
  },
};

const BASIC_NAMES = /** @type {BasicName[]} */ (Object.keys(BASIC));

/** @param {BasicName} name @param {(word: string) => void} set @returns {Control} */
function wordControl(name, set) {
  const { words, amount } = BASIC[name];
  const shown = h("span", { class: "word-amount numbers" });
  const group = freshId(name);
  const legend = freshId(name);
  const radios = words.map(([word]) =>
    h("input", { type: "radio", name: group, value: word, onchange: () => set(word) }),
  );
  const element = h(
    "div",
    { class: "word-row", role: "radiogroup", "aria-labelledby": legend },
    h(
      "p",
      { class: "word-head" },
      h(
        "span",
        { id: legend, class: "field-label" },
        parts(`controls.${name}`, { of: h("span", { class: "word-of" }, t("controls.of")) }),
      ),
      shown,
    ),
    h(
      "div",
      { class: "segments" },
      words.map(([, label], at) => h("label", null, radios[at], h("span", null, label))),
    ),
  );
  return {
    element,
    show: ({ settings, choice }) => {
      const word = wordOf(name, choice, settings);
      for (const radio of radios) radio.checked = radio.value === word;
      shown.textContent = amount(settings);
      element.classList.toggle("changed", isWordChanged(name, choice));
    },
  };
}

// -- A size as a slider and as a number, with its unit

/** @type {Record<string, string>} */
const LABELS = {
  max_tokens: t("limit.max"),
  target_tokens: t("limit.target"),
  min_tokens: t("limit.min"),
  overlap_tokens: t("limit.overlap"),
};

const SIZE_NAMES = Object.keys(LABELS);

/** @param {SettingInfo} info @param {(value: number) => void} set @returns {Control} */
function sizeControl({ name, description }, set) {
  const id = freshId(name);
  const unitId = freshId("unit");
  const label = LABELS[name];
  const slider = h("input", { type: "range", min: 0, "aria-label": t("limit.slider", { label }), title: description });
  const number = h("input", {
    id,
    type: "number",
    class: "input size-number numbers",
    min: 0,
    step: 1,
    inputmode: "numeric",
    "aria-describedby": unitId,
  });
  const unit = h("span", { id: unitId, class: "size-unit soft" });
  slider.addEventListener("input", () => set(Math.max(name === "max_tokens" ? 1 : 0, Number(slider.value))));
  number.addEventListener("input", () => number.value !== "" && number.checkValidity() && set(Number(number.value)));
  const element = h(
    "div",
    { class: "size-row", title: description, data: { size: name } },
    h("label", { for: id }, label),
    number,
    unit,
    slider,
  );
  return {
    element,
    show: ({ settings, choice, ofPreset }) => {
      const value = Number(settings[name]);
      stretch(slider, name, ofPreset, value);
      if (document.activeElement !== slider || Number(slider.value) !== value) slider.value = String(value);
      if (document.activeElement !== number) number.value = String(value);
      unit.textContent = unitOf(settings);
      slider.setAttribute("aria-valuetext", sizeIn(settings, value));
      element.classList.toggle("changed", name in choice.changed);
    },
  };
}

/**
 * The slider reaches as far as the preset makes useful.
 * @param {HTMLInputElement} slider @param {string} name @param {Settings} ofPreset @param {number} value
 */
function stretch(slider, name, ofPreset, value) {
  const part = name === "overlap_tokens" ? 0.5 : 1;
  const widest = Math.max(...SIZE_NAMES.map((size) => Number(ofPreset[size] ?? 0)));
  slider.max = String(Math.max(Math.ceil((widest * 2.5 * part) / 100) * 100, value));
  slider.step = widest > 1200 ? "10" : "4";
}

// -- A setting that is not a size: a box, a choice, a number or a list, with its description

/** @param {SettingInfo} info @param {(value: any) => void} set @returns {Control} */
function fieldControl(info, set) {
  if (info.type === "boolean") return boolean(info, set);
  return info.type === "choice" ? choice(info, set) : typed(info, set);
}

/** @param {SettingInfo} info @param {(value: boolean) => void} set @returns {Control} */
function boolean(info, set) {
  const id = freshId(info.name);
  const box = h("input", { id, type: "checkbox" });
  box.addEventListener("change", () => set(box.checked));
  const label = h("label", { for: id, class: "mono" }, info.name);
  return row(info, [h("div", { class: "setting-box" }, box, label)], (value) => {
    box.checked = value === true;
    box.indeterminate = value === null;
  });
}

/** @param {SettingInfo} info @param {(value: string) => void} set @returns {Control} */
function choice(info, set) {
  const id = freshId(info.name);
  const select = h(
    "select",
    { id, class: "input" },
    info.choices.map((one) => h("option", { value: one }, one)),
  );
  select.addEventListener("change", () => set(select.value));
  return row(info, [h("label", { for: id, class: "mono" }, info.name), select], (value) => {
    select.value = String(value);
  });
}

/** Numbers and lists. @param {SettingInfo} info @param {(value: any) => void} set @returns {Control} */
function typed(info, set) {
  const id = freshId(info.name);
  const isNumber = info.type === "integer";
  const input = h("input", {
    id,
    class: "input",
    type: isNumber ? "number" : "text",
    min: isNumber ? 0 : null,
    placeholder: isNumber ? null : t("value.none"),
    spellcheck: "false",
  });
  const words = () => input.value.split(",").flatMap((word) => word.trim() || []);
  const read = () => (isNumber ? Number(input.value) : words());
  input.addEventListener("change", () => set(isNumber && input.value === "" ? undefined : read()));
  return row(info, [h("label", { for: id, class: "mono" }, info.name), input], (value) => {
    if (document.activeElement !== input) input.value = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  });
}

/**
 * @param {SettingInfo} info
 * @param {HTMLElement[]} parts
 * @param {(value: any) => void} setValue
 * @returns {Control}
 */
function row(info, parts, setValue) {
  const element = h("div", { class: "setting-row" }, parts, hint(info));
  return {
    element,
    show: ({ settings, choice }) => {
      setValue(settings[info.name]);
      element.classList.toggle("changed", info.name in choice.changed);
    },
  };
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

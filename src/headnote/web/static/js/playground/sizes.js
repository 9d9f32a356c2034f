/** A size as a slider and as a number, with its unit. */

import { freshId, h } from "../core/dom.js";
import { unitOf } from "./units.js";

/** @typedef {import("../types.js").SettingInfo} SettingInfo */
/** @typedef {import("../types.js").Settings} Settings */
/** @typedef {import("./controls.js").Control} Control */

/** @type {Record<string, string>} */
const LABELS = { max_tokens: "Max", target_tokens: "Target", min_tokens: "Min", overlap_tokens: "Overlap" };

export const SIZE_NAMES = Object.keys(LABELS);

/** @param {SettingInfo} info @param {(value: number) => void} set @returns {Control} */
export function sizeControl({ name, description }, set) {
  const id = freshId(name);
  const unitId = freshId("unit");
  const label = LABELS[name];
  const slider = h("input", { type: "range", min: 0, "aria-label": `${label}, slider`, title: description });
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
    { class: "size-row", title: description },
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
      slider.setAttribute("aria-valuetext", `${value} ${unit.textContent}`);
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

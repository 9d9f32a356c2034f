/** Basic mode: a word instead of numbers, and the size it stands for. */

import { freshId, h } from "../core/dom.js";
import { whole } from "../core/format.js";
import { isWordChanged, wordOf } from "./choice.js";
import { unitOf } from "./units.js";

/** @typedef {import("../types.js").Settings} Settings */
/** @typedef {import("./controls.js").Control} Control */

/** @type {Record<string, {label: string, words: string[], amount: (settings: Settings) => string}>} */
const BASIC = {
  size: {
    label: "size",
    words: ["small", "medium", "large"],
    amount: (settings) => `≤ ${whole(Number(settings.max_tokens))} ${unitOf(settings)}`,
  },
  overlap: {
    label: "overlap",
    words: ["none", "low", "medium", "high"],
    amount: (settings) =>
      Number(settings.overlap_tokens) > 0 ? `${whole(Number(settings.overlap_tokens))} ${unitOf(settings)}` : "",
  },
};

export const BASIC_NAMES = Object.keys(BASIC);

/** @param {string} name @param {(word: string) => void} set @returns {Control} */
export function wordControl(name, set) {
  const { label, words, amount } = BASIC[name];
  const shown = h("span", { class: "word-amount numbers" });
  const group = freshId(name);
  const legend = freshId(name);
  const radios = words.map((word) =>
    h("input", { type: "radio", name: group, value: word, onchange: () => set(word) }),
  );
  const element = h(
    "div",
    { class: "word-row", role: "radiogroup", "aria-labelledby": legend },
    h(
      "p",
      { class: "word-head" },
      h("span", { id: legend, class: "field-label" }, h("span", { class: "word-of" }, "Chunk "), label),
      shown,
    ),
    h(
      "div",
      { class: "segments" },
      words.map((word, at) => h("label", null, radios[at], h("span", null, word))),
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

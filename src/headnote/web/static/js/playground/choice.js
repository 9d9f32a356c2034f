/** A preset and what was changed of it. Sizes that would contradict each other give way. Pure. */

import { t } from "../core/texts.js";

/** @typedef {import("../types.js").Presets} Presets */
/** @typedef {import("../types.js").Settings} Settings */
/** @typedef {{preset: string, changed: Settings}} Choice */

/** From the smallest to the largest they may be. */
const ORDER = ["min_tokens", "target_tokens", "max_tokens"];

/** A word in place of numbers → the numbers it stands for. @type {Record<string, string[]>} */
const NUMBERS_OF_WORD = { size: ORDER, overlap: ["overlap_tokens"] };

/**
 * @param {Choice} choice
 * @param {string} name
 * @param {string|number|boolean|string[]|null|undefined} value Undefined removes the setting.
 * @param {Settings} ofPreset
 * @returns {Choice}
 */
export function change(choice, name, value, ofPreset) {
  const changed = { ...choice.changed };
  if (value === undefined || same(value, ofPreset[name]) || isUsual(name, value, ofPreset)) delete changed[name];
  else changed[name] = value;
  for (const number of NUMBERS_OF_WORD[name] ?? []) delete changed[number];
  if (name === "overlap_tokens") delete changed.overlap;
  for (const other of Object.keys(changed)) {
    if (other !== name && typeof value === "number" && contradicts(other, Number(changed[other]), name, value))
      delete changed[other];
  }
  return { preset: choice.preset, changed };
}

/**
 * The word for the sizes in force; empty where numbers were set that no word stands for.
 * @param {string} name
 * @param {Choice} choice
 * @param {Settings} inForce
 */
export function wordOf(name, { changed }, inForce) {
  if (name === "overlap" && inForce.overlap_tokens === 0) return "none";
  if (NUMBERS_OF_WORD[name].some((number) => number in changed)) return "";
  return String(changed[name] ?? (name === "size" ? "medium" : ""));
}

/** Whether a word, or one of the numbers it stands for, was changed. @param {string} name @param {Choice} choice */
export function isWordChanged(name, { changed }) {
  return [name, ...NUMBERS_OF_WORD[name]].some((one) => one in changed);
}

/**
 * Whether a word changes nothing of the preset.
 * @param {string} name @param {unknown} value @param {Settings} ofPreset
 */
function isUsual(name, value, ofPreset) {
  if (name === "size") return value === "medium";
  return name === "overlap" && value === "none" && ofPreset.overlap_tokens === 0;
}

/**
 * Whether two sizes contradict each other.
 * @param {string} other
 * @param {number} its
 * @param {string} name
 * @param {number} value
 */
function contradicts(other, its, name, value) {
  if (other === "overlap_tokens") return name === "max_tokens" && its >= value;
  if (name === "overlap_tokens") return other === "max_tokens" && value >= its;
  const [a, b] = [ORDER.indexOf(other), ORDER.indexOf(name)];
  if (a < 0 || b < 0) return false;
  return a < b ? its > value : its < value;
}

/** The preset of that name, or what is imitated under it. @param {Presets} presets @param {string|null} wanted */
export const presetNamed = ({ presets, peers }, wanted) => [...presets, ...peers].find(({ name }) => name === wanted);

/** @type {Record<string, (settings: Settings) => string>} */
const TITLES_OF_PEERS = {
  fixed: ({ max_tokens, overlap_tokens }) => {
    const title = t("peer.fixed", { size: String(max_tokens) });
    return overlap_tokens ? `${title}/${overlap_tokens}` : title;
  },
  langchain: ({ max_tokens, overlap_tokens }) => `LangChain ${max_tokens}/${overlap_tokens}`,
};

/** Whether it is imitated for comparison, and no preset. @param {string} preset */
export const isPeer = (preset) => preset in TITLES_OF_PEERS;

/** What a way to cut is called in a sentence. @param {string} preset @param {Settings} settings */
export const titleOf = (preset, settings) =>
  TITLES_OF_PEERS[preset]?.(settings) ?? (preset === "default" ? "headnote" : `headnote, ${preset}`);

/** @param {unknown} a @param {unknown} b */
function same(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** @param {Settings} settings */
const countsCharacters = ({ counter }) => counter === "chars";

/** What the sizes of chunks count. @param {Settings} settings */
export const unitOf = (settings) => t(countsCharacters(settings) ? "unit.characters" : "unit.tokens");

/** A size with its unit. @param {Settings} settings @param {number} count */
export const sizeIn = (settings, count) =>
  t(countsCharacters(settings) ? "count.characters" : "count.tokens", { count });

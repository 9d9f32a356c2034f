/** From an address to what the playground shows: the settings, and the text from wherever it is. */

import { get, text } from "../core/api.js";
import { asset } from "../core/assets.js";
import { choiceOf, readAddress } from "./address.js";
import { unpack } from "./packing.js";
import { kept } from "./sharing.js";

/**
 * @typedef {import("../types.js").Presets} Presets
 * @typedef {import("./address.js").Lines} Lines
 * @typedef {import("./address.js").Source} Source
 * @typedef {import("./choice.js").Choice} Choice
 * @typedef {import("./sharing.js").Held} Held
 * @typedef {{message: string, remedy?: string}} Problem
 */

const SAMPLE = "relay.md";

/**
 * @param {URLSearchParams} query @param {Presets} presets
 * @returns {Promise<{choices: Choice[], question: string, lines: Lines|null, held: Held, problem: Problem|null}>}
 */
export async function openAddress(query, presets) {
  const { choices, question, lines, source } = readAddress(query, presets);
  const [held, ownChoice] = await Promise.all([
    hold(source).catch((/** @type {Problem} */ problem) => problem),
    choices.length === 0 && choiceFor(source, presets),
  ]);
  const isHeld = "text" in held;
  return {
    choices: ownChoice ? [ownChoice] : choices,
    question,
    lines: isHeld ? lines : null,
    held: isHeld ? held : await openSample(),
    problem: isHeld ? null : held,
  };
}

export const openSample = () => hold({ kind: "sample" });

/**
 * A document begins with the settings of its folder, any other text with the defaults.
 * @param {Source} source @param {Presets} presets @returns {Promise<Choice>}
 */
async function choiceFor(source, presets) {
  if (source.kind !== "document") return { preset: "default", changed: {} };
  return choiceOf((await get("/api/status")).settings, presets);
}

/** @param {Source} source @returns {Promise<Held>} */
async function hold(source) {
  if (source.kind === "document") {
    const page = await get("/api/read", { path: source.path });
    return { text: page.text, file: source.path, from: source };
  }
  if (source.kind === "text") {
    const unpacked = await unpack(source.packed).catch(() => null);
    if (unpacked !== null) return { text: unpacked, file: source.name, from: { kind: "text" } };
    throw { message: "The text of this link cannot be read.", remedy: "It may have been cut short on its way." };
  }
  if (source.kind === "kept") {
    const ours = kept();
    if (ours !== null) return { text: ours, file: source.name, from: { kind: "text" } };
    throw { message: "This link comes without its text.", remedy: "It was too long for a link. Open the file here." };
  }
  return { text: await text(asset("sample.md")), file: SAMPLE, from: source };
}

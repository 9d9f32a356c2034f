/**
 * What the playground shows, as the query of an address, and back. Pure.
 *
 * `preset=blocks&max_tokens=600` are the settings of A; those of B begin with `b.`: no B without `b.preset`.
 * `q` is the question, `lines` the passage that was chosen for it. The text is that of a document (`path`), the text
 * itself, packed (`text`, and its `name`), or the sample.
 */

import { presetNamed } from "./choice.js";

/** @typedef {import("../types.js").Presets} Presets */
/** @typedef {import("../types.js").Settings} Settings */
/** @typedef {import("./choice.js").Choice} Choice */

// -- A text as part of an address: compressed, in the letters that an address may have

const MAX_SIZE = 2_000_000;

/** @param {string} text @returns {Promise<string>} */
export async function pack(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let letters = "";
  for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} packed @returns {Promise<string>} It fails if an address was cut short, or means mischief. */
export async function unpack(packed) {
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const text = await through(bytes, new DecompressionStream("deflate-raw"));
  return new TextDecoder("utf-8", { fatal: true }).decode(text);
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream|DecompressionStream} change */
async function through(bytes, change) {
  const reader = new Blob([bytes]).stream().pipeThrough(change).getReader();
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const pieces = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(pieces).arrayBuffer());
    pieces.push(value);
    size += value.length;
    if (size > MAX_SIZE) {
      await reader.cancel();
      throw new Error("the text of the address is too large");
    }
  }
}

// -- The address

/** @typedef {{start_line: number, end_line: number}} Lines */
/**
 * Where the text is from. `kept` tells that it is too long for an address, and only this tab has it.
 * @typedef {{kind: "sample"}|{kind: "document", path: string}|{kind: "text", name: string, packed: string}
 *   |{kind: "kept", name: string}} Source
 */
/**
 * `choices` are empty if the address names none.
 * @typedef {{choices: Choice[], question: string, lines: Lines|null, source: Source}} Shown
 */

const OF_B = "b.";
/** Words in place of numbers are settings, too. */
const WORDS = ["size", "overlap"];

/** @param {Shown} shown @returns {URLSearchParams} */
export function writeAddress({ choices, question, lines, source }) {
  const query = new URLSearchParams();
  if (source.kind === "document") query.set("path", source.path);
  if (question) query.set("q", question);
  if (question && lines) query.set("lines", `${lines.start_line}-${lines.end_line}`);
  choices.forEach(({ preset, changed }, at) => {
    const prefix = at === 0 ? "" : OF_B;
    query.set(`${prefix}preset`, preset);
    for (const [name, value] of Object.entries(changed))
      query.set(prefix + name, typeof value === "string" ? value : JSON.stringify(value));
  });
  if (source.kind === "text" || source.kind === "kept") query.set("name", source.name);
  if (source.kind === "kept") query.set("kept", "1");
  if (source.kind === "text") query.set("text", source.packed);
  return query;
}

/** @param {URLSearchParams} query @param {Presets} presets @returns {Shown} */
export function readAddress(query, presets) {
  const choices = ["", OF_B].flatMap((prefix) => readChoice(query, prefix, presets) ?? []);
  const lines = /^(\d{1,9})-(\d{1,9})$/
    .exec(query.get("lines") ?? "")
    ?.slice(1)
    .map(Number);
  return {
    choices: query.has("preset") ? choices : [],
    question: query.get("q") ?? "",
    lines: lines && lines[0] > 0 && lines[0] <= lines[1] ? { start_line: lines[0], end_line: lines[1] } : null,
    source: readSource(query),
  };
}

/** @param {URLSearchParams} query @returns {Source} */
function readSource(query) {
  const [path, packed, name] = ["path", "text", "name"].map((part) => query.get(part));
  if (path) return { kind: "document", path };
  if (packed !== null) return { kind: "text", packed, name: name || "untitled.md" };
  return query.has("kept") ? { kind: "kept", name: name || "untitled.md" } : { kind: "sample" };
}

/** @param {URLSearchParams} query @param {string} prefix @param {Presets} presets @returns {Choice|null} */
function readChoice(query, prefix, presets) {
  const preset = presetNamed(presets, query.get(`${prefix}preset`))?.name;
  if (!preset) return null;
  const names = [...WORDS, ...presets.settings.map(({ name }) => name)];
  const changed = names.flatMap((name) => {
    const value = query.get(prefix + name);
    return value === null ? [] : [[name, readValue(value)]];
  });
  return { preset, changed: Object.fromEntries(changed) };
}

/** @param {string} value @returns {Settings[string]} */
function readValue(value) {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/**
 * Settings in force as a choice: the preset that is most like them, and what differs from it.
 * @param {Settings} inForce @param {Presets} presets @returns {Choice}
 */
export function choiceOf(inForce, { presets }) {
  const choices = presets.map(({ name, settings }) => ({
    preset: name,
    changed: Object.fromEntries(
      Object.entries(inForce).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(settings[key])),
    ),
  }));
  const differences = (/** @type {Choice} */ { changed }) => Object.keys(changed).length;
  return choices.reduce((best, one) => (differences(one) < differences(best) ? one : best));
}

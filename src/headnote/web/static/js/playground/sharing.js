/** The address follows what is shown, so that a link shares it and a reload keeps it; and it leads back there. */

import { get, text } from "../core/api.js";
import { asset } from "../core/assets.js";
import { announce, h } from "../core/dom.js";
import { parseRoute, rewrite } from "../core/routes.js";
import { t } from "../core/texts.js";
import { choiceOf, pack, readAddress, unpack, writeAddress } from "./address.js";

/** @typedef {import("../types.js").Presets} Presets */
/** @typedef {import("./address.js").Lines} Lines */
/** @typedef {import("./address.js").Shown} Shown */
/** @typedef {import("./address.js").Source} Source */
/** @typedef {import("./choice.js").Choice} Choice */

// -- To the address

/** @typedef {Omit<Shown, "source">} Settled */
/** The text, where it is from, and whether it is as it came from there. */
/** @typedef {{kind: "sample"}|{kind: "document", path: string}|{kind: "text"}} Origin */
/** @typedef {{text: string, file: string, from: Origin}} Held */

/** Letters of a packed text. Longer addresses are cut by some of the programs that people send them with. */
const MAX_LETTERS = 8000;
const PAUSE = 250;
const KEPT = "headnote-playground-text";

export class Sharing {
  /** @param {() => {settled: Settled, held: Held}} look */
  constructor(look) {
    this.look = look;
    /** The query of what is shown now. */
    this.known = "";
    /** The query that was opened last. */
    this.opened = "";
    /** The query that the address has, or had when the view was left. */
    this.written = "";
    this.button = h("button", { type: "button", class: "button", onclick: () => this.#copy() }, t("copy.link"));
    this.note = h("p", { class: "sharing-note small", hidden: true, role: "status" });
  }

  /** Something has changed. */
  touch() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.write(), PAUSE);
  }

  async write() {
    window.clearTimeout(this.timer);
    const opened = this.opened;
    const { settled, held } = this.look();
    const source = await this.#source(held);
    if (held !== this.look().held || opened !== this.opened) return;
    const route = parseRoute(location.hash);
    const isHere = route?.view === "playground";
    // The reader follows a link just now: what is shown still is not to replace it.
    if (isHere && this.isNews(route.query)) return;
    this.known = writeAddress({ ...settled, source }).toString();
    if (!isHere) return;
    this.written = this.known;
    rewrite(`#/playground?${this.known}`);
  }

  /** An address was opened. @param {URLSearchParams} query */
  read(query) {
    window.clearTimeout(this.timer);
    this.opened = this.known = this.written = query.toString();
  }

  /** Whether an address shows something else. @param {URLSearchParams} query */
  isNews(query) {
    return query.size > 0 && ![this.known, this.written].includes(query.toString());
  }

  /** @param {Held} held @returns {Promise<import("./address.js").Source>} */
  async #source({ text, file, from }) {
    this.#tell(0);
    keep(null);
    if (from.kind !== "text") return from;
    const packed = await pack(text);
    if (packed.length <= MAX_LETTERS) return { kind: "text", name: file, packed };
    keep(text);
    this.#tell(packed.length);
    return { kind: "kept", name: file };
  }

  /** @param {number} letters Of a text that is too long; 0 if it fits. */
  #tell(letters) {
    this.note.hidden = letters === 0;
    const words = `${t("sharing.tooLong", { letters, most: MAX_LETTERS })} ${t("sharing.tooLong.kept")}`;
    if (letters > 0 && this.note.textContent !== words) this.note.textContent = words;
  }

  async #copy() {
    await this.write();
    try {
      await navigator.clipboard.writeText(location.href);
      this.#say(t("sharing.copied"));
    } catch {
      this.#say(t("sharing.address"));
    }
  }

  /** @param {string} word */
  #say(word) {
    this.button.textContent = word;
    announce(this.note.hidden ? word : `${word}. ${this.note.textContent}`);
    setTimeout(() => (this.button.textContent = t("copy.link")), 1600);
  }
}

/** The text that this tab keeps through a reload. */
function kept() {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** @param {string|null} text */
function keep(text) {
  try {
    if (text === null) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, text);
  } catch {
    // Without storage, or with a text beyond its limit, a reload forgets it.
  }
}

// -- From an address to what the playground shows: the settings, and the text from wherever it is

/** @typedef {{message: string, remedy?: string}} Problem */

const SAMPLE = "relay.md";
/** What is shown first: an answer of the sample, here and in the splitter that most people begin with. */
const FIRST = "q=How+do+I+replace+a+gauge%3F&preset=default&b.preset=langchain";

/**
 * @param {URLSearchParams} query @param {Presets} presets
 * @returns {Promise<{choices: Choice[], question: string, lines: Lines|null, held: Held, problem: Problem|null}>}
 */
export async function openAddress(query, presets) {
  const { choices, question, lines, source } = readAddress(new URLSearchParams(query.toString() || FIRST), presets);
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

/** A document of the folder. @param {string} path */
export const openDocument = (path) => hold({ kind: "document", path });

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
    const page = await get("/api/read", { path: source.path }).catch((error) => {
      if (error.code !== "not_found") throw error;
      throw { message: t("document.missing.path", { path: source.path }) };
    });
    return { text: page.text, file: source.path, from: source };
  }
  if (source.kind === "text") {
    const unpacked = await unpack(source.packed).catch(() => null);
    if (unpacked !== null) return { text: unpacked, file: source.name, from: { kind: "text" } };
    throw { message: t("sharing.unreadable"), remedy: t("sharing.unreadable.remedy") };
  }
  if (source.kind === "kept") {
    const ours = kept();
    if (ours !== null) return { text: ours, file: source.name, from: { kind: "text" } };
    throw { message: t("sharing.without"), remedy: t("sharing.without.remedy") };
  }
  return { text: await text(asset("sample.md")), file: SAMPLE, from: source };
}

/** The address follows what is shown, so that a link shares it and a reload keeps it. */

import { announce } from "../core/announce.js";
import { h } from "../core/dom.js";
import { whole } from "../core/format.js";
import { parseRoute, rewrite } from "../core/routes.js";
import { writeAddress } from "./address.js";
import { pack } from "./packing.js";

/** @typedef {import("./address.js").Shown} Shown */
/** @typedef {Omit<Shown, "source">} Settled */
/** The text, where it is from, and whether it is as it came from there. */
/** @typedef {{kind: "sample"}|{kind: "document", path: string}|{kind: "text"}} Origin */
/** @typedef {{text: string, file: string, from: Origin}} Held */

/** Letters of a packed text. Longer addresses are cut by some of the programs that people send them with. */
export const MOST_LETTERS = 8000;
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
    this.button = h("button", { type: "button", class: "button", onclick: () => this.#copy() }, "Copy link");
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
    if (packed.length <= MOST_LETTERS) return { kind: "text", name: file, packed };
    keep(text);
    this.#tell(packed.length);
    return { kind: "kept", name: file };
  }

  /** @param {number} letters Of a text that is too long; 0 if it fits. */
  #tell(letters) {
    this.note.hidden = letters === 0;
    const words =
      `This text is too long for a link: it takes ${whole(letters)} letters, and ${whole(MOST_LETTERS)} fit. ` +
      "The link has the settings and the question; this tab keeps the text.";
    if (letters > 0 && this.note.textContent !== words) this.note.textContent = words;
  }

  async #copy() {
    await this.write();
    try {
      await navigator.clipboard.writeText(location.href);
      this.#say("Copied");
    } catch {
      this.#say("It is in the address bar");
    }
  }

  /** @param {string} word */
  #say(word) {
    this.button.textContent = word;
    announce(this.note.hidden ? word : `${word}. ${this.note.textContent}`);
    setTimeout(() => (this.button.textContent = "Copy link"), 1600);
  }
}

/** The text that this tab keeps through a reload. */
export function kept() {
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

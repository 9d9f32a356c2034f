/** The link that opens a document in an editor of this machine, if the server names one. */

import { get } from "../core/api.js";
import { h } from "../core/dom.js";
import { Latest } from "../core/latest.js";

/** @type {Record<string, string>} What people call them, by the scheme of their addresses. */
const NAMES = {
  vscode: "VS Code",
  "vscode-insiders": "VS Code Insiders",
  vscodium: "VSCodium",
  cursor: "Cursor",
  windsurf: "Windsurf",
  zed: "Zed",
  obsidian: "Obsidian",
};
/** What a browser would open itself. The server never sends it. */
const OWN_SCHEMES = /^(?:javascript|vbscript|data|blob|file|https?|about):/i;

export class EditorLink {
  /** @param {() => number} line Where the reader is. */
  constructor(line) {
    this.latest = new Latest();
    this.line = line;
    this.address = "";
    this.path = "";
    this.element = h("a", { class: "button quiet editor-link", hidden: true, rel: "noreferrer" });
    // The line is the one in sight when the link is used.
    for (const kind of ["pointerdown", "pointerenter", "focus", "click"])
      this.element.addEventListener(kind, () => this.#point());
  }

  /** @param {string} path */
  show(path) {
    if (path === this.path) return;
    this.path = path;
    this.#take(null, null);
    this.latest.run(0, (signal) => get("/api/editor", { path }, signal), {
      done: ({ editor, address }) => this.#take(editor, address),
      failed: () => this.#take(null, null),
    });
  }

  /** @returns {false|void} */
  open() {
    if (this.element.hidden) return false;
    this.element.click();
  }

  /** @param {string|null} editor @param {string|null} address */
  #take(editor, address) {
    this.address = address && !OWN_SCHEMES.test(address) ? address : "";
    this.element.hidden = !this.address;
    if (!this.address) return;
    this.element.textContent = `Open in ${NAMES[editor ?? ""] ?? editor}`;
    this.element.title = `${this.element.textContent} (e)`;
    this.#point();
  }

  #point() {
    if (this.address) this.element.href = this.address.replace("{line}", String(this.line()));
  }
}

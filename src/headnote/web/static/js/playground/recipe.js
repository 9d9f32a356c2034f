/** The settings of a lane as code to take away. */

import { copy } from "../core/clipboard.js";
import { freshId, h } from "../core/dom.js";
import { asCommand, asPython, asToml } from "./export.js";

/** @typedef {import("./choice.js").Choice} Choice */

/** @type {[string, string, (choice: Choice, file: string) => string][]} */
const FORMS = [
  ["python", "Python", ({ preset, changed }, file) => asPython(preset, changed, file)],
  ["command", "CLI", ({ preset, changed }, file) => asCommand(preset, changed, file)],
  ["toml", "TOML", ({ preset, changed }) => asToml(preset, changed)],
];

export class Recipe {
  constructor() {
    /** @type {Choice} */
    this.choice = { preset: "default", changed: {} };
    this.file = "guide.md";
    this.form = FORMS[0];
    const name = freshId("form");
    const radios = FORMS.map((form) =>
      h(
        "label",
        null,
        h("input", {
          type: "radio",
          name,
          value: form[0],
          checked: form === this.form,
          onchange: () => this.#pick(form),
        }),
        h("span", null, form[1]),
      ),
    );
    this.code = h("pre", {
      class: "code-block recipe-code",
      tabindex: "0",
      "aria-label": "These settings as code",
      role: "group",
    });
    this.element = h(
      "div",
      { class: "recipe" },
      h(
        "div",
        { class: "recipe-head" },
        h("fieldset", { class: "segments" }, h("legend", null, "Copy as"), radios),
        h("button", { type: "button", class: "button", onclick: () => this.#copy() }, "Copy"),
      ),
      this.code,
    );
  }

  /** @param {Choice} choice @param {string} file */
  show(choice, file) {
    this.choice = choice;
    this.file = file;
    this.code.textContent = this.form[2](choice, file);
  }

  /** @param {typeof FORMS[number]} form */
  #pick(form) {
    this.form = form;
    this.show(this.choice, this.file);
  }

  async #copy() {
    const isCopied = await copy(this.code.textContent ?? "", `Copied: ${this.form[1]}`);
    // Without access to the clipboard the text is selected, ready for Ctrl-C.
    if (!isCopied) getSelection()?.selectAllChildren(this.code);
  }
}

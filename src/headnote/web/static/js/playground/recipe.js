/** The settings of a lane as code to take away. */

import { copy } from "../core/clipboard.js";
import { freshId, h } from "../core/dom.js";
import { t } from "../core/texts.js";

/** @typedef {import("../types.js").Settings} Settings */
/** @typedef {import("./choice.js").Choice} Choice */

// -- The settings as code: only what differs from the preset

/** @param {string} preset @param {Settings} changed @param {string} file */
function asPython(preset, changed, file) {
  const options = [
    `"${file}"`,
    ...(preset === "default" ? [] : [`preset="${preset}"`]),
    ...entries(changed).map(([name, value]) => `${name}=${python(value)}`),
  ];
  const short = `chunks = headnote.chunk_file(${options.join(", ")})`;
  const long = `chunks = headnote.chunk_file(\n${options.map((one) => `    ${one},\n`).join("")})`;
  return `import headnote\n\n${short.length <= 44 ? short : long}\n`;
}

/** @param {string} preset @param {Settings} changed @param {string} file */
function asCommand(preset, changed, file) {
  const flags = entries(changed).map(([name, value]) => {
    const flag = name.replaceAll("_", "-");
    if (typeof value === "boolean") return value ? `--${flag}` : `--no-${flag}`;
    return `--${flag} ${quoted(Array.isArray(value) ? value.join(",") : String(value))}`;
  });
  const options = [...(preset === "default" ? [] : [`--preset ${preset}`]), ...flags];
  const short = ["headnote chunk", quoted(file), ...options].join(" ");
  return short.length <= 44 ? `${short}\n` : `headnote chunk ${[quoted(file), ...options].join(" \\\n  ")}\n`;
}

/** @param {string} preset @param {Settings} changed */
function asToml(preset, changed) {
  const rows = [
    ...(preset === "default" ? [] : [`preset = "${preset}"`]),
    ...entries(changed).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ];
  return `# headnote.toml\n${rows.length > 0 ? rows.join("\n") : `# ${t("recipe.defaults")}`}\n`;
}

/** @param {Settings} changed @returns {[string, string|number|boolean|string[]][]} */
function entries(changed) {
  return /** @type {any} */ (Object.entries(changed).filter(([, value]) => value !== null));
}

/** @param {string|number|boolean|string[]} value */
function python(value) {
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

/** A word as a shell takes it. @param {string} word */
function quoted(word) {
  return /^[\w./=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// -- The recipe

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
      "aria-label": t("recipe.label"),
      role: "group",
    });
    this.element = h(
      "div",
      { class: "recipe" },
      h(
        "div",
        { class: "recipe-head" },
        h("fieldset", { class: "segments" }, h("legend", null, t("recipe.forms")), radios),
        h("button", { type: "button", class: "button", onclick: () => this.#copy() }, t("button.copy")),
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
    const isCopied = await copy(this.code.textContent ?? "", t("recipe.copied", { form: this.form[1] }));
    // Without access to the clipboard the text is selected, ready for Ctrl-C.
    if (!isCopied) getSelection()?.selectAllChildren(this.code);
  }
}

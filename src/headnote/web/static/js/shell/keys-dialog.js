/** The list of keys, where single keys can be turned off. */

import { h, refill } from "../core/dom.js";
import { EVERYWHERE, keysOf, places } from "./keys.js";
import { recall, remember } from "./memory.js";

/** @typedef {import("./keys.js").Key} Key */

/** @type {Record<string, string>} */
const NAMES = { document: "In documents", [EVERYWHERE]: "Everywhere" };
const MOD = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";

export function openKeysDialog() {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("keys-dialog"));
  const allowed = h("input", { type: "checkbox", id: "keys-allowed", checked: recall("keys") !== "off" });
  allowed.addEventListener("change", () => remember("keys", allowed.checked ? null : "off"));
  refill(
    dialog,
    h(
      "div",
      { class: "keys-head" },
      h("h2", { id: "keys-title" }, "Keys"),
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close"),
    ),
    places()
      .map((where) => [
        h("h3", null, NAMES[where] ?? `In ${where}`),
        h("dl", { class: "keys-list" }, keysOf(where).map(row)),
      ])
      .flat(),
    h("div", { class: "keys-switch" }, allowed, h("label", { for: "keys-allowed" }, "Enable single-key shortcuts")),
  );
  if (!dialog.open) dialog.showModal();
}

/** @param {Key} key */
function row(key) {
  const shown = key.shown ?? key.press;
  return h("div", null, h("dt", null, shown.map(keyElements).flat()), h("dd", null, key.meaning));
}

/** `g s` are two keys, `Mod+k` as well. @param {string} press */
function keyElements(press) {
  if (press === "…") return [" … "];
  return press.split(/ |\+(?=.)/).flatMap((key) => [h("kbd", null, key === "Mod" ? MOD : named(key)), " "]);
}

/** @param {string} key */
function named(key) {
  /** @type {Record<string, string>} */
  const arrows = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };
  return arrows[key] ?? (key.length === 1 && key !== key.toLowerCase() ? `Shift ${key}` : key);
}

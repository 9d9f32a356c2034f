/** Keys that work everywhere, and the dialog that lists them. */

import { h, refill } from "../core/dom.js";
import { recall, remember } from "./memory.js";

/** @type {[string, string, string][]} Digit, letter after g, view. */
const VIEWS = [
  ["1", "s", "search"],
  ["2", "d", "document"],
  ["3", "p", "playground"],
  ["4", "r", "graph"],
  ["5", "a", "ask"],
  ["6", "i", "status"],
];

/** @type {[string[], string][]} */
const LIST = [
  [["/"], "search from anywhere"],
  [["↓", "↑"], "move through the hits, and back to the search box"],
  [["Enter"], "open the hit at its line"],
  [["1", "…", "6"], "search, documents, playground, graph, ask, status"],
  [["g", "s"], "search; also g d, g p, g r (graph), g a, g i (index status)"],
  [["[", "]"], "previous or next chunk of a document"],
  [["t"], "switch between light and dark"],
  [["?"], "this list"],
  [["Esc"], "close, or leave a field"],
];

let waitsForLetter = false;

/** @param {{go: (view: string) => void, focusSearch: () => void}} actions */
export function startKeys(actions) {
  const dialog = buildDialog();
  const open = () => dialog.showModal();
  document.getElementById("keys-open")?.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") /** @type {HTMLElement} */ (event.target).blur();
      return;
    }
    if (recall("keys") === "off") return;
    if (act(event.key, actions, open)) event.preventDefault();
  });
}

/**
 * @param {string} key
 * @param {{go: (view: string) => void, focusSearch: () => void}} actions
 * @param {() => void} openList
 */
function act(key, actions, openList) {
  const afterG = waitsForLetter;
  waitsForLetter = key === "g" && !afterG;
  const view = VIEWS.find(([digit, letter]) => key === (afterG ? letter : digit));
  if (view) actions.go(view[2]);
  else if (key === "/") actions.focusSearch();
  else if (key === "?") openList();
  else if (key === "t" && !afterG) document.getElementById("theme-toggle")?.click();
  else return waitsForLetter;
  return true;
}

/** Whether single keys are text there. @param {EventTarget|null} target */
export function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "range", "button"].includes(target.type);
  return target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName);
}

function buildDialog() {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("keys-dialog"));
  const rows = LIST.map(([keys, meaning]) => [
    h(
      "dt",
      null,
      keys.map((key) => (key === "…" ? " … " : h("kbd", null, key))),
    ),
    h("dd", null, meaning),
  ]);
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
    h("dl", { class: "keys-list" }, rows.flat()),
    h("div", { class: "keys-switch" }, allowed, h("label", { for: "keys-allowed" }, "Enable single-key shortcuts")),
  );
  return dialog;
}

/** Which key does what, where. Each view registers its own keys; the dialog behind `?` lists them. */

import { h, nameWithKey, refill, withKey } from "../core/dom.js";
import { known, t } from "../core/texts.js";
import { recall, remember } from "./preferences.js";

/**
 * `press` has the keys that do the same kind of thing, each as `KeyboardEvent.key` names it. `g s` is one key after
 * the other; `Mod+k` is Ctrl or ⌘ with k, and works in fields, too. A key without `act` is only listed: an element
 * listens to it itself. An `act` that returns false leaves the key to the browser. `shown` replaces `press` in the
 * list.
 *
 * @typedef {{press: string[], meaning: string, act?: (press: string) => false|void, shown?: string[]}} Key
 */

export const EVERYWHERE = "everywhere";

/** @type {Map<string, Key[]>} */
const registered = new Map();
let place = "";
/** What was pressed of a sequence. */
let begun = "";

/**
 * @param {string} where The name of a view as its address has it, or `EVERYWHERE`.
 * @param {Key[]} keys
 */
export function registerKeys(where, keys) {
  const known = registered.get(where) ?? [];
  const taken = new Set(known.flatMap(({ press }) => press));
  for (const press of keys.flatMap((key) => key.press))
    if (taken.has(press)) throw new Error(`the key ${press} is registered twice for ${where}`);
  registered.set(where, [...known, ...keys]);
}

/** The view that is shown: only its keys work, and those that work everywhere. @param {string} view */
export function setPlace(view) {
  place = view;
}

/** The keys of a view, or those that work everywhere. @param {string} where */
const keysOf = (where) => registered.get(where) ?? [];

/** Where keys are registered, what concerns the reader first. */
function places() {
  const first = [EVERYWHERE, place];
  return [...first, ...registered.keys()].filter(
    (where, at, all) => registered.has(where) && all.indexOf(where) === at,
  );
}

export function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.isComposing || isModifier(event.key)) return;
    if (document.querySelector("dialog[open]")) return;
    const pressed = begun ? `${begun} ${event.key}` : event.key;
    begun = "";
    if (event.ctrlKey || event.metaKey) {
      if (act(`Mod+${event.key.toLowerCase()}`)) event.preventDefault();
    } else if (!isTyping(event.target) && recall("keys") !== "off") {
      if (act(pressed)) event.preventDefault();
      else if (begins(pressed)) begun = pressed;
    }
  });
}

/** @param {string} press @returns {boolean} Whether a key did something. */
function act(press) {
  for (const where of [place, EVERYWHERE]) {
    const key = keysOf(where).find((candidate) => candidate.act && candidate.press.includes(press));
    if (key?.act && key.act(press) !== false) return true;
  }
  return false;
}

/** Whether a sequence of keys begins so. @param {string} pressed */
function begins(pressed) {
  const keys = [...keysOf(place), ...keysOf(EVERYWHERE)];
  return keys.some(({ press }) => press.some((one) => one.startsWith(`${pressed} `)));
}

/** @param {string} key */
const isModifier = (key) => ["Shift", "Control", "Alt", "Meta"].includes(key);

/** Whether single keys are text there. @param {EventTarget|null} target */
function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "range", "button"].includes(target.type);
  return target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName);
}

// -- The list of keys, where single keys can be turned off

export const MOD = /Mac|iP/.test(navigator.platform) ? "⌘" : t("key.mod");

export function openKeysDialog() {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("keys-dialog"));
  const allowed = h("input", { type: "checkbox", id: "keys-allowed", checked: recall("keys") !== "off" });
  allowed.addEventListener("change", () => remember("keys", allowed.checked ? null : "off"));
  refill(
    dialog,
    h(
      "div",
      { class: "keys-head" },
      h("h2", { id: "keys-title" }, t("keys.title")),
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, t("button.close")),
    ),
    places()
      .map((where) => [
        h("h3", null, known(`keys.in.${where}`, where)),
        h("dl", { class: "keys-list" }, keysOf(where).map(row)),
      ])
      .flat(),
    h("div", { class: "keys-switch" }, allowed, h("label", { for: "keys-allowed" }, t("keys.allowed"))),
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
  return arrows[key] ?? (key.length === 1 && key !== key.toLowerCase() ? t("key.shift", { key }) : key);
}

// -- Keys that work everywhere: the way to each view, the theme, the list of keys

/** @type {[string, string, string][]} Digit, keys one after the other, view. */
const VIEWS = [
  ["1", "g s", "search"],
  ["2", "g d", "document"],
  ["3", "g p", "playground"],
  ["4", "g r", "graph"],
  ["5", "g a", "ask"],
  ["6", "g i", "status"],
];

/** @param {{go: (view: string) => void, leaveField: () => void}} actions */
export function startViewKeys({ go, leaveField }) {
  const opening = /** @type {HTMLElement} */ (document.getElementById("keys-open"));
  opening.addEventListener("click", openKeysDialog);
  nameWithKey(opening, t("keys.open"), "?");
  for (const [digit, , view] of VIEWS) {
    const link = /** @type {HTMLElement} */ (document.querySelector(`.views a[data-view="${view}"]`));
    link.title = withKey(link.textContent?.trim() ?? "", digit);
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && isTyping(event.target)) leaveField();
  });
  registerKeys(EVERYWHERE, [
    { press: ["/"], meaning: t("keys.find"), act: () => go("search") },
    {
      press: VIEWS.map(([digit]) => digit),
      shown: ["1", "…", "6"],
      meaning: t("keys.views"),
      act: (press) => go(VIEWS.find(([digit]) => digit === press)?.[2] ?? "search"),
    },
    {
      press: VIEWS.map(([, letters]) => letters),
      shown: ["g s"],
      meaning: t("keys.letters"),
      act: (press) => go(VIEWS.find(([, letters]) => letters === press)?.[2] ?? "search"),
    },
    {
      press: ["t"],
      meaning: t("keys.theme"),
      act: () => document.getElementById("theme-toggle")?.click(),
    },
    { press: ["?"], meaning: t("keys.list"), act: openKeysDialog },
    { press: ["Escape"], meaning: t("keys.escape") },
  ]);
}

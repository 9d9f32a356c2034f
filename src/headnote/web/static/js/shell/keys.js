/** Which key does what, where. Each view registers its own keys; the dialog behind `?` lists them. */

import { recall } from "./memory.js";

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
export const keysOf = (where) => registered.get(where) ?? [];

/** Where keys are registered, what concerns the reader first. */
export function places() {
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
export function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "range", "button"].includes(target.type);
  return target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName);
}

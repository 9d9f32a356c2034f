/** The clipboard, and a short word that something is on it. */

import { announce, h } from "./dom.js";
import { t } from "./texts.js";

const SHOWN = 2200;

/** @type {HTMLElement|null} */
let note = null;
/** @type {number|undefined} */
let timer;

/** @param {string} text @param {string} done What to say then. @returns {Promise<boolean>} */
export async function copy(text, done) {
  const isCopied = await write(text);
  say(isCopied ? done : t("copy.refused"));
  return isCopied;
}

/** @param {string} text */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeSelected(text);
  }
}

/** The old way, for a page from another machine without encryption. @param {string} text */
function writeSelected(text) {
  const before = document.activeElement;
  const field = h("textarea", { class: "visually-hidden", readonly: true });
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}

/** Show a short message for a moment, and announce it. @param {string} text */
export function say(text) {
  announce(text);
  note ??= h("div", { class: "toast", "aria-hidden": "true" });
  note.textContent = text;
  note.hidden = false;
  document.body.append(note);
  clearTimeout(timer);
  timer = setTimeout(() => note?.remove(), SHOWN);
}

/** Why something is shown as it is written. */

import { h } from "../core/dom.js";

const LONGEST_REASON = 160;

/** @param {string} what @param {unknown} error */
export function undrawn(what, error) {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/\s+/g, " ").trim();
  const reason = line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line;
  return h("span", { class: "undrawn" }, `${what} not drawn: ${reason}`);
}

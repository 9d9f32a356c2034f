/** How the index is, in the corner of every view. */

import { shortState } from "../core/progress.js";
import { onStatus } from "../core/status-feed.js";

export function startStateChip() {
  const chip = /** @type {HTMLElement} */ (document.getElementById("index-state"));
  const folder = /** @type {HTMLElement} */ (document.getElementById("folder"));
  onStatus((status, error) => {
    const [state, text] = shortState(status, error);
    chip.dataset.state = state;
    /** @type {HTMLElement} */ (chip.querySelector(".state-text")).textContent = text;
    chip.title = text;
    if (status) folder.textContent = folder.title = status.root;
  });
}

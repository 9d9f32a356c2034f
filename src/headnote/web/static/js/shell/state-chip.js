/** How the index is, in the corner of every view. */

import { connection } from "../core/connection.js";
import { whole } from "../core/format.js";
import { onStatus } from "../core/status-feed.js";

/** @typedef {import("../types.js").Status} Status */

export function startStateChip() {
  const chip = /** @type {HTMLElement} */ (document.getElementById("index-state"));
  const folder = /** @type {HTMLElement} */ (document.getElementById("folder"));
  onStatus((status, error) => {
    const [state, text] = describe(status, error);
    chip.dataset.state = state;
    /** @type {HTMLElement} */ (chip.querySelector(".state-text")).textContent = text;
    chip.title = text;
    if (status) folder.textContent = folder.title = status.root;
  });
}

/**
 * @param {Status|null} status
 * @param {Error|null} error
 * @returns {["fresh"|"busy"|"problem"|"away", string]}
 */
export function describe(status, error) {
  if (connection() !== "answers") return ["away", "No answer"];
  if (error) return ["problem", "Index problem"];
  if (!status) return ["busy", "Asking"];
  if (status.problem) return ["problem", "Index problem"];
  if (status.files_read) return ["busy", `Reading${share(status.files_read)}`];
  if (status.progress && status.progress.total > 0) return ["busy", `Indexing${share(status.progress)}`];
  if (status.busy) return ["busy", "Indexing"];
  if (status.pending > 0) return ["busy", `Embedding: ${whole(status.pending)} to come`];
  return ["fresh", "Up to date"];
}

/** @param {{done: number, total: number}} part */
const share = ({ done, total }) => (total > 0 ? `, ${Math.floor((100 * done) / total)} %` : "");

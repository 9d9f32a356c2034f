/** What the server does with the folder, in words for readers: in the corner of the page, above hits, in the status. */

import { connection } from "./connection.js";
import { plural, roughly, whole } from "./format.js";
import { isFilling, onStatus } from "./status-feed.js";

/** @typedef {import("../types.js").Status} Status */
/** @typedef {"fresh"|"busy"|"problem"|"away"} State */

/**
 * In two or three words.
 * @param {Status|null} status
 * @param {Error|null} error
 * @returns {[State, string]}
 */
export function shortState(status, error) {
  if (connection() !== "answers") return ["away", "No answer"];
  if (error || status?.problem) return ["problem", "Needs attention"];
  if (!status) return ["busy", "Connecting"];
  if (status.files_read) return ["busy", `Reading${share(status.files_read)}`];
  if (status.elsewhere) return ["busy", "Being updated"];
  if (status.progress?.stage === "documents") return ["busy", "Updating"];
  if (status.read_only) return ["fresh", "Read-only"];
  if (status.progress || status.pending > 0) return ["busy", `Preparing${share(status.progress)}`];
  if (status.busy) return ["busy", "Updating"];
  return ["fresh", "Up to date"];
}

/** @param {{done: number, total: number}|null} part */
function share(part) {
  return part && part.total > 0 ? `, ${Math.floor((100 * part.done) / part.total)} %` : "";
}

/**
 * In sentences: what is done, how far it is, and what that means for a search.
 * @param {Status|null} status
 * @returns {{what: string, far: string, meanwhile: string, done: number, total: number}|null} Null if all is done.
 */
export function inProgress(status) {
  if (!status || !isFilling(status)) return null;
  const { files_read: read, progress, pending } = status;
  if (read) return reading(read, progress);
  if (progress?.stage === "documents" || (status.busy && !progress && pending === 0)) {
    const far = progress && progress.total > 0 ? amount(progress, "file", progress) : "";
    const meanwhile = "Search works; the newest changes may be missing.";
    return { what: "Reading changes", far, meanwhile, ...counted(progress) };
  }
  if (pending === 0 && !progress) return null;
  const meanwhile = status.models.some(({ role }) => role === "instant")
    ? "Search works already, and gets better when this is done."
    : "Search works already; what is not prepared yet is found by its words only.";
  return { what: "Preparing search by meaning", far: portion(progress), meanwhile, ...counted(progress) };
}

/** @param {{done: number, total: number}} read @param {Status["progress"]} progress */
function reading(read, progress) {
  const far = read.total > 0 ? amount(read, "file", progress, " read") : "looking for files";
  const meanwhile = read.done > 0 ? "Search works on what is read." : "The first files can be searched in a moment.";
  return { what: "Reading the folder", far, meanwhile, ...read };
}

/**
 * How much of it is done. What is prepared are passages and names together, which nobody counts.
 * @param {Status["progress"]} progress
 */
function portion(progress) {
  if (!progress || progress.total === 0) return "";
  const left = progress.seconds_left ? `, ${roughly(progress.seconds_left)} left` : "";
  return `${Math.floor((100 * progress.done) / progress.total)} %${left}`;
}

/**
 * @param {{done: number, total: number}} part @param {string} unit
 * @param {Status["progress"]} progress
 * @param {string} [verb]
 */
function amount({ done, total }, unit, progress, verb = "") {
  const left = progress?.seconds_left ? `, ${roughly(progress.seconds_left)} left` : "";
  return `${whole(done)} of ${plural(total, unit)}${verb}${left}`;
}

/** @param {Status["progress"]} progress */
const counted = (progress) => ({ done: progress?.done ?? 0, total: progress?.total ?? 0 });

// -- The chip in the corner of every view

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

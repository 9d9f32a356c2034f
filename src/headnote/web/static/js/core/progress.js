/** What the server does with the folder, in words for readers: in the corner of the page, above hits, in the status. */

import { connection } from "./connection.js";
import { portion, roughly } from "./format.js";
import { isFilling, onStatus } from "./status-feed.js";
import { t } from "./texts.js";

/** @typedef {import("../types.js").Status} Status */
/** @typedef {"fresh"|"busy"|"problem"|"away"} State */

/**
 * In two or three words.
 * @param {Status|null} status
 * @param {Error|null} error
 * @returns {[State, string]}
 */
export function shortState(status, error) {
  if (connection() !== "answers") return ["away", t("state.away")];
  if (error || status?.problem) return ["problem", t("state.problem")];
  if (!status) return ["busy", t("state.connecting")];
  if (status.files_read) return ["busy", share("state.reading", "state.reading.part", status.files_read)];
  if (status.elsewhere) return ["busy", t("state.elsewhere")];
  if (status.progress?.stage === "documents") return ["busy", t("state.updating")];
  if (status.read_only) return ["fresh", t("state.readOnly")];
  if (status.progress || status.pending > 0)
    return ["busy", share("state.preparing", "state.preparing.part", status.progress)];
  if (status.busy) return ["busy", t("state.updating")];
  return ["fresh", t("state.fresh")];
}

/**
 * @param {"state.reading"|"state.preparing"} what @param {"state.reading.part"|"state.preparing.part"} withPart
 * @param {{done: number, total: number}|null} far
 */
function share(what, withPart, far) {
  return far && far.total > 0 ? t(withPart, { part: portion(far.done, far.total) }) : t(what);
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
    const far = progress && progress.total > 0 ? amount(progress, "progress.files", progress) : "";
    return { what: t("progress.changes"), far, meanwhile: t("progress.changes.meanwhile"), ...counted(progress) };
  }
  if (pending === 0 && !progress) return null;
  const hasInstant = status.models.some(({ role }) => role === "instant");
  const meanwhile = t(hasInstant ? "progress.meaning.instant" : "progress.meaning.words");
  return { what: t("progress.meaning"), far: portionOf(progress), meanwhile, ...counted(progress) };
}

/** @param {{done: number, total: number}} read @param {Status["progress"]} progress */
function reading(read, progress) {
  const far = read.total > 0 ? amount(read, "progress.filesRead", progress) : t("progress.looking");
  const meanwhile = t(read.done > 0 ? "progress.folder.some" : "progress.folder.none");
  return { what: t("progress.folder"), far, meanwhile, ...read };
}

/**
 * How much of it is done. What is prepared are passages and names together, which nobody counts.
 * @param {Status["progress"]} progress
 */
function portionOf(progress) {
  return progress && progress.total > 0 ? withTime(portion(progress.done, progress.total), progress) : "";
}

/**
 * @param {{done: number, total: number}} files @param {"progress.files"|"progress.filesRead"} words
 * @param {Status["progress"]} progress
 */
function amount({ done, total }, words, progress) {
  return withTime(t(words, { done, count: total }), progress);
}

/** @param {string} far @param {Status["progress"]} progress */
function withTime(far, progress) {
  return progress?.seconds_left ? t("progress.left", { far, time: roughly(progress.seconds_left) }) : far;
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

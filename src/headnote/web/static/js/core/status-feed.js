/** The status of the index, polled, for all who listen. The poll is also what finds out that the server is back. */

import { ApiError, get, probe } from "./api.js";
import { digest } from "./assets.js";
import { connection, onConnection, report } from "./connection.js";

/** @typedef {import("../types.js").Entry} Entry */
/** @typedef {import("../types.js").Status} Status */
/** @typedef {(status: Status|null, error: Error|null) => void} Listener */

const BUSY_PAUSE = 700;
const QUIET_PAUSE = 5000;
const AWAY_PAUSE = 1000;
/** A server that is there answers sooner. After a machine has slept, a request may wait for ever. */
const PATIENCE = 10_000;
const AWAY = ["unreachable", "token_wanted"];

/** @type {Set<Listener>} */
const listeners = new Set();
/** @type {Status|null} */
let latest = null;
/** @type {Error|null} */
let failure = null;
/** Ends the pause between two polls. */
let wake = () => {};

/**
 * Call the listener now and after each poll. The error is one that the server has answered with; whether it answers at
 * all is known to `connection.js`.
 * @param {Listener} listener
 */
export function onStatus(listener) {
  listeners.add(listener);
  if (latest || failure) listener(latest, failure);
}

/** Call the listener when documents have changed and the index is idle again. @param {() => void} listener */
export function onChange(listener) {
  /** @type {number|null} */
  let known = null;
  // What was shown while the index was being filled lacks something.
  let wasFilling = false;
  onStatus((status) => {
    if (!status) return;
    if (isFilling(status)) {
      wasFilling = true;
      return;
    }
    if (status.generation === known) return;
    const isNew = known !== null || wasFilling;
    known = status.generation;
    if (isNew) listener();
  });
}

/** @returns {Status|null} */
export const currentStatus = () => latest;

export async function startStatusFeed() {
  onConnection(() => wake());
  for (const event of ["visibilitychange", "online"]) window.addEventListener(event, () => !document.hidden && wake());
  for (;;) {
    // A page in the background does not poll.
    while (document.hidden) await pause(QUIET_PAUSE);
    await poll();
    for (const listener of listeners) listener(latest, failure);
    await pause(connection() !== "answers" ? AWAY_PAUSE : isFilling(latest) ? BUSY_PAUSE : QUIET_PAUSE);
  }
}

async function poll() {
  try {
    /** @type {Status} */
    const status = await probe("/api/status", AbortSignal.timeout(PATIENCE));
    const found = status.page !== digest ? "upgraded" : latest && latest.root !== status.root ? "moved" : "answers";
    if (found === "answers") latest = status;
    failure = null;
    report(found);
  } catch (error) {
    const isAway = !(error instanceof ApiError) || AWAY.includes(error.code);
    failure = isAway ? null : error;
    if (!isAway) report("answers");
  }
}

/** @param {number} milliseconds */
function pause(milliseconds) {
  return new Promise((resolve) => {
    wake = () => resolve(undefined);
    setTimeout(wake, milliseconds);
  });
}

/** Whether documents or vectors are still to come. @param {Status|null} status */
export function isFilling(status) {
  const isLeft = status && status.pending > 0 && !status.read_only;
  return Boolean(status && (status.busy || status.progress || status.files_read || isLeft));
}

// -- All documents of the folder, fetched once for each state of the index

/** @type {{generation: number|null, entries: Promise<Entry[]>}|null} */
let fetched = null;

/** @returns {Promise<Entry[]>} */
export function contents() {
  const generation = currentStatus()?.generation ?? null;
  if (fetched && generation !== null && fetched.generation === generation) return fetched.entries;
  const entries = get("/api/documents").then((answer) => answer.documents);
  const asked = { generation, entries };
  fetched = asked;
  entries.catch(() => {
    if (fetched === asked) fetched = null;
  });
  return entries;
}

/** The status of the index, polled, for all who listen. */

import { get } from "./api.js";

/** @typedef {import("../types.js").Status} Status */
/** @typedef {(status: Status|null, error: Error|null) => void} Listener */

const BUSY_PAUSE = 700;
const QUIET_PAUSE = 5000;

/** @type {Set<Listener>} */
const listeners = new Set();
/** @type {Status|null} */
let latest = null;
/** @type {Error|null} */
let failure = null;

/** Call the listener now and after each poll. @param {Listener} listener */
export function onStatus(listener) {
  listeners.add(listener);
  if (latest || failure) listener(latest, failure);
}

/** Call the listener when documents have changed and the index is idle again. @param {() => void} listener */
export function onChange(listener) {
  /** @type {number|null} */
  let known = null;
  onStatus((status) => {
    if (!status || isFilling(status) || status.generation === known) return;
    const isFirst = known === null;
    known = status.generation;
    if (!isFirst) listener();
  });
}

/** @returns {Status|null} */
export const currentStatus = () => latest;

export async function startStatusFeed() {
  for (;;) {
    // A page in the background does not poll.
    if (document.hidden)
      await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
    try {
      latest = await get("/api/status");
      failure = null;
    } catch (error) {
      failure = /** @type {Error} */ (error);
    }
    for (const listener of listeners) listener(latest, failure);
    const pause = isFilling(latest) ? BUSY_PAUSE : QUIET_PAUSE;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Whether documents or vectors are still to come. @param {Status|null} status */
export function isFilling(status) {
  return Boolean(status && (status.busy || status.progress || status.files_read || status.pending > 0));
}

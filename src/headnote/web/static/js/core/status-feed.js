/** The state of the index, asked for again and again, for everyone who wants to know. */

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

/** Be told now and whenever it was asked for. @param {Listener} listener */
export function onStatus(listener) {
  listeners.add(listener);
  if (latest || failure) listener(latest, failure);
}

/** Be told when documents have changed and the index has come to rest. @param {() => void} listener */
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
    // Nobody looks at a page in the background; it asks again as soon as somebody does.
    if (document.hidden) await new Promise((shown) => document.addEventListener("visibilitychange", shown, { once: true }));
    try {
      latest = await get("/api/status");
      failure = null;
    } catch (error) {
      failure = /** @type {Error} */ (error);
    }
    for (const listener of listeners) listener(latest, failure);
    const pause = isFilling(latest) ? BUSY_PAUSE : QUIET_PAUSE;
    await new Promise((over) => setTimeout(over, pause));
  }
}

/** Whether documents or vectors are still to come. @param {Status|null} status */
export function isFilling(status) {
  return Boolean(status && (status.busy || status.progress || status.pending > 0));
}

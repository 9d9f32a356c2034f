/**
 * Whether the server answers: the one place that knows. Requests report what they met, and wait here until the server
 * is back, so that no view has to.
 *
 * `silent`: nobody answers at the address. `locked`: it wants another token. `upgraded`: it has another version of the
 * page. `moved`: it serves another folder.
 *
 * @typedef {"answers"|"silent"|"locked"|"upgraded"|"moved"} Connection
 */

/** @type {Connection} */
let now = "answers";
/** @type {Set<(connection: Connection) => void>} */
const listeners = new Set();

export const connection = () => now;

/** Call the listener at each change. @param {(connection: Connection) => void} listener */
export function onConnection(listener) {
  listeners.add(listener);
}

/** What a request has met. @param {Connection} met */
export function report(met) {
  if (met === now) return;
  now = met;
  for (const listener of listeners) listener(met);
}

/**
 * Wait until the server answers this page again.
 * @param {AbortSignal|null} [signal]
 * @returns {Promise<void>}
 */
export function answering(signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      listeners.delete(look);
      signal?.removeEventListener("abort", stop);
    };
    const look = () => {
      if (now !== "answers") return;
      end();
      resolve();
    };
    const stop = () => {
      end();
      reject(signal?.reason);
    };
    if (signal?.aborted) return stop();
    listeners.add(look);
    signal?.addEventListener("abort", stop);
    look();
  });
}

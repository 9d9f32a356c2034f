/**
 * Whether the server answers: the one place that knows. Requests report what they met, and wait here until the server
 * is back, so that no view has to.
 *
 * `silent`: nobody answers at the address. `locked`: it wants another token. `upgraded`: it has another version of the
 * page. `moved`: it serves another folder.
 *
 * @typedef {"answers"|"silent"|"locked"|"upgraded"|"moved"} Connection
 */

import { announce, h, refill } from "./dom.js";
import { t } from "./texts.js";

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

// -- Modules that are loaded when they are needed, whether the server answers at that moment or not

const ATTEMPTS = 3;

/**
 * @template T
 * @param {() => Promise<T>} load An import.
 * @returns {Promise<T>} Once it is loaded: when the server is back, if it is not.
 */
export async function loaded(load) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      // The status is asked for at once. If the server is there, this is over in a moment.
      report("silent");
      await answering();
    }
  }
}

// -- A calm word while the server does not answer, or is no longer the one that this page came from

/** Milliseconds. What is over by then needs no word. */
const PATIENCE = 600;

/** @type {Record<Exclude<Connection, "answers">, [string, string]>} What is so, and what happens next. */
const WORDS = {
  silent: [t("away.silent"), t("away.silent.next")],
  locked: [t("away.locked"), t("away.locked.next")],
  upgraded: [t("away.upgraded"), t("away.upgraded.next")],
  moved: [t("away.moved"), t("away.moved.next")],
};

export function startConnectionNote() {
  const note = /** @type {HTMLElement} */ (document.getElementById("connection"));
  /** @type {number|undefined} */
  let timer;
  onConnection((connection) => {
    window.clearTimeout(timer);
    if (connection === "answers") {
      if (note.hasChildNodes()) announce(t("away.over"));
      refill(note);
    } else timer = window.setTimeout(() => refill(note, ...words(connection)), note.hasChildNodes() ? 0 : PATIENCE);
  });
}

const reload = () => location.reload();

/** @param {Exclude<Connection, "answers">} connection */
function words(connection) {
  const [what, next] = WORDS[connection];
  const needsReload = connection === "upgraded" || connection === "moved";
  return [
    h("p", null, h("strong", null, what), " ", next),
    needsReload && h("button", { type: "button", class: "button", onclick: reload }, t("button.reload")),
  ];
}

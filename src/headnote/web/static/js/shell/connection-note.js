/** A calm word while the server does not answer, or is no longer the one that this page came from. */

import { announce } from "../core/announce.js";
import { onConnection } from "../core/connection.js";
import { h, refill } from "../core/dom.js";

/** @typedef {import("../core/connection.js").Connection} Connection */

/** Milliseconds. What is over by then needs no word. */
const PATIENCE = 600;

/** @type {Record<Exclude<Connection, "answers">, [string, string]>} What is so, and what happens next. */
const WORDS = {
  silent: ["headnote does not answer.", "Start it again, and this page goes on by itself."],
  locked: [
    "headnote was started with another token.",
    "Open the address that it printed, and this page goes on by itself.",
  ],
  upgraded: ["headnote was updated.", "Reload the page to use the new version."],
  moved: ["Another folder is served here now.", "Reload the page to see it."],
};

export function startConnectionNote() {
  const note = /** @type {HTMLElement} */ (document.getElementById("connection"));
  /** @type {number|undefined} */
  let timer;
  onConnection((connection) => {
    window.clearTimeout(timer);
    if (connection === "answers") {
      if (note.hasChildNodes()) announce("headnote answers again");
      refill(note);
    } else timer = window.setTimeout(() => refill(note, ...words(connection)), note.hasChildNodes() ? 0 : PATIENCE);
  });
}

/** @param {Exclude<Connection, "answers">} connection */
function words(connection) {
  const [what, next] = WORDS[connection];
  const needsReload = connection === "upgraded" || connection === "moved";
  return [
    h("p", null, h("strong", null, what), " ", next),
    needsReload && h("button", { type: "button", class: "button", onclick: () => location.reload() }, "Reload"),
  ];
}

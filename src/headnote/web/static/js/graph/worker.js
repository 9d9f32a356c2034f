/**
 * Lays the graph out beside the page, so that it can be moved and searched meanwhile.
 *
 * Places travel in two pairs of arrays that are handed over, not copied: the page gives a pair back when it has drawn
 * what came next. So no place waits that nobody draws, however slow the painting is.
 */

import { Layout } from "./layout.js";

/** @typedef {import("./layout.js").Places} Places */

/** Milliseconds between two pictures: no screen shows more. */
const FRAME = 15;

/** @type {Layout|null} */
let layout = null;
/** @type {Places[]} Pairs that the page is done with. */
let free = [];
let sent = 0;
let count = 0;

// Unlike a timer, a message to oneself comes without a pause, and lets those from the page in between.
const turn = new MessageChannel();
turn.port1.onmessage = () => work();

const empty = () => ({ x: new Float32Array(count), y: new Float32Array(count) });

/** @param {Places} places @param {boolean} done */
function send(places, done) {
  layout?.write(places);
  sent = performance.now();
  const { x, y } = places;
  self.postMessage({ x, y, done }, /** @type {any} */ ([x.buffer, y.buffer]));
}

function work() {
  if (!layout) return;
  if (layout.isDone) {
    send(free.pop() ?? empty(), true);
    return;
  }
  layout.step();
  const places = performance.now() - sent >= FRAME ? free.pop() : undefined;
  if (places) send(places, false);
  turn.port2.postMessage(null);
}

self.addEventListener("message", ({ data }) => {
  if (data.edges) {
    count = data.count;
    layout = new Layout(count, data.edges, data.start);
    free = [empty(), empty()];
    work();
  } else if (data.x) free.push(data);
});

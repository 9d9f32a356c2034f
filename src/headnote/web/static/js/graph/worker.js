/** Lays the graph out beside the page, so that it can be moved and searched meanwhile. */

import { Layout } from "./layout.js";

const SLICE = 40;

self.addEventListener("message", (/** @type {MessageEvent<{count: number, edges: [number, number][]}>} */ event) => {
  const layout = new Layout(event.data.count, event.data.edges);
  const work = () => {
    const until = performance.now() + SLICE;
    while (!layout.isDone && performance.now() < until) layout.step();
    self.postMessage({ ...layout.places(), done: layout.isDone });
    if (!layout.isDone) setTimeout(work, 0);
  };
  work();
});

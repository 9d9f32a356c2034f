/** Documents and the links between them. */

import { errorNotice } from "../core/announce.js";
import { get } from "../core/api.js";
import { h, refill } from "../core/dom.js";
import { plural } from "../core/format.js";
import { hrefOf } from "../core/routes.js";
import { currentStatus } from "../core/status-feed.js";
import { registerKeys } from "../shell/keys.js";
import { Camera } from "./camera.js";
import { groups } from "./groups.js";
import { Painter } from "./painter.js";
import { Side } from "./side.js";

/** @typedef {import("../types.js").Graph} Graph */
/** @typedef {import("./painter.js").Scene} Scene */

class GraphView {
  constructor() {
    this.canvas = h("canvas", {
      class: "graph-canvas",
      tabindex: "0",
      role: "img",
      "aria-label": "Graph of documents",
      "aria-describedby": "graph-help",
    });
    this.camera = new Camera(this.canvas, () => this.#repaint());
    this.painter = new Painter(this.canvas, this.camera);
    /** @type {Scene} */
    this.scene = {
      nodes: [],
      edges: [],
      group: [],
      x: new Float32Array(),
      y: new Float32Array(),
      matched: null,
      pointed: -1,
      near: new Map(),
    };
    this.side = new Side({ pointed: (path) => this.#pointPath(path), searched: (words) => this.#search(words) });
    /** Generation of the index that is drawn; undefined before any. @type {number|null|undefined} */
    this.loaded = undefined;
    this.legend = h("ul", { class: "graph-legend", "aria-label": "Colours" });
    this.failure = h("div");
    const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => void} */ act) =>
      h(
        "button",
        { type: "button", class: "button graph-button", "aria-label": label, title: label, onclick: act },
        sign,
      );
    this.waiting = h("p", { class: "soft waiting graph-waiting" }, "Reading links…");
    this.box = h(
      "div",
      { class: "graph-box" },
      this.canvas,
      this.waiting,
      h(
        "div",
        { class: "graph-buttons" },
        button("Zoom in", "+", () => this.camera.zoom(1.35)),
        button("Zoom out", "−", () => this.camera.zoom(0.74)),
        button("Show everything", "⤢", () => this.#fit()),
      ),
      this.legend,
    );
    this.element = h(
      "section",
      { class: "view graph-view", "aria-labelledby": "graph-h" },
      h("h1", { id: "graph-h", class: "visually-hidden", tabindex: "-1" }, "Graph"),
      h(
        "p",
        { id: "graph-help", class: "visually-hidden" },
        "Arrow keys move the picture, plus and minus zoom. The list beside it has all documents.",
      ),
      this.failure,
      h("div", { class: "graph-grid" }, this.box, this.side.element),
    );
    this.canvas.addEventListener("pointermove", (event) => this.#point(this.#nodeAt(event.offsetX, event.offsetY)));
    this.canvas.addEventListener("pointerleave", () => this.#point(-1));
    this.canvas.addEventListener("click", (event) => this.#open(event));
    registerKeys("graph", [
      {
        press: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
        meaning: "move the picture, once it has the focus",
      },
      { press: ["+", "-"], meaning: "zoom" },
    ]);
    document.addEventListener("themechange", () => {
      this.painter.readColours();
      this.#repaint();
    });
    new ResizeObserver(() => (this.camera.isOwn ? this.#repaint() : this.#fit())).observe(this.canvas);
  }

  show() {
    // The generation of the index changes when there is something new to draw.
    const generation = currentStatus()?.generation ?? null;
    if (this.loaded !== undefined && this.loaded === generation) return;
    this.loaded = generation;
    get("/api/graph").then(
      (graph) => this.#load(graph),
      (error) => {
        this.loaded = undefined;
        this.waiting.hidden = true;
        refill(this.failure, errorNotice(error));
      },
    );
  }

  title() {
    return "Graph";
  }

  focus() {
    this.side.input.focus();
  }

  /** @param {Graph} graph */
  #load(graph) {
    refill(this.failure);
    this.waiting.hidden = graph.nodes.length > 0;
    this.waiting.textContent = "No documents yet";
    const { names, of } = groups(graph.nodes.map(({ path }) => path));
    /** @type {Map<number, number[]>} */
    const near = new Map(graph.nodes.map((_, at) => [at, []]));
    for (const [a, b] of graph.edges) {
      near.get(a)?.push(b);
      near.get(b)?.push(a);
    }
    this.scene = {
      ...this.scene,
      nodes: graph.nodes,
      edges: graph.edges,
      group: of,
      near,
      x: new Float32Array(),
      y: new Float32Array(),
    };
    this.places = new Map(graph.nodes.map(({ path }, at) => [path, at]));
    refill(
      this.legend,
      names.length > 1 &&
        names.map((name, at) => h("li", { class: `hue-${at}` }, h("i", { "aria-hidden": "true" }), name)),
    );
    this.canvas.setAttribute(
      "aria-label",
      `Graph of ${plural(graph.nodes.length, "document")} and ${plural(graph.edges.length, "link")}, ` +
        `with ${plural(graph.orphans.length, "orphan")} and ${plural(graph.broken.length, "broken link")}`,
    );
    this.side.show(graph);
    this.#search(this.side.words());
    this.#layOut();
  }

  #layOut() {
    this.worker?.terminate();
    this.canvas.dataset.layout = "running";
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.addEventListener("message", ({ data }) => {
      this.scene.x = data.x;
      this.scene.y = data.y;
      if (this.camera.isOwn) this.#repaint();
      else this.#fit();
      if (!data.done) return;
      this.canvas.dataset.layout = "done";
      this.worker?.terminate();
    });
    this.worker.postMessage({ count: this.scene.nodes.length, edges: this.scene.edges });
  }

  #fit() {
    this.camera.fit(this.scene.x, this.scene.y);
    this.camera.isOwn = false;
  }

  #repaint() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.painter.paint(this.scene);
    });
  }

  /** @param {number} left @param {number} top */
  #nodeAt(left, top) {
    const { x, y, nodes } = this.scene;
    let best = -1;
    let nearest = Infinity;
    for (let at = 0; at < x.length; at += 1) {
      const [atX, atY] = this.camera.toScreen(x[at], y[at]);
      const distance = Math.hypot(atX - left, atY - top) - Painter.radius(nodes[at].degree);
      if (distance < 5 && distance < nearest) [best, nearest] = [at, distance];
    }
    return best;
  }

  /** @param {number} node */
  #point(node) {
    if (this.scene.pointed === node) return;
    this.scene.pointed = node;
    this.canvas.classList.toggle("pointing", node >= 0);
    this.canvas.title = node >= 0 ? this.scene.nodes[node].path : "";
    this.#repaint();
  }

  /** @param {string|null} path */
  #pointPath(path) {
    const node = path === null ? -1 : (this.places?.get(path) ?? -1);
    this.#point(node);
    if (node >= 0 && this.scene.x.length > 0) this.camera.show(this.scene.x[node], this.scene.y[node]);
  }

  /** @param {string[]} words */
  #search(words) {
    const fits = ({ path = "", title = "" }) => words.every((word) => `${path} ${title}`.toLowerCase().includes(word));
    this.scene.matched =
      words.length === 0 ? null : new Set(this.scene.nodes.flatMap((node, at) => (fits(node) ? [at] : [])));
    this.#repaint();
  }

  /** @param {MouseEvent} event */
  #open(event) {
    const node = this.#nodeAt(event.offsetX, event.offsetY);
    if (node >= 0 && this.camera.dragged < 6) location.hash = hrefOf("document", { path: this.scene.nodes[node].path });
  }
}

export function createGraphView() {
  return new GraphView();
}

/** A scene that can be looked at: laid out by the worker, drawn, moved, pointed at. Both graphs of the page are one. */

import { h } from "../core/dom.js";
import { Camera } from "./camera.js";
import { Painter } from "./painter.js";
import { emptyScene, placesBefore } from "./scene.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Point} Point */

/** Milliseconds after the last move until all details are drawn. */
const REST = 140;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Picture {
  /**
   * @param {{label: string, opened: (point: Point) => void, isSmall?: boolean}} options A small picture leaves the
   *   wheel and a finger to the page.
   */
  constructor({ label, opened, isSmall = false }) {
    this.canvas = h("canvas", { class: "graph-canvas", tabindex: "0", role: "img", "aria-label": label });
    this.camera = new Camera(this.canvas, () => this.#move(), isSmall);
    this.painter = new Painter(this.canvas, this.camera);
    this.scene = emptyScene();
    this.canvas.addEventListener("pointermove", (event) => this.point(this.#pointAt(event.offsetX, event.offsetY)));
    this.canvas.addEventListener("pointerleave", () => this.point(-1));
    this.canvas.addEventListener("click", (event) => {
      const at = this.#pointAt(event.offsetX, event.offsetY);
      if (at >= 0 && this.camera.dragged < 6) opened(this.scene.points[at]);
    });
    document.addEventListener("themechange", () => {
      this.painter.readColours();
      this.#repaint();
    });
    new ResizeObserver(() => (this.camera.isOwn ? this.#repaint() : this.fit())).observe(this.canvas);
  }

  /** Lay a scene out and show it. What was in the one before moves from where it was. @param {Scene} scene */
  show(scene) {
    const start = placesBefore(scene, this.scene);
    this.scene = scene;
    this.worker?.terminate();
    this.canvas.dataset.layout = "running";
    this.canvas.dataset.points = String(scene.points.length);
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker = worker;
    worker.addEventListener("message", ({ data }) => this.#take(worker, data));
    const edges = scene.edges.slice();
    const buffers = [edges.buffer, start.x.buffer, start.y.buffer];
    worker.postMessage({ count: scene.points.length, edges, start }, buffers);
  }

  /** Light up some points, and dim all others. @param {Set<number>|null} matched */
  match(matched) {
    this.scene.matched = matched;
    this.#repaint();
  }

  /** @param {number} at Of a point; -1 for none. */
  point(at) {
    if (this.scene.pointed === at) return;
    this.scene.pointed = at;
    this.canvas.classList.toggle("pointing", at >= 0);
    this.canvas.title = at >= 0 ? this.scene.points[at].path || this.scene.points[at].name : "";
    this.#repaint();
  }

  /** @param {number} at */
  bringIntoSight(at) {
    if (this.scene.x.length > 0) this.camera.show(this.scene.x[at], this.scene.y[at]);
  }

  /** See all of it. */
  fit() {
    this.camera.fit(this.scene.x, this.scene.y);
    this.camera.isOwn = false;
  }

  /** @param {Worker} worker @param {{x: Float32Array, y: Float32Array, done: boolean}} places */
  #take(worker, { x, y, done }) {
    if (worker !== this.worker) return;
    const { x: oldX, y: oldY } = this.scene;
    if (done || !calm.matches) {
      [this.scene.x, this.scene.y] = [x, y];
      if (this.camera.isOwn) this.#repaint();
      else this.fit();
    }
    if (done) {
      this.canvas.dataset.layout = "done";
      worker.terminate();
      this.worker = undefined;
      this.#repaint();
      return;
    }
    // The pair that is not drawn any more goes back; the first time there is none, and the worker has another one.
    const back = calm.matches ? { x, y } : { x: oldX, y: oldY };
    if (back.x.length === this.scene.points.length) worker.postMessage(back, [back.x.buffer, back.y.buffer]);
  }

  /** Draw less for a moment, and all of it when nothing moves any more. */
  #move() {
    this.isMoving = true;
    window.clearTimeout(this.rest);
    this.rest = window.setTimeout(() => {
      this.isMoving = false;
      this.#repaint();
    }, REST);
    this.#repaint();
  }

  #repaint() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.painter.paint(this.scene, Boolean(this.worker || this.isMoving));
    });
  }

  /** @param {number} left @param {number} top */
  #pointAt(left, top) {
    const { x, y, points } = this.scene;
    const { size } = this.painter;
    let best = -1;
    let nearest = 5;
    for (let at = 0; at < x.length; at += 1) {
      const [atX, atY] = this.camera.toScreen(x[at], y[at]);
      const distance = Math.hypot(atX - left, atY - top) - Painter.radius(points[at].degree) * size;
      if (distance < nearest) [best, nearest] = [at, distance];
    }
    return best;
  }
}

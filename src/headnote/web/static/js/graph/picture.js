/** A scene that can be looked at: laid out by the worker, drawn, moved, pointed at. Both graphs of the page are one. */

import { asset } from "../core/assets.js";
import { h } from "../core/dom.js";
import { t } from "../core/texts.js";
import { Painter } from "./painter.js";
import { emptyScene, isUnsettled, putAside, resume } from "./scene.js";

/** @typedef {import("./scene.js").Point} Point */
/** @typedef {import("./scene.js").Scene} Scene */

// -- Which part of the plane is seen, and how hands and keys move it

const CLOSEST = 8;
const FARTHEST = 0.04;
const ROOM = 60;

export class Camera {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => void} moved
   * @param {boolean} isSmall Leaves the wheel to the page.
   */
  constructor(canvas, moved, isSmall) {
    this.canvas = canvas;
    this.moved = moved;
    this.isSmall = isSmall;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    /** Whether the reader has moved the view; until then it shows everything. */
    this.isOwn = false;
    /** @type {Map<number, {x: number, y: number}>} */
    this.fingers = new Map();
    this.dragged = 0;
    this.#listen();
  }

  /** @param {number} x @param {number} y @returns {[number, number]} From the plane to the canvas. */
  toScreen(x, y) {
    return [x * this.scale + this.x, y * this.scale + this.y];
  }

  /** @param {number} x @param {number} y @returns {[number, number]} From the canvas to the plane. */
  toPlane(x, y) {
    return [(x - this.x) / this.scale, (y - this.y) / this.scale];
  }

  /** See all of it. @param {Float32Array} xs @param {Float32Array} ys */
  fit(xs, ys) {
    // Beside the buttons of a large picture.
    const room = this.isSmall ? 0 : ROOM;
    const [width, height] = [this.canvas.clientWidth - room, this.canvas.clientHeight];
    if (xs.length === 0 || width <= 0) return;
    const edges = (/** @type {Float32Array} */ values) => {
      const sorted = values.filter(Number.isFinite).sort();
      // The farthest few may be cut off: one stray document must not make all others tiny.
      const skip = Math.floor(sorted.length / 200);
      return [sorted[skip], sorted[sorted.length - 1 - skip]];
    };
    if (!xs.some(Number.isFinite)) return;
    const [left, right] = edges(xs);
    const [top, bottom] = edges(ys);
    this.scale = Math.min(3, 0.88 * Math.min(width / Math.max(right - left, 60), height / Math.max(bottom - top, 60)));
    this.x = width / 2 - ((left + right) / 2) * this.scale;
    this.y = height / 2 - ((top + bottom) / 2) * this.scale;
    this.moved();
  }

  /** @param {number} factor @param {number} [x] @param {number} [y] The point that stays where it is. */
  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.min(CLOSEST, Math.max(FARTHEST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.#own();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.#own();
  }

  /** Bring a point into the middle, unless it is in sight. @param {number} x @param {number} y */
  show(x, y) {
    const [atX, atY] = this.toScreen(x, y);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (atX > 40 && atY > 40 && atX < width - 40 && atY < height - 40) return;
    this.pan(width / 2 - atX, height / 2 - atY);
  }

  #own() {
    this.isOwn = true;
    this.moved();
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (this.isSmall && !event.ctrlKey) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      this.dragged = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => this.fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
    }
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.offsetX, y: event.offsetY };
    this.dragged += Math.hypot(now.x - before.x, now.y - before.y);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.fingers.set(event.pointerId, now);
    if (!other) this.pan(now.x - before.x, now.y - before.y);
    else {
      const was = Math.hypot(before.x - other.x, before.y - other.y) || 1;
      this.zoom(Math.hypot(now.x - other.x, now.y - other.y) / was, other.x, other.y);
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    /** @type {Record<string, () => void>} */
    const moves = {
      ArrowLeft: () => this.pan(60, 0),
      ArrowRight: () => this.pan(-60, 0),
      ArrowUp: () => this.pan(0, 60),
      ArrowDown: () => this.pan(0, -60),
      "+": () => this.zoom(1.25),
      "=": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    moves[event.key]();
  }
}

// -- The picture

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
      this.painter.forget();
      this.#repaint();
    });
    new ResizeObserver(() => (this.camera.isOwn ? this.#repaint() : this.fit())).observe(this.canvas);
  }

  /**
   * Show a scene. Where a point has no place yet, it is laid out first, from where it was in the scene before.
   * @param {Scene} scene
   */
  show(scene) {
    resume(scene, this.scene);
    this.scene = scene;
    this.worker?.terminate();
    this.worker = undefined;
    this.canvas.dataset.points = String(scene.points.length);
    if (isUnsettled(scene)) this.#layOut(scene);
    else this.#place();
    this.canvas.dataset.layout = this.worker ? "running" : scene.points.length > 0 ? "done" : "empty";
  }

  /** @param {Scene} scene */
  #layOut(scene) {
    const worker = new Worker(asset("js/graph/layout.js"), { type: "module" });
    this.worker = worker;
    worker.addEventListener("message", ({ data }) => this.#take(worker, data));
    const edges = scene.edges.slice();
    const start = { x: scene.x.slice(), y: scene.y.slice() };
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
    this.canvas.title = at >= 0 ? this.scene.points[at].name : "";
    this.#repaint();
  }

  /** @param {number} at */
  bringIntoSight(at) {
    if (Number.isFinite(this.scene.x[at])) this.camera.show(this.scene.x[at], this.scene.y[at]);
  }

  /** See all of it. */
  fit() {
    this.camera.fit(this.scene.x, this.scene.y);
    this.camera.isOwn = false;
  }

  /** What is seen as a PNG, twice as fine as on this screen. @returns {Promise<Blob>} */
  async toFile() {
    const { canvas, painter, scene } = this;
    painter.fineness = 2;
    painter.forget();
    while (painter.paint(scene, "still")) await new Promise(requestAnimationFrame);
    const file = document.createElement("canvas");
    [file.width, file.height] = [canvas.width, canvas.height];
    const pen = /** @type {CanvasRenderingContext2D} */ (file.getContext("2d"));
    pen.fillStyle = painter.colours.paper;
    pen.fillRect(0, 0, file.width, file.height);
    pen.drawImage(canvas, 0, 0);
    painter.fineness = 1;
    this.#repaint();
    return new Promise((done, failed) =>
      file.toBlob((blob) => (blob ? done(blob) : failed(new Error(t("graph.tooLarge"))))),
    );
  }

  /** @param {Worker} worker @param {{x: Float32Array, y: Float32Array, done: boolean}} places */
  #take(worker, { x, y, done }) {
    if (worker !== this.worker) return;
    const { x: oldX, y: oldY } = this.scene;
    if (done || !calm.matches) {
      [this.scene.x, this.scene.y] = [x, y];
      this.#place();
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

  /** All places are known. */
  #place() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    putAside(this.scene, width / Math.max(1, height));
    this.painter.forget();
    if (this.camera.isOwn) this.#repaint();
    else this.fit();
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
      const state = this.worker ? "settling" : this.isMoving ? "moving" : "still";
      if (this.painter.paint(this.scene, state)) this.#repaint();
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

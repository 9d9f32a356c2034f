/**
 * Draws a scene on a canvas, in two layers. Below are all lines and points: drawn a few at a time, so that nobody waits
 * for them, and moved as a picture while the view moves. Above is what is lit, and names.
 */

import { t } from "../core/texts.js";
import { HUES } from "./legend.js";

/** @typedef {import("./picture.js").Camera} Camera */
/** @typedef {import("./scene.js").Scene} Scene */

const MAX_LABELS = 40;
/** While it moves; a name with its halo takes half a millisecond. */
const MOVING_LABELS = 12;
/**
 * Lines, and points, that are drawn at once. Measured without a graphics card: 4,902 lines take 24 ms, and 2,453 points
 * 14 ms as circles and 6 ms as squares.
 */
const BATCH = 2000;
/** While places change, every picture has all of it at once: of more lines than this, a part. */
const MOVING_EDGES = 4000;
/** Points up to this size are squares, which look the same. */
const TINY = 1.2;
/** How much is seen of what is not lit. */
const DIMMED = 0.22;
const ROUND = Math.PI * 2;

export class Painter {
  /** @param {HTMLCanvasElement} canvas @param {Camera} camera */
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.camera = camera;
    this.front = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** The layer below, and where its camera was. */
    this.below = document.createElement("canvas");
    this.pen = /** @type {CanvasRenderingContext2D} */ (this.below.getContext("2d"));
    this.view = { x: 0, y: 0, scale: 1, ratio: 1 };
    /** What is still to be drawn of it. @type {Generator<void>|null} */
    this.rest = null;
    this.isStale = true;
    /** How many times finer than the screen. */
    this.fineness = 1;
    this.colours = { ink: "", soft: "", paper: "", accent: "", grey: "" };
    /** @type {string[]} The last is that of folders without a colour of their own. */
    this.hues = [];
    this.font = "";
    this.readColours();
  }

  /** From the style sheet, so that they change with the theme. */
  readColours() {
    const style = getComputedStyle(document.documentElement);
    const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    this.colours = {
      ink: read("--ink"),
      soft: read("--ink-soft"),
      paper: read("--surface"),
      accent: read("--accent"),
      grey: read("--line-strong"),
    };
    this.hues = [...Array.from({ length: HUES }, (_, at) => read(`--hue-${at}`)), this.colours.grey];
    this.font = read("--sans");
  }

  /** @param {number} degree */
  static radius(degree) {
    return Math.min(14, 2.6 + Math.sqrt(degree) * 1.1);
  }

  /** How large points are drawn at this distance. */
  get size() {
    return Math.min(1.6, Math.max(0.55, Math.sqrt(this.camera.scale)));
  }

  /**
   * @param {Scene} scene
   * @param {"still"|"moving"|"settling"} state The view moves, or the places do.
   * @returns {boolean} Whether more is to be drawn: paint again.
   */
  paint(scene, state) {
    const ratio = (window.devicePixelRatio || 1) * this.fineness;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    for (const one of [this.canvas, this.below]) {
      if (one.width === Math.round(width * ratio) && one.height === Math.round(height * ratio)) continue;
      one.width = Math.round(width * ratio);
      one.height = Math.round(height * ratio);
      this.isStale = true;
    }
    this.front.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.front.clearRect(0, 0, width, height);
    if (scene.x.length === 0 || width === 0) return false;
    this.#paintBelow(scene, state, ratio);
    this.#copyBelow(isDimmed(scene));
    this.#lit(scene);
    this.#caption(scene);
    this.#labels(scene, width, height, state === "still" ? MAX_LABELS : MOVING_LABELS);
    return this.rest !== null;
  }

  /** Scene, places or colours are others. */
  forget() {
    this.isStale = true;
  }

  /** @param {Scene} scene @param {"still"|"moving"|"settling"} state @param {number} ratio */
  #paintBelow(scene, state, ratio) {
    const { x, y, scale } = this.camera;
    const isElsewhere = x !== this.view.x || y !== this.view.y || scale !== this.view.scale;
    const isSmall = scene.points.length + scene.edges.length / 2 < BATCH;
    if (this.isStale || state === "settling" || (isElsewhere && (isSmall || state === "still"))) {
      this.view = { x, y, scale, ratio };
      this.isStale = false;
      this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.pen.clearRect(0, 0, this.below.width, this.below.height);
      this.rest = this.#all(scene, state === "settling");
      // At once, what is drawn in a moment.
      if (isSmall || state === "settling") for (const _ of this.rest);
      if (isSmall || state === "settling") this.rest = null;
    }
    if (this.rest?.next().done) this.rest = null;
  }

  /** @param {Scene} scene @param {boolean} isSettling @returns {Generator<void>} */
  *#all(scene, isSettling) {
    const { pen, colours } = this;
    const count = scene.edges.length / 2;
    const every = isSettling ? Math.max(1, Math.ceil(count / MOVING_EDGES)) : 1;
    for (let from = 0; from < count; from += BATCH * every) {
      pen.lineWidth = 1;
      pen.strokeStyle = colours.soft;
      pen.globalAlpha = count > 3000 ? 0.13 : 0.28;
      this.#lines(pen, scene, range(from, Math.min(count, from + BATCH * every), every));
      pen.globalAlpha = 1;
      yield;
    }
    for (const members of batches([...scene.points.keys()])) {
      this.#points(pen, scene, members, 1);
      yield;
    }
  }

  /** The layer below, where it is by now. @param {boolean} isDim */
  #copyBelow(isDim) {
    const { front, camera, view, below } = this;
    const grown = camera.scale / view.scale;
    front.globalAlpha = isDim ? DIMMED : 1;
    front.drawImage(
      below,
      camera.x - view.x * grown,
      camera.y - view.y * grown,
      (below.width / view.ratio) * grown,
      (below.height / view.ratio) * grown,
    );
    front.globalAlpha = 1;
  }

  /** What is pointed at with its lines, and what is found with the lines in between. @param {Scene} scene */
  #lit(scene) {
    const { front, colours } = this;
    const { edges, pointed, matched, near } = scene;
    if (matched) {
      const between = range(0, edges.length / 2, 1).filter(
        (at) => matched.has(edges[at * 2]) && matched.has(edges[at * 2 + 1]),
      );
      front.globalAlpha = between.length > 400 ? 0.2 : 0.5;
      front.strokeStyle = colours.soft;
      front.lineWidth = 1;
      this.#lines(front, scene, between.slice(0, MOVING_EDGES));
      front.globalAlpha = 1;
      this.#points(front, scene, [...matched], matched.size > 400 ? 1 : 1.3);
    }
    if (pointed >= 0) {
      front.globalAlpha = 0.9;
      front.strokeStyle = colours.accent;
      front.lineWidth = 1.4;
      const own = range(0, edges.length / 2, 1);
      this.#lines(front, scene, own.filter((at) => edges[at * 2] === pointed || edges[at * 2 + 1] === pointed));
      front.globalAlpha = 1;
      this.#points(front, scene, [pointed, ...near[pointed]], 1);
    }
    this.#rings(scene);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Scene} scene @param {number[]} numbers Of lines. */
  #lines(pen, { edges, x, y }, numbers) {
    const { scale, x: left, y: top } = this.camera;
    pen.beginPath();
    for (const at of numbers) {
      const [a, b] = [edges[at * 2], edges[at * 2 + 1]];
      pen.moveTo(x[a] * scale + left, y[a] * scale + top);
      pen.lineTo(x[b] * scale + left, y[b] * scale + top);
    }
    pen.stroke();
  }

  /** One path for all points of a kind: a change of colour costs more than a point.
   * @param {CanvasRenderingContext2D} pen @param {Scene} scene @param {number[]} numbers @param {number} grown */
  #points(pen, scene, numbers, grown) {
    for (const [kind, members] of byKind(scene, numbers)) {
      this.#trace(pen, scene, members, grown);
      const hue = kind.hue < 0 ? this.colours.ink : this.hues[kind.hue];
      pen.fillStyle = kind.isHollow ? this.colours.paper : hue;
      pen.fill();
      if (!kind.isHollow) continue;
      pen.strokeStyle = hue;
      pen.lineWidth = 1.5;
      pen.stroke();
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {Scene} scene @param {number[]} members @param {number} grown */
  #trace(pen, { points, x, y }, members, grown) {
    const { size } = this;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { scale, x: left, y: top } = this.camera;
    pen.beginPath();
    for (const at of members) {
      const [atX, atY] = [x[at] * scale + left, y[at] * scale + top];
      if (atX < -20 || atY < -20 || atX > width + 20 || atY > height + 20) continue;
      const radius = Painter.radius(points[at].degree) * size * grown;
      if (points[at].isTag || radius < TINY) pen.rect(atX - radius, atY - radius, radius * 2, radius * 2);
      else {
        pen.moveTo(atX + radius, atY);
        pen.arc(atX, atY, radius, 0, ROUND);
      }
    }
  }

  /** Around the point under the pointer and the one in the middle. @param {Scene} scene */
  #rings({ points, x, y, pointed, middle }) {
    const { front: pen, camera, colours, size } = this;
    for (const at of [middle, pointed]) {
      if (at < 0) continue;
      pen.beginPath();
      pen.arc(...camera.toScreen(x[at], y[at]), Painter.radius(points[at].degree) * size + 1.5, 0, ROUND);
      pen.strokeStyle = at === pointed ? colours.ink : colours.accent;
      pen.lineWidth = 2;
      pen.stroke();
    }
  }

  /** What the block aside is. @param {Scene} scene */
  #caption({ aside }) {
    const text = aside && t("count.orphans", { count: aside.count });
    if (!text) return;
    const { front: pen, camera, colours } = this;
    const [x, y] = camera.toScreen(aside.x, aside.y);
    pen.font = `12px ${this.font}`;
    pen.textBaseline = "alphabetic";
    pen.fillStyle = colours.soft;
    pen.fillText(text, x - 4, y - 12);
  }

  /**
   * Names, as many as fit: first the point under the pointer, then matches of the search, then hubs.
   * @param {Scene} scene
   * @param {number} width
   * @param {number} height
   * @param {number} most
   */
  #labels(scene, width, height, most) {
    const { front: pen, camera, colours } = this;
    const longest = Math.min(42, Math.max(14, Math.floor(width / 11)));
    /** @type {Box[]} */
    const taken = [];
    pen.font = `12px ${this.font}`;
    pen.textBaseline = "middle";
    // Beside a document from right to left, too.
    pen.textAlign = "left";
    pen.lineJoin = "round";
    for (const at of labelOrder(scene, camera.scale)) {
      const { name, degree } = scene.points[at];
      const text = name.length > longest ? `${name.slice(0, longest - 2)}…` : name;
      const [x, y] = camera.toScreen(scene.x[at], scene.y[at]);
      if (x < 0 || y < 0 || x > width || y > height) continue;
      const beside = Painter.radius(degree) * this.size + 4;
      const long = pen.measureText(text).width;
      const left = Math.max(4, x + beside + long > width - 4 ? x - beside - long : x + beside);
      const box = /** @type {Box} */ ([left - 2, y - 9, left + long + 4, y + 9]);
      if (at !== scene.pointed && taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      pen.lineWidth = 4;
      pen.strokeStyle = colours.paper;
      pen.strokeText(text, left, y);
      pen.fillStyle = at === scene.pointed || at === scene.middle ? colours.ink : colours.soft;
      pen.fillText(text, left, y);
      if (taken.length >= most) return;
    }
  }
}

/** @typedef {[number, number, number, number]} Box */
/** @typedef {{hue: number, isHollow: boolean}} Kind A hue below 0 is that of tags. */

/** Whether something is lit, and all else is not. @param {Scene} scene */
const isDimmed = ({ pointed, matched }) => pointed >= 0 || matched !== null;

/** @param {number} from @param {number} to @param {number} step */
const range = (from, to, step) => Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step);

/** @param {number[]} numbers */
const batches = (numbers) =>
  range(0, numbers.length, BATCH).map((from) => numbers.slice(from, from + BATCH));

/** @param {Scene} scene @param {number[]} numbers @returns {[Kind, number[]][]} */
function byKind({ points, near }, numbers) {
  /** @type {Map<number, [Kind, number[]]>} */
  const kinds = new Map();
  for (const at of numbers) {
    const { isTag } = points[at];
    const hue = isTag ? -1 : points[at].hue;
    // Orphans and tags are hollow.
    const isHollow = isTag || near[at].length === 0;
    const key = hue * 2 + (isHollow ? 1 : 0);
    const known = kinds.get(key);
    if (known) known[1].push(at);
    else kinds.set(key, [{ hue, isHollow }, [at]]);
  }
  return [...kinds.values()];
}

/** @param {Scene} scene @param {number} scale @returns {number[]} */
function labelOrder({ pointed, matched, near, hubs, points, middle }, scale) {
  if (pointed >= 0) return [pointed, ...near[pointed]];
  if (matched) return [...matched].sort((a, b) => points[b].degree - points[a].degree);
  const first = hubs.slice(0, points.length <= 60 ? 60 : 12 + scale * 40);
  return middle >= 0 ? [middle, ...first] : first;
}

/** @param {Box} a @param {Box} b */
function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

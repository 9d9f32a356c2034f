/** Draws a scene on a canvas. What moves is drawn with less detail, so that it moves smoothly. */

import { HUES } from "./groups.js";

/** @typedef {import("./picture.js").Camera} Camera */
/** @typedef {import("./scene.js").Scene} Scene */

const MAX_LABELS = 40;
/**
 * While it moves. Measured without a graphics card on 2,453 documents: 4,902 lines take 24 ms, a sixth of them 4 ms;
 * points take 14 ms as circles and 6 ms as squares, and a name with its halo half a millisecond.
 */
const MOVING_LABELS = 6;
const MOVING_EDGES = 800;
/** Points up to this size are squares: at rest those that look the same, while it moves all but the hubs. */
const TINY = 1.2;
const MOVING_TINY = 5;
const ROUND = Math.PI * 2;

export class Painter {
  /** @param {HTMLCanvasElement} canvas @param {Camera} camera */
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.camera = camera;
    this.pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.colours = { ink: "", soft: "", paper: "", accent: "", grey: "" };
    /** @type {string[]} The last is that of folders without a colour of their own. */
    this.hues = [];
    this.font = "";
    this.tiny = TINY;
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

  /** @param {Scene} scene @param {boolean} isMoving */
  paint(scene, isMoving) {
    const { canvas, pen } = this;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (scene.x.length === 0) return;
    this.#edges(scene, isMoving);
    this.tiny = isMoving && scene.points.length > 300 ? MOVING_TINY : TINY;
    this.#points(scene, width, height);
    this.#labels(scene, width, height, isMoving ? MOVING_LABELS : MAX_LABELS);
  }

  /** @param {Scene} scene @param {boolean} isMoving */
  #edges({ edges, pointed, matched, x, y }, isMoving) {
    const { pen, colours } = this;
    const count = edges.length / 2;
    const every = isMoving ? Math.max(1, Math.ceil(count / MOVING_EDGES)) : 1;
    pen.lineWidth = 1;
    pen.strokeStyle = colours.soft;
    pen.globalAlpha = (count > 3000 ? 0.13 : 0.28) * (pointed >= 0 || matched ? 0.5 : 1);
    this.#lines(edges, x, y, every * 2, -1);
    if (pointed >= 0) {
      pen.globalAlpha = 0.9;
      pen.strokeStyle = colours.accent;
      pen.lineWidth = 1.4;
      this.#lines(edges, x, y, 2, pointed);
    }
    pen.globalAlpha = 1;
  }

  /** @param {Uint32Array} edges @param {Float32Array} x @param {Float32Array} y @param {number} step
   * @param {number} only Lines of this point; -1 for all. */
  #lines(edges, x, y, step, only) {
    const { pen } = this;
    const { scale, x: left, y: top } = this.camera;
    pen.beginPath();
    for (let at = 0; at < edges.length; at += step) {
      const a = edges[at];
      const b = edges[at + 1];
      if (only >= 0 && a !== only && b !== only) continue;
      pen.moveTo(x[a] * scale + left, y[a] * scale + top);
      pen.lineTo(x[b] * scale + left, y[b] * scale + top);
    }
    pen.stroke();
  }

  /** One path for all points of a kind: a change of colour costs more than a point. @param {Scene} scene
   * @param {number} width @param {number} height */
  #points(scene, width, height) {
    const { pen, colours } = this;
    for (const [isLit, numbers] of litApart(scene)) {
      pen.globalAlpha = isLit ? 1 : 0.16;
      for (const [kind, members] of byKind(scene, numbers)) {
        this.#trace(scene, members, width, height);
        const hue = kind.hue < 0 ? colours.ink : this.hues[kind.hue];
        pen.fillStyle = kind.isHollow ? colours.paper : hue;
        pen.fill();
        if (!kind.isHollow) continue;
        pen.strokeStyle = hue;
        pen.lineWidth = 1.5;
        pen.stroke();
      }
    }
    pen.globalAlpha = 1;
    this.#rings(scene);
  }

  /** @param {Scene} scene @param {number[]} members @param {number} width @param {number} height */
  #trace({ points, x, y }, members, width, height) {
    const { pen, size } = this;
    const { scale, x: left, y: top } = this.camera;
    pen.beginPath();
    for (const at of members) {
      const [atX, atY] = [x[at] * scale + left, y[at] * scale + top];
      if (atX < -20 || atY < -20 || atX > width + 20 || atY > height + 20) continue;
      const radius = Painter.radius(points[at].degree) * size;
      if (points[at].isTag || radius < this.tiny) pen.rect(atX - radius, atY - radius, radius * 2, radius * 2);
      else {
        pen.moveTo(atX + radius, atY);
        pen.arc(atX, atY, radius, 0, ROUND);
      }
    }
  }

  /** Around the point under the pointer and the one in the middle. @param {Scene} scene */
  #rings({ points, x, y, pointed, middle }) {
    const { pen, camera, colours, size } = this;
    for (const at of [middle, pointed]) {
      if (at < 0) continue;
      pen.beginPath();
      pen.arc(...camera.toScreen(x[at], y[at]), Painter.radius(points[at].degree) * size + 1.5, 0, ROUND);
      pen.strokeStyle = at === pointed ? colours.ink : colours.accent;
      pen.lineWidth = 2;
      pen.stroke();
    }
  }

  /**
   * Names, as many as fit: first the point under the pointer, then matches of the search, then hubs.
   * @param {Scene} scene
   * @param {number} width
   * @param {number} height
   * @param {number} most
   */
  #labels(scene, width, height, most) {
    const { pen, camera, colours } = this;
    const longest = Math.min(42, Math.max(14, Math.floor(width / 11)));
    /** @type {Box[]} */
    const taken = [];
    pen.font = `12px ${this.font}`;
    pen.textBaseline = "middle";
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

/** Points that are not meant lie below those that are. @param {Scene} scene @returns {[boolean, number[]][]} */
function litApart({ points, pointed, matched, near }) {
  const all = [...points.keys()];
  if (pointed < 0 && !matched) return [[true, all]];
  const lit = new Set(pointed >= 0 ? [pointed, ...near[pointed], ...(matched ?? [])] : matched);
  return [
    [false, all.filter((at) => !lit.has(at))],
    [true, [...lit]],
  ];
}

/** @param {Scene} scene @param {number[]} numbers @returns {[Kind, number[]][]} */
function byKind({ points }, numbers) {
  /** @type {Map<number, [Kind, number[]]>} */
  const kinds = new Map();
  for (const at of numbers) {
    const { isTag, degree } = points[at];
    const hue = isTag ? -1 : points[at].hue;
    // Orphans and tags are hollow.
    const isHollow = degree === 0 || isTag;
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

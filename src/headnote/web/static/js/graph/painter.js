/** Draws the graph on a canvas. */

/** @typedef {import("./camera.js").Camera} Camera */

/**
 * @typedef {{nodes: {path: string, title: string, degree: number}[], edges: [number, number][], group: number[],
 *   x: Float32Array, y: Float32Array, matched: Set<number>|null, pointed: number, near: Map<number, number[]>}} Scene
 */

const HUES = 8;
const MOST_LABELS = 40;

export class Painter {
  /** @param {HTMLCanvasElement} canvas @param {Camera} camera */
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.camera = camera;
    this.pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.colours = { ink: "", soft: "", paper: "", accent: "" };
    /** @type {string[]} */
    this.hues = [];
    this.font = "";
    this.readColours();
  }

  /** From the style sheet, so that they change with the theme. */
  readColours() {
    const style = getComputedStyle(document.documentElement);
    const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    this.colours = { ink: read("--ink"), soft: read("--ink-soft"), paper: read("--surface"), accent: read("--accent") };
    this.hues = Array.from({ length: HUES }, (_, at) => read(`--hue-${at}`));
    this.font = read("--sans");
  }

  /** @param {number} degree */
  static radius(degree) {
    return Math.min(14, 2.6 + Math.sqrt(degree) * 1.1);
  }

  /** @param {Scene} scene */
  paint(scene) {
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
    this.#edges(scene);
    this.#nodes(scene);
    this.#labels(scene, width, height);
  }

  /** @param {Scene} scene */
  #edges({ edges, x, y, pointed, matched }) {
    const { pen, camera, colours } = this;
    const draw = (/** @type {(a: number, b: number) => boolean} */ fits) => {
      pen.beginPath();
      for (const [a, b] of edges) {
        if (!fits(a, b)) continue;
        pen.moveTo(...camera.toScreen(x[a], y[a]));
        pen.lineTo(...camera.toScreen(x[b], y[b]));
      }
      pen.stroke();
    };
    pen.lineWidth = 1;
    pen.strokeStyle = colours.soft;
    pen.globalAlpha = (edges.length > 3000 ? 0.1 : 0.28) * (pointed >= 0 || matched ? 0.5 : 1);
    draw(() => true);
    if (pointed >= 0) {
      pen.globalAlpha = 0.9;
      pen.strokeStyle = colours.accent;
      pen.lineWidth = 1.4;
      draw((a, b) => a === pointed || b === pointed);
    }
    pen.globalAlpha = 1;
  }

  /** @param {Scene} scene */
  #nodes(scene) {
    const { nodes, group, x, y } = scene;
    const { pen, camera, hues, colours } = this;
    const size = Math.min(1.6, Math.max(0.55, Math.sqrt(camera.scale)));
    nodes.forEach(({ degree }, at) => {
      const [left, top] = camera.toScreen(x[at], y[at]);
      pen.globalAlpha = isLit(scene, at) ? 1 : 0.16;
      pen.beginPath();
      pen.arc(left, top, Painter.radius(degree) * size, 0, Math.PI * 2);
      if (degree === 0) {
        // Orphans are hollow.
        pen.fillStyle = colours.paper;
        pen.fill();
        pen.strokeStyle = hues[group[at] % HUES];
        pen.lineWidth = 1.5;
        pen.stroke();
      } else {
        pen.fillStyle = hues[group[at] % HUES];
        pen.fill();
      }
      if (at === scene.pointed) {
        pen.strokeStyle = colours.ink;
        pen.lineWidth = 2;
        pen.stroke();
      }
    });
    pen.globalAlpha = 1;
  }

  /**
   * Names, as many as fit: first the node under the pointer, then matches of the search, then hubs.
   * @param {Scene} scene
   * @param {number} width
   * @param {number} height
   */
  #labels(scene, width, height) {
    const { pen, camera, colours } = this;
    /** @type {[number, number, number, number][]} */
    const taken = [];
    pen.font = `12px ${this.font}`;
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    for (const at of labelOrder(scene, camera.scale)) {
      const { title, path, degree } = scene.nodes[at];
      const name = title || path;
      const text = name.length > 42 ? `${name.slice(0, 40)}…` : name;
      const [x, y] = camera.toScreen(scene.x[at], scene.y[at]);
      const beside = Painter.radius(degree) * Math.min(1.6, Math.sqrt(camera.scale)) + 4;
      const long = pen.measureText(text).width;
      const left = x + beside + long > width - 4 ? x - beside - long : x + beside;
      const box = /** @type {[number, number, number, number]} */ ([left - 2, y - 9, left + long + 4, y + 9]);
      const isOut = box[2] < 0 || box[0] > width || box[3] < 0 || box[1] > height;
      if (isOut || (at !== scene.pointed && taken.some((other) => overlap(box, other)))) continue;
      taken.push(box);
      pen.lineWidth = 4;
      pen.strokeStyle = colours.paper;
      pen.strokeText(text, left, y);
      pen.fillStyle = at === scene.pointed ? colours.ink : colours.soft;
      pen.fillText(text, left, y);
      if (taken.length >= MOST_LABELS) return;
    }
  }
}

/** @param {Scene} scene @param {number} at */
function isLit({ pointed, matched, near }, at) {
  if (pointed >= 0) return at === pointed || (near.get(pointed)?.includes(at) ?? false) || (matched?.has(at) ?? false);
  return matched ? matched.has(at) : true;
}

/** @param {Scene} scene @param {number} scale @returns {number[]} */
function labelOrder(scene, scale) {
  const { pointed, matched, near, nodes } = scene;
  const hubs = [...nodes.keys()].sort((a, b) => nodes[b].degree - nodes[a].degree);
  const others =
    pointed >= 0
      ? (near.get(pointed) ?? [])
      : matched
        ? [...matched]
        : hubs.slice(0, nodes.length <= 60 ? 60 : 12 + scale * 40);
  return pointed >= 0 ? [pointed, ...others] : others;
}

/** @param {[number, number, number, number]} a @param {[number, number, number, number]} b */
function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

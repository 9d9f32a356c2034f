/** Where points lie: lines pull, linked points push each other away, and orphans lie around them. */

import { Quadtree } from "./quadtree.js";

const REPULSION = 46;
const SPRING = 0.055;
const LENGTH = 60;
const GRAVITY = 0.011;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const FASTEST = 40;
/** A layout that goes on from known places is nearly done: most of it must not jump. */
const WARM = 0.3;

/** @typedef {{x: Float32Array, y: Float32Array}} Places */

export class Layout {
  /**
   * @param {number} count
   * @param {Uint32Array} edges Two numbers of points for each line.
   * @param {Places} start Where points lay before; NaN for those that are new.
   */
  constructor(count, edges, start) {
    const degree = new Float32Array(count);
    for (const end of edges) degree[end] += 1;
    // Not random: the same documents always get the same places. Those with most links start in the middle.
    const order = [...degree.keys()].sort((a, b) => degree[b] - degree[a]);
    this.linked = order.filter((node) => degree[node] > 0);
    this.orphans = order.filter((node) => degree[node] === 0);
    const place = new Uint32Array(count);
    this.linked.forEach((node, at) => (place[node] = at));
    this.edges = edges.map((node) => place[node]);
    this.degree = Float32Array.from(this.linked, (node) => degree[node]);
    const circle = spiral(this.linked.length, 24, 0);
    this.x = circle.x;
    this.y = circle.y;
    this.vx = new Float32Array(this.x.length);
    this.vy = new Float32Array(this.x.length);
    this.tree = new Quadtree(this.x.length);
    this.heat = this.linked.length > 0 ? this.#resume(start) : 0;
  }

  /** @param {Places} start @returns {number} How much is still to move. */
  #resume({ x, y }) {
    let known = 0;
    this.linked.forEach((node, at) => {
      if (!Number.isFinite(x[node])) return;
      known += 1;
      [this.x[at], this.y[at]] = [x[node], y[node]];
    });
    return known > this.linked.length / 2 ? WARM : 1;
  }

  get isDone() {
    return this.heat < 0.02;
  }

  step() {
    const { x, y, vx, vy, tree } = this;
    tree.build(x, y);
    const force = { x: 0, y: 0 };
    for (let i = 0; i < x.length; i += 1) {
      force.x = -x[i] * GRAVITY;
      force.y = -y[i] * GRAVITY;
      tree.push(i, x, y, REPULSION, force);
      vx[i] = (vx[i] + force.x * this.heat) * 0.6;
      vy[i] = (vy[i] + force.y * this.heat) * 0.6;
    }
    this.#pull();
    for (let i = 0; i < x.length; i += 1) {
      const speed = Math.hypot(vx[i], vy[i]);
      const slow = speed > FASTEST ? FASTEST / speed : 1;
      x[i] += vx[i] * slow;
      y[i] += vy[i] * slow;
    }
    this.heat *= 0.985;
  }

  /** Write the places of all points, in their order. @param {Places} places */
  write({ x, y }) {
    this.linked.forEach((node, at) => {
      x[node] = this.x[at];
      y[node] = this.y[at];
    });
    if (this.orphans.length === 0) return;
    const far = this.x.map((value, at) => Math.hypot(value, this.y[at])).sort();
    const radius = far.length > 0 ? far[Math.floor(far.length * 0.95)] * 1.08 + 40 : 0;
    const around = spiral(this.orphans.length, Math.max(16, radius / 45), radius);
    this.orphans.forEach((node, at) => {
      x[node] = around.x[at];
      y[node] = around.y[at];
    });
  }

  #pull() {
    const { x, y, vx, vy, degree, edges } = this;
    for (let at = 0; at < edges.length; at += 2) {
      const a = edges[at];
      const b = edges[at + 1];
      const dx = x[b] - x[a];
      const dy = y[b] - y[a];
      const distance = Math.hypot(dx, dy) || 1;
      // Divide by degree: a hub must not be torn by its hundred links.
      const pull =
        ((distance - LENGTH) / distance) * SPRING * this.heat * (2 / Math.sqrt(Math.min(degree[a], degree[b]) + 1));
      const share = degree[b] / (degree[a] + degree[b]);
      vx[a] += dx * pull * share;
      vy[a] += dy * pull * share;
      vx[b] -= dx * pull * (1 - share);
      vy[b] -= dy * pull * (1 - share);
    }
  }
}

/**
 * Points in a sunflower pattern, outside of a circle.
 * @param {number} count
 * @param {number} space
 * @param {number} hole
 * @returns {Places}
 */
function spiral(count, space, hole) {
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  for (let i = 0; i < count; i += 1) {
    const distance = Math.sqrt(hole * hole + i * space * space);
    x[i] = distance * Math.cos(i * GOLDEN);
    y[i] = distance * Math.sin(i * GOLDEN);
  }
  return { x, y };
}

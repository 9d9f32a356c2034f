/** Where documents lie: links pull, linked documents push each other away, and orphans lie around them. */

import { Quadtree } from "./quadtree.js";

const REPULSION = 46;
const SPRING = 0.055;
const LENGTH = 60;
const GRAVITY = 0.011;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const FASTEST = 40;

export class Layout {
  /** @param {number} count @param {[number, number][]} edges */
  constructor(count, edges) {
    this.count = count;
    const degree = new Float32Array(count);
    for (const [from, to] of edges) {
      degree[from] += 1;
      degree[to] += 1;
    }
    // Not random: the same documents always get the same places. Those with most links start in the middle.
    const order = [...degree.keys()].sort((a, b) => degree[b] - degree[a]);
    this.linked = order.filter((node) => degree[node] > 0);
    this.orphans = order.filter((node) => degree[node] === 0);
    const place = new Map(this.linked.map((node, at) => [node, at]));
    this.edges = edges.map(([from, to]) => /** @type {[number, number]} */ ([place.get(from), place.get(to)]));
    this.degree = Float32Array.from(this.linked, (node) => degree[node]);
    const start = spiral(this.linked.length, 24, 0);
    this.x = start.x;
    this.y = start.y;
    this.vx = new Float32Array(this.x.length);
    this.vy = new Float32Array(this.x.length);
    this.tree = new Quadtree(this.x.length);
    this.heat = this.linked.length > 0 ? 1 : 0;
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

  /** Of all documents, in their order. */
  places() {
    const [x, y] = [new Float32Array(this.count), new Float32Array(this.count)];
    this.linked.forEach((node, at) => ([x[node], y[node]] = [this.x[at], this.y[at]]));
    const far = Array.from(this.x, (value, at) => Math.hypot(value, this.y[at])).sort((a, b) => a - b);
    const radius = far.length > 0 ? (far[Math.floor(far.length * 0.95)] ?? 0) * 1.08 + 40 : 0;
    const around = spiral(this.orphans.length, Math.max(16, radius / 45), radius);
    this.orphans.forEach((node, at) => ([x[node], y[node]] = [around.x[at], around.y[at]]));
    return { x, y };
  }

  #pull() {
    const { x, y, vx, vy, degree } = this;
    for (const [a, b] of this.edges) {
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

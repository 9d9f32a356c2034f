/**
 * Where points lie that have no place yet, those around a document and tags: lines pull, and linked points push each
 * other away. This runs as a worker, so that the graph can be moved and searched meanwhile.
 *
 * It is what d3-force does, without it and the three libraries below it: their points are objects, and would have to be
 * copied to the page for each picture. Here they are typed arrays, which are handed over.
 */

// -- Many bodies seen from afar are one: the tree behind forces in n log n (Barnes and Hut)

const MAX_DEPTH = 26;
const OPENING = 0.81;

class Quadtree {
  /** @param {number} bodies */
  constructor(bodies) {
    const capacity = bodies * 8 + 64;
    this.children = new Int32Array(capacity * 4);
    this.body = new Int32Array(capacity);
    this.mass = new Float64Array(capacity);
    this.sumX = new Float64Array(capacity);
    this.sumY = new Float64Array(capacity);
    this.width = new Float64Array(capacity);
    this.stack = new Int32Array(MAX_DEPTH * 8);
    this.used = 0;
  }

  /** @param {Float32Array} x @param {Float32Array} y */
  build(x, y) {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < x.length; i += 1) {
      left = Math.min(left, x[i]);
      right = Math.max(right, x[i]);
      top = Math.min(top, y[i]);
      bottom = Math.max(bottom, y[i]);
    }
    this.used = 0;
    this.#node(Math.max(right - left, bottom - top, 1));
    for (let i = 0; i < x.length; i += 1) this.#insert(i, x, y, left, top);
  }

  /**
   * Add the push of all other bodies to `force`.
   * @param {number} i
   * @param {Float32Array} x
   * @param {Float32Array} y
   * @param {number} strength
   * @param {{x: number, y: number}} force
   */
  push(i, x, y, strength, force) {
    const { stack } = this;
    let depth = 1;
    stack[0] = 0;
    while (depth > 0) {
      depth -= 1;
      const node = stack[depth];
      const mass = this.mass[node];
      if (mass === 0) continue;
      const dx = x[i] - this.sumX[node] / mass;
      const dy = y[i] - this.sumY[node] / mass;
      const square = dx * dx + dy * dy;
      const isLeaf = this.body[node] !== -1;
      if (isLeaf || this.width[node] * this.width[node] < OPENING * square) {
        if (this.body[node] === i) continue;
        const push = (strength * mass) / (square + 4);
        force.x += dx * push;
        force.y += dy * push;
        continue;
      }
      for (let quarter = 0; quarter < 4; quarter += 1) {
        const child = this.children[node * 4 + quarter];
        if (child > 0) stack[depth++] = child;
      }
    }
  }

  /** @param {number} width */
  #node(width) {
    const node = this.used;
    this.used += 1;
    this.children.fill(0, node * 4, node * 4 + 4);
    this.body[node] = -1;
    this.mass[node] = this.sumX[node] = this.sumY[node] = 0;
    this.width[node] = width;
    return node;
  }

  /** @param {number} i @param {Float32Array} x @param {Float32Array} y @param {number} left @param {number} top */
  #insert(i, x, y, left, top) {
    let node = 0;
    for (let depth = 0; ; depth += 1) {
      const isEmpty = this.mass[node] === 0;
      const settled = this.body[node];
      this.mass[node] += 1;
      this.sumX[node] += x[i];
      this.sumY[node] += y[i];
      if (isEmpty) {
        this.body[node] = i;
        return;
      }
      // Bodies in the same place share a leaf; so do those that arrive when all nodes are used.
      if (depth >= MAX_DEPTH || this.used + 2 >= this.body.length) return;
      const half = this.width[node] / 2;
      if (settled !== -1) {
        this.body[node] = -1;
        const child = this.#childAt(node, x[settled] - left, y[settled] - top, half);
        this.body[child] = settled;
        this.mass[child] = 1;
        this.sumX[child] = x[settled];
        this.sumY[child] = y[settled];
      }
      const child = this.#childAt(node, x[i] - left, y[i] - top, half);
      left += x[i] - left >= half ? half : 0;
      top += y[i] - top >= half ? half : 0;
      node = child;
    }
  }

  /** @param {number} node @param {number} dx @param {number} dy @param {number} half */
  #childAt(node, dx, dy, half) {
    const place = node * 4 + (dx >= half ? 1 : 0) + (dy >= half ? 2 : 0);
    if (this.children[place] === 0) this.children[place] = this.#node(half);
    return this.children[place];
  }
}

// -- The forces

const REPULSION = 46;
const SPRING = 0.055;
const LENGTH = 60;
const GRAVITY = 0.011;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const FASTEST = 40;
/** A layout that goes on from known places is nearly done: most of it must not jump. */
const WARM = 0.3;

/** @typedef {{x: Float32Array, y: Float32Array}} Places */

class Layout {
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
    const place = new Uint32Array(count);
    this.linked.forEach((node, at) => (place[node] = at));
    this.edges = edges.map((node) => place[node]);
    this.degree = Float32Array.from(this.linked, (node) => degree[node]);
    const circle = spiral(this.linked.length, 24);
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

  /** Write the places of all points with lines, in their order. @param {Places} places */
  write({ x, y }) {
    this.linked.forEach((node, at) => {
      x[node] = this.x[at];
      y[node] = this.y[at];
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

/** Points in a sunflower pattern. @param {number} count @param {number} space @returns {Places} */
function spiral(count, space) {
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  for (let i = 0; i < count; i += 1) {
    const distance = Math.sqrt(i) * space;
    x[i] = distance * Math.cos(i * GOLDEN);
    y[i] = distance * Math.sin(i * GOLDEN);
  }
  return { x, y };
}

// -- The worker
//
// Places travel in two pairs of arrays that are handed over, not copied: the page gives a pair back when it has drawn
// what came next. So no place waits that nobody draws, however slow the painting is.

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

/** Many bodies seen from afar are one: the tree behind forces in n log n (Barnes and Hut). */

const DEEPEST = 26;
const OPENING = 0.81;

export class Quadtree {
  /** @param {number} bodies */
  constructor(bodies) {
    const capacity = bodies * 8 + 64;
    this.children = new Int32Array(capacity * 4);
    this.body = new Int32Array(capacity);
    this.mass = new Float64Array(capacity);
    this.sumX = new Float64Array(capacity);
    this.sumY = new Float64Array(capacity);
    this.width = new Float64Array(capacity);
    this.stack = new Int32Array(DEEPEST * 8);
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
      if (depth >= DEEPEST || this.used + 2 >= this.body.length) return;
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

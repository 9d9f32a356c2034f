/** Documents, links and tags → the points and lines of a picture. Pure. */

/** @typedef {import("../types.js").GraphNode} GraphNode */

/**
 * A document, or a tag. `name` is what stands beside it.
 * @typedef {{path: string, name: string, degree: number, isTag: boolean, hue: number}} Point
 */

/**
 * `edges` has two numbers of points for each line. `hubs` has all points, those with most lines first.
 * @typedef {{points: Point[], edges: Uint32Array, near: number[][], hubs: number[], x: Float32Array, y: Float32Array,
 *   matched: Set<number>|null, pointed: number, middle: number}} Scene
 */

/** @returns {Scene} */
export function emptyScene() {
  return sceneOf([], new Uint32Array());
}

/**
 * @param {{nodes: GraphNode[], edges: [number, number][]}} graph
 * @param {{hues: ArrayLike<number>, hasTags: boolean, hasOrphans: boolean}} choice The colour of each document, and
 *   what is shown besides documents with links.
 * @returns {Scene}
 */
export function makeScene({ nodes, edges }, { hues, hasTags, hasOrphans }) {
  const points = nodes.map(({ path, title, degree }, at) => ({
    path,
    name: title || path,
    degree,
    isTag: false,
    hue: hues[at],
  }));
  const pairs = edges.flat();
  if (hasTags) addTags(nodes, points, pairs);
  const kept = [...points.keys()].filter((at) => hasOrphans || points[at].degree > 0);
  const place = new Map(kept.map((old, at) => [old, at]));
  return sceneOf(
    kept.map((at) => points[at]),
    Uint32Array.from(pairs, (old) => place.get(old) ?? 0),
  );
}

/** @param {GraphNode[]} nodes @param {Point[]} points @param {number[]} pairs */
function addTags(nodes, points, pairs) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  nodes.forEach(({ tags }, at) => {
    for (const tag of tags) {
      let number = numbers.get(tag);
      if (number === undefined) {
        number = points.push({ path: "", name: `#${tag}`, degree: 0, isTag: true, hue: 0 }) - 1;
        numbers.set(tag, number);
      }
      points[at].degree += 1;
      points[number].degree += 1;
      pairs.push(at, number);
    }
  });
}

/** @param {Point[]} points @param {Uint32Array} edges @returns {Scene} */
function sceneOf(points, edges) {
  /** @type {number[][]} */
  const near = points.map(() => []);
  for (let at = 0; at < edges.length; at += 2) {
    near[edges[at]].push(edges[at + 1]);
    near[edges[at + 1]].push(edges[at]);
  }
  return {
    points,
    edges,
    near,
    hubs: [...points.keys()].sort((a, b) => points[b].degree - points[a].degree),
    x: new Float32Array(),
    y: new Float32Array(),
    matched: null,
    pointed: -1,
    middle: -1,
  };
}

/** Where points lay that are in both scenes; NaN for those that are new. @param {Scene} scene @param {Scene} before */
export function placesBefore(scene, before) {
  const known = new Map(before.points.map((point, at) => [keyOf(point), at]));
  const [x, y] = [new Float32Array(scene.points.length), new Float32Array(scene.points.length)];
  scene.points.forEach((point, at) => {
    const old = known.get(keyOf(point));
    x[at] = old === undefined ? NaN : (before.x[old] ?? NaN);
    y[at] = old === undefined ? NaN : (before.y[old] ?? NaN);
  });
  return { x, y };
}

/** @param {Point} point */
const keyOf = ({ path, name, isTag }) => (isTag ? name : `/${path}`);

/** Documents, links and tags → the points and lines of a picture. Pure. */

/** @typedef {import("../types.js").GraphNode} GraphNode */

/**
 * A document, or a tag. `name` is what stands beside it.
 * @typedef {{path: string, name: string, degree: number, isTag: boolean, hue: number}} Point
 */

/**
 * `edges` has two numbers of points for each line. `hubs` has all points, those with most lines first. Places that are
 * not known yet are NaN. `aside` is where the block of those without lines begins, if there are any.
 * @typedef {{points: Point[], edges: Uint32Array, near: number[][], hubs: number[], x: Float32Array, y: Float32Array,
 *   aside: {x: number, y: number, count: number}|null, matched: Set<number>|null, pointed: number,
 *   middle: number}} Scene
 */

/** @returns {Scene} */
export function emptyScene() {
  return sceneOf([], new Uint32Array());
}

/**
 * @param {{nodes: GraphNode[], edges: [number, number][], spots?: ([number, number]|null)[]}} graph
 * @param {{hues: ArrayLike<number>, hasTags: boolean, hasOrphans: boolean}} choice The colour of each document, and
 *   what is shown besides documents with links.
 * @returns {Scene}
 */
export function makeScene({ nodes, edges, spots = [] }, { hues, hasTags, hasOrphans }) {
  const names = namesOf(nodes);
  const points = nodes.map(({ path, degree }, at) => ({
    path,
    name: names[at],
    degree,
    isTag: false,
    hue: hues[at],
  }));
  const pairs = edges.flat();
  if (hasTags) addTags(nodes, points, pairs);
  const kept = [...points.keys()].filter((at) => hasOrphans || points[at].degree > 0);
  const place = new Map(kept.map((old, at) => [old, at]));
  const scene = sceneOf(
    kept.map((at) => points[at]),
    Uint32Array.from(pairs, (old) => place.get(old) ?? 0),
  );
  kept.forEach((old, at) => ([scene.x[at], scene.y[at]] = spots[old] ?? [NaN, NaN]));
  return scene;
}

/**
 * Titles; of those that are equal, each with as many folders as tell it from the others.
 * @param {{path: string, title: string}[]} nodes
 */
export function namesOf(nodes) {
  const titles = nodes.map(({ path, title }) => title || path);
  /** @type {Map<string, number[]>} */
  const alike = new Map();
  titles.forEach((title, at) => alike.set(title, [...(alike.get(title) ?? []), at]));
  for (const [title, members] of alike) {
    if (members.length === 1) continue;
    const folders = members.map((at) => nodes[at].path.split("/").slice(0, -1));
    const most = Math.max(...folders.map(({ length }) => length), 1);
    let depth = 1;
    const ending = (/** @type {string[]} */ one) => one.slice(-depth).join("/");
    while (depth < most && new Set(folders.map(ending)).size < members.length) depth += 1;
    members.forEach((at, i) => (titles[at] = folders[i].length > 0 ? `${title} (${ending(folders[i])})` : title));
  }
  return titles;
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
    x: new Float32Array(points.length).fill(NaN),
    y: new Float32Array(points.length).fill(NaN),
    aside: null,
    matched: null,
    pointed: -1,
    middle: -1,
  };
}

// -- Where points lie

/** Take over where points lay in a scene before, as far as nobody has said where they lie. @param {Scene} scene
 * @param {Scene} before */
export function resume({ points, x, y }, before) {
  const known = new Map(before.points.map((point, at) => [keyOf(point), at]));
  points.forEach((point, at) => {
    const old = Number.isNaN(x[at]) ? known.get(keyOf(point)) : undefined;
    if (old !== undefined) [x[at], y[at]] = [before.x[old], before.y[old]];
  });
}

/** @param {Point} point */
const keyOf = ({ path, name, isTag }) => (isTag ? name : `/${path}`);

/** Whether some linked point has no place. @param {Scene} scene */
export const isUnsettled = ({ near, x }) => near.some(({ length }, at) => length > 0 && Number.isNaN(x[at]));

/** How far apart, within these bounds: a bit closer than those with lines lie to one another. */
const [CLOSE, WIDE] = [26, 90];

/**
 * Put points without lines into a block beside the others, where the picture has more room. They stand in the order of
 * their paths, so that folders are stripes of their colours.
 * @param {Scene} scene
 * @param {number} aspect How many times wider than high the picture is.
 */
export function putAside(scene, aspect) {
  const { near, x, y } = scene;
  const linked = [...x.keys()].filter((at) => near[at].length > 0);
  const alone = [...x.keys()].filter((at) => near[at].length === 0);
  scene.aside = null;
  if (alone.length === 0) return;
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const at of linked) {
    [left, right] = [Math.min(left, x[at]), Math.max(right, x[at])];
    [top, bottom] = [Math.min(top, y[at]), Math.max(bottom, y[at])];
  }
  const [width, height] = linked.length > 0 ? [right - left, bottom - top] : [0, 0];
  const space = Math.max(CLOSE, Math.min(WIDE, 0.7 * Math.sqrt((width * height) / Math.max(1, linked.length))));
  const isBeside = linked.length === 0 || aspect * height > width;
  // A block alone is as wide as the picture; beside others it is as long as they are, and not longer than it is thick.
  const square = Math.sqrt(alone.length);
  const rows = linked.length === 0 ? square / Math.sqrt(aspect) : Math.max(square, height / space);
  const wide = isBeside ? Math.ceil(alone.length / Math.ceil(rows)) : Math.ceil(Math.max(square, width / space));
  const high = Math.ceil(alone.length / wide);
  const gap = linked.length > 0 ? Math.max(60, 0.05 * Math.max(width, height)) : 0;
  const from = isBeside
    ? { x: (linked.length > 0 ? right : 0) + gap, y: (linked.length > 0 ? top + bottom : 0) / 2 - (high * space) / 2 }
    : { x: (left + right) / 2 - (wide * space) / 2, y: bottom + gap };
  alone.forEach((at, i) => {
    x[at] = from.x + (isBeside ? Math.floor(i / high) : i % wide) * space;
    y[at] = from.y + (isBeside ? i % high : Math.floor(i / wide)) * space;
  });
  scene.aside = { ...from, count: alone.length };
}

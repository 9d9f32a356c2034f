/** Documents of one folder have one colour. Pure. */

const MOST = 7;

/**
 * The folders that divide the documents best: those just below the common part of all paths.
 * @param {string[]} paths
 * @returns {{names: string[], of: number[]}} Names, the largest first, and which one each path is in; all small ones
 *   together are the last.
 */
export function groups(paths) {
  const folders = paths.map((path) => path.split("/").slice(0, -1));
  const shared = sharedDepth(folders);
  const names = folders.map((parts) => parts[shared] ?? "");
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const name of names) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  const sorted = [...sizes].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const largest = sorted.length > MOST + 1 ? sorted.slice(0, MOST) : sorted;
  const place = new Map(largest.map((name, at) => [name, at]));
  const others = largest.length < sorted.length ? ["others"] : [];
  return {
    names: [...largest.map((name) => (name === "" ? "top folder" : `${name}/`)), ...others],
    of: names.map((name) => place.get(name) ?? largest.length),
  };
}

/** How deep a folder is that has nearly all documents. @param {string[][]} folders */
function sharedDepth(folders) {
  let depth = 0;
  let inside = folders;
  for (;;) {
    /** @type {Map<string, string[][]>} */
    const below = new Map();
    for (const parts of inside)
      if (parts.length > depth) below.set(parts[depth], [...(below.get(parts[depth]) ?? []), parts]);
    const largest = [...below.values()].sort((a, b) => b.length - a.length)[0];
    if (!largest || largest.length < folders.length * 0.95 || largest.every((parts) => parts.length === depth + 1))
      return depth;
    inside = largest;
    depth += 1;
  }
}

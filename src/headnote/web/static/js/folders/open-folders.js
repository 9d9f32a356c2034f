/** Which folders are open, also after a reload. Each served folder has its own. */

import { currentStatus } from "../core/status-feed.js";
import { recall, remember } from "../shell/memory.js";

const MOST = 500;

/** @type {Set<string>|null} Null: nobody has opened or closed one yet. */
let open = null;
let root = "";

function load() {
  const now = currentStatus()?.root ?? root;
  if (open && now === root) return;
  root = now;
  const stored = recall(`folders ${root}`);
  open = stored === null ? null : new Set(stored.split("\n").filter(Boolean));
}

/** Whether this folder has never been looked at before. */
export function isUntouched() {
  load();
  return open === null;
}

/** @param {string} path */
export function isFolderOpen(path) {
  load();
  return open?.has(path) ?? false;
}

/** @param {Iterable<string>} paths @param {boolean} isOpen */
export function setOpen(paths, isOpen) {
  load();
  open ??= new Set();
  for (const path of paths) {
    if (isOpen) open.add(path);
    else open.delete(path);
  }
  // Those that were opened last count most.
  remember(`folders ${root}`, [...open].slice(-MOST).join("\n"));
}

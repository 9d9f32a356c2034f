/** All documents of the folder, fetched once for each state of the index. */

import { get } from "../core/api.js";
import { currentStatus } from "../core/status-feed.js";

/** @typedef {import("../types.js").Entry} Entry */

/** @type {{generation: number|null, entries: Promise<Entry[]>}|null} */
let latest = null;

/** @returns {Promise<Entry[]>} */
export function contents() {
  const generation = currentStatus()?.generation ?? null;
  if (latest && generation !== null && latest.generation === generation) return latest.entries;
  const entries = get("/api/documents").then((answer) => answer.documents);
  const asked = { generation, entries };
  latest = asked;
  entries.catch(() => {
    if (latest === asked) latest = null;
  });
  return entries;
}

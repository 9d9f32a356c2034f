/** The searches that led somewhere, the last one first. They stay in this browser; each served folder has its own. */

import { currentStatus } from "../core/status-feed.js";
import { recall, remember } from "../shell/memory.js";

const MOST = 8;

const name = () => `recent-searches ${currentStatus()?.root ?? ""}`;

/** @returns {string[]} */
export function recentSearches() {
  try {
    const stored = JSON.parse(recall(name()) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** @param {string} query */
export function rememberSearch(query) {
  const text = query.trim();
  if (!text) return;
  const others = recentSearches().filter((one) => one.toLowerCase() !== text.toLowerCase());
  remember(name(), JSON.stringify([text, ...others].slice(0, MOST)));
}

export function forgetSearches() {
  remember(name(), null);
}

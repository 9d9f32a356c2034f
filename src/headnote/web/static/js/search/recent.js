/** The searches that led somewhere, the last one first. They stay in this browser. */

import { recall, remember } from "../shell/memory.js";

const NAME = "recent-searches";
const MOST = 8;

/** @returns {string[]} */
export function recentSearches() {
  try {
    const stored = JSON.parse(recall(NAME) ?? "[]");
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
  remember(NAME, JSON.stringify([text, ...others].slice(0, MOST)));
}

export function forgetSearches() {
  remember(NAME, null);
}

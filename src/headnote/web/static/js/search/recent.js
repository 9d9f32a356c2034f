/** The searches that led somewhere, the last one first. They stay in this browser; each served folder has its own. */

import { h } from "../core/dom.js";
import { hrefOf } from "../core/routes.js";
import { currentStatus } from "../core/status-feed.js";
import { recall, remember } from "../shell/preferences.js";

const MAX_ENTRIES = 8;

const name = () => `recent-searches ${currentStatus()?.root ?? ""}`;

/** @returns {string[]} */
export function recentSearches() {
  try {
    const stored = JSON.parse(recall(name()) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string").slice(0, MAX_ENTRIES) : [];
  } catch {
    return [];
  }
}

/** @param {string} query */
export function rememberSearch(query) {
  const text = query.trim();
  if (!text) return;
  const others = recentSearches().filter((one) => one.toLowerCase() !== text.toLowerCase());
  remember(name(), JSON.stringify([text, ...others].slice(0, MAX_ENTRIES)));
}

export function forgetSearches() {
  remember(name(), null);
}

/**
 * @param {string[]} searches @param {() => void} forget
 * @returns {HTMLElement|false} Links to recent searches; false if there are none.
 */
export function recentList(searches, forget) {
  if (searches.length === 0) return false;
  return h(
    "div",
    { class: "recent" },
    h("h3", { id: "recent-h" }, "Recent searches"),
    h(
      "ul",
      { "aria-labelledby": "recent-h" },
      searches.map((q) => h("li", null, h("a", { class: "chip break", href: hrefOf("search", { q }) }, q))),
    ),
    h("button", { type: "button", class: "button quiet small", onclick: forget }, "Clear"),
  );
}

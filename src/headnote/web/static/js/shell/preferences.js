/** A few choices that outlive the page. Where storage is forbidden, they last as long as the page. */

import { h, nameWithKey, refill } from "../core/dom.js";
import { currentStatus } from "../core/status-feed.js";
import { language, t } from "../core/texts.js";

/** @type {Map<string, string>} */
const fallback = new Map();

/** @param {string} name @returns {string|null} */
export function recall(name) {
  try {
    return localStorage.getItem(`headnote-${name}`);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** @param {string} name @param {string|null} value Null forgets it. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`headnote-${name}`);
    else localStorage.setItem(`headnote-${name}`, value);
  } catch {
    if (value === null) fallback.delete(name);
    else fallback.set(name, value);
  }
}

// -- Light or dark: as the system prefers, until the reader chooses

const system = matchMedia("(prefers-color-scheme: dark)");

export function startTheme() {
  const button = /** @type {HTMLButtonElement} */ (document.getElementById("theme-toggle"));
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    // A choice equal to that of the system is not stored, so the page keeps following the system.
    remember("theme", (next === "dark") === system.matches ? null : next);
    show(next, button);
  });
  system.addEventListener("change", () => {
    if (recall("theme") === null) show(system.matches ? "dark" : "light", button);
  });
  show(isDark() ? "dark" : "light", button);
}

const isDark = () => document.documentElement.dataset.theme === "dark";

/** @param {"light"|"dark"} theme @param {HTMLButtonElement} button */
function show(theme, button) {
  document.documentElement.dataset.theme = theme;
  nameWithKey(button, t(theme === "dark" ? "theme.light" : "theme.dark"), "t");
  document.dispatchEvent(new CustomEvent("themechange"));
}

// -- The language: what the browser asks for, until the reader chooses

/** The languages that there are, by their codes, each with its own name. @type {[string, string][]} */
export const LANGUAGES = (document.documentElement.dataset.languages ?? "")
  .split(" ")
  .map((code) => [code, new Intl.DisplayNames(code, { type: "language" }).of(code) ?? code]);

/** Its texts are taken when modules are loaded, so the page is loaded anew. @param {string} code */
export function chooseLanguage(code) {
  remember("language", code);
  location.reload();
}

export function startLanguages() {
  const select = /** @type {HTMLSelectElement} */ (document.getElementById("language"));
  const options = LANGUAGES.map(([code, name]) => h("option", { value: code, lang: code }, name));
  refill(select, options);
  select.value = language;
  select.addEventListener("change", () => chooseLanguage(select.value));
}

// -- The searches that led somewhere, the last one first. They stay in this browser; each served folder has its own.

const MAX_SEARCHES = 8;

const searches = () => `recent-searches ${currentStatus()?.root ?? ""}`;

/** @returns {string[]} */
export function recentSearches() {
  try {
    const stored = JSON.parse(recall(searches()) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string").slice(0, MAX_SEARCHES) : [];
  } catch {
    return [];
  }
}

/** @param {string} query */
export function rememberSearch(query) {
  const text = query.trim();
  if (!text) return;
  const others = recentSearches().filter((one) => one.toLowerCase() !== text.toLowerCase());
  remember(searches(), JSON.stringify([text, ...others].slice(0, MAX_SEARCHES)));
}

export function forgetSearches() {
  remember(searches(), null);
}

/** What the palette can do besides finding: go to a view, switch the theme, copy the address, … */

import { copy } from "../core/clipboard.js";
import { forgetSearches, recentSearches } from "../search/recent.js";
import { openKeysDialog } from "../shell/keys-dialog.js";

/** @typedef {{title: string, words: string, hint?: string, run: () => void}} Command */

/** @param {{go: (view: string) => void}} actions @returns {Command[]} */
export function commands({ go }) {
  const isDark = document.documentElement.dataset.theme === "dark";
  const list = [
    { title: "Search", words: "find go", hint: "1", run: () => go("search") },
    { title: "Documents", words: "files folders tree list go", hint: "2", run: () => go("document") },
    { title: "Playground", words: "chunks settings try go", hint: "3", run: () => go("playground") },
    { title: "Graph", words: "links map go", hint: "4", run: () => go("graph") },
    { title: "Ask", words: "question answer go", hint: "5", run: () => go("ask") },
    { title: "Status", words: "index state go", hint: "6", run: () => go("status") },
    {
      title: isDark ? "Use the light theme" : "Use the dark theme",
      words: "switch mode colours colors",
      hint: "t",
      run: () => document.getElementById("theme-toggle")?.click(),
    },
    {
      title: "Copy a link to this page",
      words: "address url share",
      run: () => void copy(location.href, "The link is copied"),
    },
    { title: "Reload the page", words: "refresh", run: () => location.reload() },
    { title: "Show all keys", words: "keyboard shortcuts help", hint: "?", run: openKeysDialog },
  ];
  if (recentSearches().length > 0)
    list.push({ title: "Clear recent searches", words: "forget history", run: forgetSearches });
  return list;
}

/** Commands in which each word of the query begins some word. @param {Command[]} all @param {string} query */
export function matching(all, query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ title, words }) => {
    const own = `${title} ${words}`.toLowerCase().split(" ");
    return wanted.every((word) => own.some((one) => one.startsWith(word)));
  });
}

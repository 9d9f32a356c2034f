/** Keys that work everywhere: the way to each view, the theme, the list of keys. */

import { openKeysDialog } from "./keys-dialog.js";
import { EVERYWHERE, isTyping, registerKeys } from "./keys.js";

/** @type {[string, string, string][]} Digit, keys one after the other, view. */
const VIEWS = [
  ["1", "g s", "search"],
  ["2", "g d", "document"],
  ["3", "g p", "playground"],
  ["4", "g r", "graph"],
  ["5", "g a", "ask"],
  ["6", "g i", "status"],
];

/** @param {{go: (view: string) => void, leaveField: () => void}} actions */
export function startViewKeys({ go, leaveField }) {
  document.getElementById("keys-open")?.addEventListener("click", openKeysDialog);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && isTyping(event.target)) leaveField();
  });
  registerKeys(EVERYWHERE, [
    { press: ["/"], meaning: "search", act: () => go("search") },
    {
      press: VIEWS.map(([digit]) => digit),
      shown: ["1", "…", "6"],
      meaning: "search, documents, playground, graph, ask, status",
      act: (press) => go(VIEWS.find(([digit]) => digit === press)?.[2] ?? "search"),
    },
    {
      press: VIEWS.map(([, letters]) => letters),
      shown: ["g s"],
      meaning: "search; also g d, g p, g r (graph), g a, g i (index status)",
      act: (press) => go(VIEWS.find(([, letters]) => letters === press)?.[2] ?? "search"),
    },
    {
      press: ["t"],
      meaning: "switch between light and dark",
      act: () => document.getElementById("theme-toggle")?.click(),
    },
    { press: ["?"], meaning: "this list", act: openKeysDialog },
    { press: ["Escape"], meaning: "close, or leave a field" },
  ]);
}

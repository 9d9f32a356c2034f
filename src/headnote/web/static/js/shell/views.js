/**
 * What is loaded when it is first shown, or when the page has nothing else to do: the views and the palette. No module
 * that the page begins with may import them.
 */

import { loaded } from "../core/connection.js";
import { t } from "../core/texts.js";
import { EVERYWHERE, MOD, registerKeys } from "./keys.js";

// -- The views, each made once

/**
 * @typedef {{element: HTMLElement, show: (query: URLSearchParams) => void, title: (query: URLSearchParams) => string,
 *   focus?: (isFirst?: boolean) => void, hide?: () => void, drawLine?: (line: number) => boolean}} View
 */

/** @type {Record<string, () => Promise<() => View>>} */
const MODULES = {
  search: () => import("../search/search-view.js").then((module) => module.createSearchView),
  document: () => import("../document/document-view.js").then((module) => module.createDocumentView),
  playground: () => import("../playground/playground-view.js").then((module) => module.createPlaygroundView),
  graph: () => import("../graph/graph-view.js").then((module) => module.createGraphView),
  ask: () => import("../ask/ask-view.js").then((module) => module.createAskView),
  status: () => import("../status/status-view.js").then((module) => module.createStatusView),
};

/** @type {Map<string, Promise<View>>} */
const made = new Map();

/** @param {string} name */
export const isView = (name) => Object.hasOwn(MODULES, name);

/** @param {string} name @returns {Promise<View>} Once its modules are loaded: when the server is back, if it is not. */
export function viewOf(name) {
  const known = made.get(name);
  if (known) return known;
  const making = loaded(MODULES[name]).then((create) => create());
  made.set(name, making);
  // What failed may succeed the next time it is asked for.
  making.catch(() => made.delete(name));
  return making;
}

/** Load what was not shown yet, so that it can be shown even while the server does not answer. */
export function loadOthers() {
  const load = () => Object.values(MODULES).forEach((one) => void one().catch(() => {}));
  if ("requestIdleCallback" in window) window.requestIdleCallback(load, { timeout: 5000 });
  else setTimeout(load, 1000);
}

// -- Ctrl-K or ⌘-K

/** @param {{go: (view: string) => void}} actions @returns {() => void} Makes it ready before somebody opens it. */
export function startPalette(actions) {
  /** @type {Promise<import("../palette/palette.js").Palette>|null} */
  let loading = null;
  const load = () => {
    loading ??= loaded(() => import("../palette/palette.js")).then((module) => new module.Palette(actions));
    // What failed may succeed the next time.
    loading.catch(() => (loading = null));
    return loading;
  };
  const open = async () => {
    const typed = keepKeys();
    try {
      (await load()).open(typed());
    } finally {
      typed();
    }
  };
  registerKeys(EVERYWHERE, [{ press: ["Mod+k"], meaning: t("keys.palette"), act: () => void open() }]);
  const field = document.getElementById("palette-open");
  field?.addEventListener("click", () => void open());
  /** @type {HTMLElement} */ (field?.querySelector("kbd")).textContent = `${MOD} K`;
  const prepare = () => void load().then((palette) => palette.prepare(), () => {});
  return () => "requestIdleCallback" in window && void window.requestIdleCallback(prepare, { timeout: 5000 });
}

/** Keep what is typed until the palette is there. @returns {() => string} Ends that, and tells what was typed. */
function keepKeys() {
  let text = "";
  const keep = (/** @type {KeyboardEvent} */ event) => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    text += event.key;
  };
  window.addEventListener("keydown", keep, { capture: true });
  return () => {
    window.removeEventListener("keydown", keep, { capture: true });
    return text;
  };
}

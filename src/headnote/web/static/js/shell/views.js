/** The views, each made once. Their modules are loaded when first shown, or when the page has nothing else to do. */

import { loaded } from "../core/loading.js";

/**
 * @typedef {{element: HTMLElement, show: (query: URLSearchParams) => void, title: (query: URLSearchParams) => string,
 *   focus?: (isFirst?: boolean) => void, hide?: () => void, drawLine?: (line: number) => boolean}} View
 */

/** @type {Record<string, () => Promise<() => View>>} */
const MODULES = {
  search: () => import("../search/view.js").then((module) => module.createSearchView),
  document: () => import("../document/view.js").then((module) => module.createDocumentView),
  playground: () => import("../playground/view.js").then((module) => module.createPlaygroundView),
  graph: () => import("../graph/view.js").then((module) => module.createGraphView),
  ask: () => import("../ask/view.js").then((module) => module.createAskView),
  status: () => import("../status/view.js").then((module) => module.createStatusView),
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

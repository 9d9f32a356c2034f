/** The page: a view for each address. A view keeps its state while another one is shown. */

import { refill, h } from "./core/dom.js";
import { parseRoute } from "./core/routes.js";
import { startStatusFeed } from "./core/status-feed.js";
import { setPlace, startKeys } from "./shell/keys.js";
import { startStateChip } from "./shell/state-chip.js";
import { startTheme } from "./shell/theme.js";
import { startViewKeys } from "./shell/view-keys.js";

/**
 * @typedef {{element: HTMLElement, show: (query: URLSearchParams) => void, title: (query: URLSearchParams) => string,
 *   focus?: (isFirst?: boolean) => void, hide?: () => void}} View
 */

/** @type {Record<string, () => Promise<View>>} Loaded when first shown: search does not wait for the graph. */
const MAKERS = {
  search: () => import("./search/view.js").then((module) => module.createSearchView()),
  document: () => import("./document/view.js").then((module) => module.createDocumentView()),
  playground: () => import("./playground/view.js").then((module) => module.createPlaygroundView()),
  graph: () => import("./graph/view.js").then((module) => module.createGraphView()),
  ask: () => import("./ask/view.js").then((module) => module.createAskView()),
  status: () => import("./status/view.js").then((module) => module.createStatusView()),
};

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** @type {Map<string, View>} */
const views = new Map();
/** @type {Map<string, {hash: string, scroll: number}>} Where each view was left. */
const left = new Map();
/** @type {string} */
let current = "";
let wantsFocus = false;
let hashBefore = location.hash;

async function route() {
  const route = parseRoute(location.hash);
  if (!route) return;
  const { query } = route;
  const name = route.view in MAKERS ? route.view : "search";
  if (current && current !== name) leave(current);
  const fromOther = current !== name;
  current = name;
  mark(name);
  setPlace(name);
  const view = await viewOf(name);
  if (current !== name) return;
  for (const other of views.values()) other.element.hidden = other !== view;
  view.show(query);
  document.title = `${view.title(query)} – headnote`;
  if (fromOther) arrive(name, view);
  wantsFocus = false;
}

/** @param {string} name */
async function viewOf(name) {
  let view = views.get(name);
  if (!view) {
    view = await MAKERS[name]();
    const known = views.get(name);
    if (known) return known;
    views.set(name, view);
    main.append(view.element);
  }
  return view;
}

/** @param {string} name */
function leave(name) {
  left.set(name, { hash: hashBefore, scroll: window.scrollY });
  views.get(name)?.hide?.();
}

/** @param {string} name @param {View} view */
function arrive(name, view) {
  const before = left.get(name);
  if (name !== "document") window.scrollTo(0, before ? before.scroll : 0);
  if (wantsFocus && view.focus) view.focus(left.size === 0);
  else if (left.size > 0 && !view.element.contains(document.activeElement)) {
    /** @type {HTMLElement|null} */ (view.element.querySelector("h1"))?.focus({ preventScroll: true });
  }
}

/** @param {string} name */
function mark(name) {
  for (const link of document.querySelectorAll(".views a")) {
    const isCurrent = /** @type {HTMLElement} */ (link).dataset.view === name;
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Back to a view as it was left, its address included. @param {string} name */
function go(name) {
  wantsFocus = true;
  if (current === name) views.get(name)?.focus?.();
  else location.hash = left.get(name)?.hash || `#/${name}`;
}

window.addEventListener("hashchange", (event) => {
  hashBefore = new URL(event.oldURL).hash;
  void route();
});
document.getElementById("skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
for (const link of document.querySelectorAll(".views a")) {
  link.addEventListener("click", (event) => {
    const click = /** @type {MouseEvent} */ (event);
    if (click.ctrlKey || click.metaKey || click.shiftKey) return;
    event.preventDefault();
    const name = /** @type {HTMLElement} */ (link).dataset.view ?? "search";
    // From a document, the key for documents leads to their list.
    if (name === current && name === "document") location.hash = "#/document";
    else go(name);
  });
}

refill(main, h("noscript"));
startTheme();
startStateChip();
startKeys();
startViewKeys({
  go,
  leaveField: () => views.get(current)?.element.querySelector("h1")?.focus({ preventScroll: true }),
});
void startStatusFeed();
wantsFocus = true;
void route();

/** The page: a view for each address. A view keeps its state while another one is shown. */

import { quiet } from "./core/api.js";
import { startConnectionNote } from "./core/connection.js";
import { entitle, h, refill } from "./core/dom.js";
import { startStateChip } from "./core/progress.js";
import { arrivedAt, parseRoute, returnTo, startReturning } from "./core/routes.js";
import { onStatus, startStatusFeed } from "./core/status-feed.js";
import { t, tellPage } from "./core/texts.js";
import { heading, startFocusKeeper } from "./shell/focus.js";
import { setPlace, startKeys, startViewKeys } from "./shell/keys.js";
import { startLanguages, startTheme } from "./shell/preferences.js";
import { isView, loadOthers, startPalette, viewOf } from "./shell/views.js";

/** @typedef {import("./shell/views.js").View} View */

/** Milliseconds after which a view that is still loaded says so. */
const PATIENCE = 300;

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
/** Where a field that has the focus brings up a keyboard over half of the screen. */
const touch = matchMedia("(pointer: coarse)");
const waiting = h("section", { class: "view view-narrow", hidden: true });
/** @type {Map<string, View>} Those that were shown. */
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
  const name = route.view;
  if (current && current !== name) leave(current);
  const fromOther = current !== name;
  const isFirst = !current;
  current = name;
  mark(name);
  setPlace(name);
  const place = arrivedAt();
  if (!isView(name)) {
    wait(t("view.none"), noSuchView(name));
    entitle(t("view.none"));
    return;
  }
  const view = await load(name);
  if (current !== name || !view) return;
  show(view.element);
  view.show(query);
  entitle(view.title(query));
  if (fromOther) arrive(name, view);
  if (place && !isFirst) returnTo(view, place);
  wantsFocus = false;
}

/** A view as soon as it can be shown; until then its name, and null if it cannot be loaded. @param {string} name */
async function load(name) {
  const late = setTimeout(() => current === name && wait(name), PATIENCE);
  try {
    const view = await viewOf(name);
    if (!views.has(name)) main.append(view.element);
    views.set(name, view);
    return view;
  } catch {
    if (current === name) wait(name, cannotOpen());
    return null;
  } finally {
    clearTimeout(late);
  }
}

/** @param {string} name @param {HTMLElement} [notice] */
function wait(name, notice) {
  const title = document.querySelector(`.views a[data-view="${name}"]`)?.textContent?.trim() ?? name;
  const word = notice ?? h("p", { class: "soft waiting" }, t("view.opening"));
  refill(waiting, h("div", { class: "view-head" }, h("h1", { tabindex: "-1" }, title)), word);
  show(waiting);
}

/** @param {string} name */
function noSuchView(name) {
  const search = h("a", { class: "button", href: "#/search" }, t("view.search"));
  return h("div", { class: "notice" }, h("p", { class: "break" }, t("view.unknown", { name })), search);
}

function cannotOpen() {
  const reload = h("button", { type: "button", class: "button", onclick: () => location.reload() }, t("button.reload"));
  return h("div", { class: "notice" }, h("p", null, t("view.failed")), reload);
}

/** @param {HTMLElement} element */
function show(element) {
  for (const other of main.children) /** @type {HTMLElement} */ (other).hidden = other !== element;
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
  if (wantsFocus && view.focus && !touch.matches) view.focus(left.size === 0);
  else if (left.size > 0 && !view.element.contains(document.activeElement)) {
    heading()?.focus({ preventScroll: true });
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

tellPage();
refill(main, waiting);
startTheme();
startLanguages();
startStateChip();
startReturning();
startConnectionNote();
startKeys();
startViewKeys({ go, leaveField: () => heading()?.focus({ preventScroll: true }) });
startFocusKeeper();
const preparePalette = startPalette({ go });
void startStatusFeed();
wantsFocus = true;
// The rest does not compete with what is looked at first.
void Promise.all([route(), new Promise((known) => onStatus(known))])
  .then(quiet)
  .then(() => {
    loadOthers();
    preparePalette();
  });

/** Views have addresses behind the hash: `#/search?q=pump`, `#/document?path=a.md&line=12`. */

/** @typedef {import("../shell/views.js").View} View */
/** @typedef {{view: string, query: URLSearchParams}} Route */

/** @param {string} hash @returns {Route|null} Null for a hash that is no view, such as that of the skip link. */
export function parseRoute(hash) {
  if (hash === "" || hash === "#") return { view: "search", query: new URLSearchParams() };
  const match = /^#\/([^?]*)(?:\?(.*))?$/.exec(hash);
  return match && { view: match[1] || "search", query: new URLSearchParams(match[2] ?? "") };
}

/** @param {string} view @param {Record<string, string|number|string[]|null|undefined>} [query] */
export function hrefOf(view, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null && one !== undefined && one !== "") parameters.append(name, String(one));
  }
  const search = parameters.toString();
  return search ? `#/${view}?${search}` : `#/${view}`;
}

/**
 * The address of a passage, with the words to mark in its document.
 * @param {{path: string, start_line: number, end_line: number}} place @param {string} [q]
 */
export function hrefOfPlace({ path, start_line, end_line }, q = "") {
  return hrefOf("document", { path, line: start_line, end: end_line > start_line ? end_line : null, q });
}

/** Change the address without a step in the history. @param {string} href */
export function rewrite(href) {
  if (location.hash !== href) history.replaceState(history.state, "", href);
}

// -- Where a reader was at each entry of the history, so that Back leads there: how far down, and at which link. What
// is shown there may have to be fetched first.

/**
 * The link is one of those with the same address in the block of a document that begins at the line; in the view, where
 * there is no such block.
 * @typedef {{scroll: number, href: string, at: number, line: number}} Place
 */

const STORED = "headnote-places";
const MAX_ENTRIES = 60;
/** Milliseconds after which nobody expects to be led back: until then, a busy server may still answer. */
const PATIENCE = 60_000;

/** @type {Map<string, Place>} By the entry of the history. */
const places = new Map(read());
/** @type {AbortController|null} */
let waiting = null;

/** Remember the links that are followed. */
export function startReturning() {
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target instanceof Element ? event.target.closest('main a[href^="#/"]') : null;
      const entry = history.state?.entry;
      if (!link || !entry) return;
      places.delete(entry);
      places.set(entry, placeOf(link));
      if (places.size > MAX_ENTRIES) places.delete([...places.keys()][0]);
      write();
    },
    true,
  );
}

/** @param {Element} link @returns {Place} */
function placeOf(link) {
  const view = link.closest("main > *") ?? document.body;
  const href = link.getAttribute("href") ?? "";
  const line = Number(link.closest("article [data-start-line]")?.getAttribute("data-start-line") ?? 0);
  return { scroll: window.scrollY, href, at: linksTo(view, { href, line }).indexOf(link), line };
}

/** The place that was left here; null at an entry that is new. @returns {Place|null} */
export function arrivedAt() {
  waiting?.abort();
  const known = history.state?.entry;
  if (known) return places.get(known) ?? null;
  const entry = `${Date.now().toString(36)}-${history.length}`;
  history.replaceState({ ...history.state, entry }, "");
  return null;
}

/** Lead back to a place, as soon as it is drawn. @param {View} view @param {Place} place */
export function returnTo(view, place) {
  let isAsked = false;
  const tryIt = () => {
    // What is far down in a document is drawn only when it is asked for.
    isAsked ||= !place.line || !view.drawLine || view.drawLine(place.line);
    window.scrollTo(0, place.scroll);
    return focusLink(view.element, place);
  };
  if (tryIt()) return;
  waiting?.abort();
  const own = new AbortController();
  waiting = own;
  const observer = new MutationObserver(() => tryIt() && own.abort());
  own.signal.addEventListener("abort", () => observer.disconnect());
  observer.observe(view.element, { childList: true, subtree: true });
  // Whoever does something meanwhile is somewhere else.
  for (const kind of ["pointerdown", "keydown", "wheel"])
    window.addEventListener(kind, () => own.abort(), { signal: own.signal, passive: true });
  setTimeout(() => own.abort(), PATIENCE);
}

/** @param {HTMLElement} view @param {Place} place */
function focusLink(view, place) {
  const link = linksTo(view, place)[place.at];
  if (!(link instanceof HTMLElement) || !link.checkVisibility()) return false;
  link.focus({ preventScroll: true });
  const { top, bottom } = link.getBoundingClientRect();
  if (bottom < 0 || top > window.innerHeight) link.scrollIntoView({ block: "center" });
  return true;
}

/** @param {Element} view @param {{href: string, line: number}} place */
function linksTo(view, { href, line }) {
  const box = line ? view.querySelector(`article [data-start-line="${line}"]`) : view;
  return [...(box?.querySelectorAll("a[href]") ?? [])].filter((link) => link.getAttribute("href") === href);
}

/** @returns {[string, Place][]} */
function read() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]");
  } catch {
    return [];
  }
}

function write() {
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...places]));
  } catch {
    // Where storage is forbidden, places last as long as the page.
  }
}

/**
 * Where a reader was at each entry of the history, so that Back leads there: how far down, and at which link. What is
 * shown there may have to be fetched first.
 */

/** @typedef {{scroll: number, href: string, at: number}} Place The link is one of those with the same address. */

const STORED = "headnote-places";
const MOST = 60;
const PATIENCE = 5000;

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
      const href = link.getAttribute("href") ?? "";
      const view = link.closest("main > *") ?? document.body;
      places.set(entry, { scroll: window.scrollY, href, at: linksTo(view, href).indexOf(link) });
      if (places.size > MOST) places.delete([...places.keys()][0]);
      write();
    },
    true,
  );
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

/** Lead back to a place, as soon as it is drawn. @param {HTMLElement} view @param {Place} place */
export function returnTo(view, place) {
  window.scrollTo(0, place.scroll);
  if (focusLink(view, place)) return;
  waiting?.abort();
  const own = new AbortController();
  waiting = own;
  const observer = new MutationObserver(() => {
    window.scrollTo(0, place.scroll);
    if (focusLink(view, place)) own.abort();
  });
  own.signal.addEventListener("abort", () => observer.disconnect());
  observer.observe(view, { childList: true, subtree: true });
  // Whoever does something meanwhile is somewhere else.
  for (const kind of ["pointerdown", "keydown", "wheel"])
    window.addEventListener(kind, () => own.abort(), { signal: own.signal, passive: true });
  setTimeout(() => own.abort(), PATIENCE);
}

/** @param {HTMLElement} view @param {Place} place */
function focusLink(view, { href, at }) {
  const link = linksTo(view, href)[at];
  if (!(link instanceof HTMLElement) || !link.checkVisibility()) return false;
  link.focus({ preventScroll: true });
  const { top, bottom } = link.getBoundingClientRect();
  if (bottom < 0 || top > window.innerHeight) link.scrollIntoView({ block: "center" });
  return true;
}

/** @param {Element} view @param {string} href */
function linksTo(view, href) {
  return [...view.querySelectorAll("a[href]")].filter((link) => link.getAttribute("href") === href);
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

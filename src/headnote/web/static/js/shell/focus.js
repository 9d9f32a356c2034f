/**
 * Focus never falls to the body. When the element that has it is removed, hidden or disabled, by a new answer, another
 * view or a closed dialog, focus goes to what stands in its place, or to the heading of the view.
 */

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
const NAMES = ["id", "href", "name", "aria-label", "data-key"];

/** @type {HTMLElement|null} */
let last = null;
/** Those around the last element, nearest first: it knows them no longer once it is removed. @type {Element[]} */
let around = [];
/** Its place among what can have the focus, in each of them. @type {number[]} */
let places = [];

export function startFocusKeeper() {
  document.addEventListener("focusin", (event) => note(/** @type {HTMLElement} */ (event.target)));
  // Whoever clicks beside everything wants no focus.
  document.addEventListener("pointerdown", () => (last = null), { capture: true });
  new MutationObserver(() => requestAnimationFrame(mend)).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ["hidden", "disabled", "open"],
  });
}

/** @param {HTMLElement} element */
function note(element) {
  last = element;
  around = [];
  for (let above = element.parentElement; above && above !== document.body; above = above.parentElement)
    around.push(above);
  places = around.map((above) => [...above.querySelectorAll(FOCUSABLE)].indexOf(element));
}

function mend() {
  if (!last || document.activeElement !== document.body || canHaveFocus(last)) return;
  const lost = last;
  const at = around.findIndex((above) => above.isConnected && isShown(above));
  const box = around[at];
  // The whole of a view is no place: there, the heading says best where one is.
  const isNear = box && !box.matches("main, .view, body > *");
  const next = box && (same(box, lost) ?? (isNear ? placed(box, places[at]) : null));
  (next ?? heading())?.focus({ preventScroll: true });
}

/** What stands for an element after its surroundings were drawn anew. @param {Element} box @param {Element} lost */
function same(box, lost) {
  const candidates = /** @type {HTMLElement[]} */ ([...box.querySelectorAll(lost.tagName)]).filter(canHaveFocus);
  const name = NAMES.find((one) => lost.hasAttribute(one));
  if (name) return candidates.find((one) => one.getAttribute(name) === lost.getAttribute(name));
  return candidates.find((one) => one.className === lost.className && one.textContent === lost.textContent);
}

/** @param {Element} box @param {number} place */
function placed(box, place) {
  const all = /** @type {HTMLElement[]} */ ([...box.querySelectorAll(FOCUSABLE)]).filter(canHaveFocus);
  return all[Math.min(place, all.length - 1)];
}

/** The heading of the view that is shown. @returns {HTMLElement|null} */
export function heading() {
  const headings = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("main h1[tabindex]"));
  return [...headings].find(isShown) ?? document.getElementById("main");
}

/** @param {HTMLElement} element */
const canHaveFocus = (element) => element.isConnected && isShown(element) && !element.matches(":disabled");

/** @param {Element} element */
const isShown = (element) => element.checkVisibility({ visibilityProperty: true });

/** What formulas, diagrams and code have in common: when they are drawn, how they scroll, and why one is not drawn. */

import { h } from "../core/dom.js";
import { t } from "../core/texts.js";

// -- Work on what comes near the window, and on nothing else

const REACH = "800px 0px";

/** @type {WeakMap<Element, () => void>} */
const waiting = new WeakMap();

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const work = isIntersecting && waiting.get(target);
      if (!work) continue;
      observer.unobserve(target);
      waiting.delete(target);
      work();
    }
  },
  { rootMargin: REACH },
);

/**
 * Do something once an element is near the window. What is folded away waits until it is opened.
 * @param {Element} element @param {() => void} work
 */
export function whenNear(element, work) {
  waiting.set(element, work);
  // A target that is observed already would not be reported again.
  observer.unobserve(element);
  observer.observe(element);
}

// -- What is wider than its place scrolls sideways, also by keyboard

/** What may change its size → the place that scrolls. @type {WeakMap<Element, Element>} */
const places = new WeakMap();

const sizes = new ResizeObserver((changed) => {
  for (const { target } of changed) {
    const place = places.get(target);
    if (place && place.scrollWidth > place.clientWidth && place.clientWidth > 0) place.setAttribute("tabindex", "0");
  }
});

/**
 * Sizes are watched, since a place may become narrower, and its content wider: letters and pictures come late.
 * @param {Element} place @param {Iterable<Element>} [content]
 */
export function scrollByKeyboard(place, content = []) {
  for (const element of [place, ...content]) {
    places.set(element, place);
    sizes.observe(element);
  }
}

// -- Why something is shown as it is written

const MAX_REASON_CHARS = 160;

/** @param {"formula"|"diagram"} what @param {unknown} error */
export function undrawn(what, error) {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/\s+/g, " ").trim();
  const reason = line.length > MAX_REASON_CHARS ? `${line.slice(0, MAX_REASON_CHARS)}…` : line;
  return h("span", { class: "undrawn" }, t(`undrawn.${what}`, { reason }));
}

/** What is wider than its place scrolls sideways, also by keyboard. */

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

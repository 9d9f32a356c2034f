/** Work on what comes near the window, and on nothing else. */

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

/** Elements without markup: whatever comes from a document, a file name or a query is a text node. */

/** @typedef {Node|string|number|null|undefined|false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. `class`, `on…` listeners and `data` are understood; `true` sets an empty attribute, `false`, null and
 * undefined leave it out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>|null} [attributes]
 * @param {...(Child|Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes ?? {}, children);
  return element;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...(Child|Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/** @param {Element} element @param {Record<string, any>} attributes @param {(Child|Child[])[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "data") Object.assign(/** @type {HTMLElement} */ (element).dataset, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Replace the children of an element.
 * @param {Element} element
 * @param {...(Child|Child[])} children
 */
export function refill(element, ...children) {
  element.replaceChildren();
  fill(element, {}, children);
}

let numbers = 0;

/** An id no other element has. @param {string} stem */
export function freshId(stem) {
  numbers += 1;
  return `${stem}-${numbers}`;
}

/** `A > B > C` as elements. @param {string} breadcrumb */
export function crumbs(breadcrumb) {
  const parts = breadcrumb.split(" > ");
  const nodes = parts.flatMap((part, i) => [
    i > 0 && h("span", { class: "sep", "aria-hidden": "true" }, "›"),
    i > 0 && h("span", { class: "visually-hidden" }, ", "),
    h("span", null, part),
  ]);
  return h("span", { class: "crumbs" }, nodes);
}

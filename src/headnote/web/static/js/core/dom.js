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

const MAX_CRUMBS = 4;
const MAX_CRUMBS_CHARS = 80;

/**
 * `A > B > C` as elements. A long one is folded in its middle, and one that may be on a narrow screen: the first part
 * says where it is, the last two what it is. Screen readers read all of it.
 * @param {string} breadcrumb
 */
export function crumbs(breadcrumb) {
  const parts = breadcrumb.split(" > ");
  const middle = parts.slice(1, -2);
  const isLong = parts.length > MAX_CRUMBS || breadcrumb.length > MAX_CRUMBS_CHARS;
  const kind = middle.length === 0 ? "crumbs" : isLong ? "crumbs folded" : "crumbs foldable";
  const nodes = parts.map((part, i) => {
    const isMiddle = i > 0 && i < parts.length - 2;
    return h("span", { class: isMiddle && "crumb-middle" }, ...(i > 0 ? separator() : []), h("span", null, part));
  });
  if (middle.length > 0) nodes.splice(1, 0, fold(middle));
  return h("span", { class: kind }, nodes);
}

/** @param {string[]} parts */
function fold(parts) {
  return h("span", { class: "crumb-fold", "aria-hidden": "true", title: parts.join(" › ") }, separator()[0], "…");
}

const separator = () => [
  h("span", { class: "sep", "aria-hidden": "true" }, "›"),
  h("span", { class: "visually-hidden" }, ", "),
];

/** @param {string} name @param {string} key */
export const withKey = (name, key) => `${name} (${key})`;

/** What a button does, and the key for it. @param {HTMLElement} element @param {string} name @param {string} key */
export function nameWithKey(element, name, key) {
  element.setAttribute("aria-label", name);
  element.title = withKey(name, key);
}

/** @param {string} title Of what is shown. */
export function entitle(title) {
  document.title = `${title} – headnote`;
}

/** Announce a message to screen readers, once. @param {string} text */
export function announce(text) {
  const place = document.getElementById("announcer");
  if (place && place.textContent !== text) place.textContent = text;
}

/** An error with its remedy. @param {any} error */
export function errorNotice(error) {
  return h(
    "div",
    { class: "notice bad", role: "alert" },
    h("strong", null, error.message),
    error.remedy && h("span", null, error.remedy),
  );
}

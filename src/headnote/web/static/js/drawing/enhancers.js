/**
 * How a piece of a document or of an answer is inserted, and what the page adds to it then. Each step takes the piece,
 * and finds there what it cares for; none may turn text into markup.
 */

import { addCodeCopies, colourCode } from "./code.js";
import { drawDiagrams } from "./diagram.js";
import { scrollByKeyboard } from "./drawing.js";
import { drawMath } from "./math.js";
import { joinTabs } from "./tabs.js";

/**
 * The only markup from outside that becomes elements: HTML that the server has sanitized.
 * @param {Element} element @param {string} html Of a response of our own server.
 */
export function fillCleaned(element, html) {
  element.innerHTML = html;
}

/** @typedef {(piece: Element) => void} Enhancer */

/** @type {Enhancer[]} */
const ENHANCERS = [
  lowerHeadings,
  loadLazily,
  nameFolds,
  joinTabs,
  drawMath,
  drawDiagrams,
  colourCode,
  addCodeCopies,
  makeScrollable,
];

/** @param {Element} piece */
export function enhance(piece) {
  for (const step of ENHANCERS) step(piece);
}

/** Lower all headings by one level for screen readers: the page has its own h1. @type {Enhancer} */
function lowerHeadings(piece) {
  for (const heading of piece.querySelectorAll("h1, h2, h3, h4, h5"))
    heading.setAttribute("aria-level", String(Number(heading.tagName[1]) + 1));
}

/** @type {Enhancer} */
function makeScrollable(piece) {
  for (const wide of piece.querySelectorAll("pre, table")) scrollByKeyboard(wide, wide.children);
}

/** @type {Enhancer} */
function loadLazily(piece) {
  for (const image of piece.querySelectorAll("img")) image.loading = "lazy";
}

/** A fold without a title needs something to click on. @type {Enhancer} */
function nameFolds(piece) {
  for (const title of piece.querySelectorAll("summary:empty")) title.textContent = "…";
}

/**
 * What the page adds to a piece of a document or of an answer after it is inserted. Each step takes the piece, and
 * finds there what it cares for; none may turn text into markup.
 */

import { addCodeCopies } from "./code-copies.js";
import { colourCode } from "./code.js";
import { drawDiagrams } from "./diagram.js";
import { drawMath } from "./math.js";
import { scrollByKeyboard } from "./scrolling.js";
import { joinTabs } from "./tabs.js";

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

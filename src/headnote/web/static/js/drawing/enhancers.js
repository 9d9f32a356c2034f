/**
 * How a piece of a document or of an answer is inserted, and what the page adds to it then. Each step takes the piece,
 * and finds there what it cares for; none may turn text into markup.
 */

import { h, svg } from "../core/dom.js";
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
  drawCallouts,
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

/** A picture that is not there leaves a frame with its name. @type {Enhancer} */
function loadLazily(piece) {
  for (const image of piece.querySelectorAll("img")) {
    image.loading = "lazy";
    const name = image.alt || decodeURIComponent(image.src.split("/").at(-1) ?? "");
    const frame = () => image.replaceWith(h("span", { class: "missing-picture" }, name));
    image.addEventListener("error", frame, { once: true });
  }
}

/** A fold without a title needs something to click on. @type {Enhancer} */
function nameFolds(piece) {
  for (const title of piece.querySelectorAll("summary:empty")) title.textContent = "…";
}

// -- The icon of a callout says what it is to those who do not see its colour

const CIRCLE = "M10 2.8a7.2 7.2 0 1 1 0 14.4 7.2 7.2 0 0 1 0-14.4z";
const INFO = `${CIRCLE}M10 9.2v4.3M10 6.4v.1`;
const BULB = "M7.5 14.2c0-1.9-2.3-2.7-2.3-5.8a4.8 4.8 0 0 1 9.6 0c0 3.1-2.3 3.9-2.3 5.8zM8 17h4";
const BUBBLE = "M3 4h14v10H9.5L6 17v-3H3zM10 6.4v3.2M10 11.7v.1";
const TICK = `${CIRCLE}m-3 7.4 2.1 2.1 4-4.3`;
const QUESTION = `${CIRCLE}M7.9 8a2.1 2.1 0 1 1 3 1.9c-.6.3-.9.7-.9 1.4M10 13.6v.1`;
const TRIANGLE = "M10 3.2 17.6 16.5H2.4zM10 8v4M10 14.2v.1";
const OCTAGON = "M6.9 2.9h6.2l4 4v6.2l-4 4H6.9l-4-4V6.9zM10 6.3v4.6M10 13.5v.1";
const CROSS = `${CIRCLE}M7.6 7.6l4.8 4.8m0-4.8-4.8 4.8`;
const BUG =
  "M10 6.5a3.5 3.5 0 0 1 3.5 3.5v3a3.5 3.5 0 0 1-7 0v-3A3.5 3.5 0 0 1 10 6.5zM10 9v7M7 7 5 5m8 2 2-2M3 11.5h3.5m7 0H17";
const LIST = "M3.5 5.5h.1M3.5 10h.1M3.5 14.5h.1M7 5.5h9.5M7 10h9.5M7 14.5h9.5";
const QUOTE =
  "M4 13.5V9.8C4 7.6 5.2 6.3 7.5 6M4 10.2h3.5v3.3H4zM12 13.5V9.8c0-2.2 1.2-3.5 3.5-3.8M12 10.2h3.5v3.3H12z";
const PAGE = "M5 2.8h6.5L15 6.3v10.9H5zM7.6 9.5h4.8M7.6 13h4.8";
const BOX = "M3.5 3.5h13v13h-13zM6.8 10.2l2.3 2.3 4.3-4.7";

/** @type {Record<string, string>} By kind; those without one are notes. */
const ICONS = {
  tip: BULB,
  important: BUBBLE,
  success: TICK,
  question: QUESTION,
  warning: TRIANGLE,
  caution: TRIANGLE,
  danger: OCTAGON,
  failure: CROSS,
  bug: BUG,
  example: LIST,
  quote: QUOTE,
  abstract: PAGE,
  todo: BOX,
};

/** @type {Enhancer} */
function drawCallouts(piece) {
  for (const title of piece.querySelectorAll(".callout > .callout-title")) {
    const kind = title.parentElement?.getAttribute("data-callout") ?? "";
    const path = svg("path", { d: ICONS[kind] ?? INFO });
    title.prepend(svg("svg", { class: "callout-icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, path));
  }
}

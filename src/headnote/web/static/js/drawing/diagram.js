/**
 * Diagrams, drawn by mermaid as pictures. Mermaid needs inline styles, which the policy of the page forbids. So it
 * works in a frame of its own, where nothing can be loaded or sent. The result is shown as a picture, in which nothing
 * runs, links or loads.
 */

import { asset } from "../core/assets.js";
import { h, refill } from "../core/dom.js";
import { t } from "../core/texts.js";
import { scrollByKeyboard, undrawn, whenNear } from "./drawing.js";

/** @typedef {{svg: string, width: number, height: number, description: string}} Drawing */

const PATIENCE = 15_000;
const MAX_CHARS = 20_000;
const MIN_WIDTH = 480;
const COLOURS = ["paper", "surface", "sunken", "ink", "ink-soft", "line", "line-strong", "accent", "accent-wash"];
const HUES = [0, 1, 2, 3, 4, 5, 6, 7].map((hue) => `hue-${hue}`);
const BEGUN = "headnote-diagram-begun";

/** @type {Promise<HTMLIFrameElement>|null} */
let loading = null;
/** One at a time. @type {Promise<unknown>} */
let queue = Promise.resolve();

/** @type {import("./enhancers.js").Enhancer} */
export function drawDiagrams(piece) {
  for (const code of piece.querySelectorAll("pre > code.language-mermaid")) {
    const source = /** @type {HTMLElement} */ (code.parentElement);
    const figure = h("figure", { class: "diagram" });
    for (const name of ["data-start-line", "data-end-line"]) {
      const value = source.getAttribute(name);
      if (value) figure.setAttribute(name, value);
      source.removeAttribute(name);
    }
    source.replaceWith(figure);
    figure.append(source);
    whenNear(figure, () => enqueue(figure, source));
  }
}

document.addEventListener("themechange", () => {
  for (const figure of document.querySelectorAll("figure.diagram.drawn")) {
    const source = figure.querySelector("pre");
    if (source) whenNear(figure, () => enqueue(/** @type {HTMLElement} */ (figure), source));
  }
});

/** @param {HTMLElement} figure @param {HTMLElement} source */
function enqueue(figure, source) {
  queue = queue.then(() => draw(figure, source));
}

/** @param {HTMLElement} figure @param {HTMLElement} source */
async function draw(figure, source) {
  if (!figure.isConnected) return;
  const text = source.textContent ?? "";
  try {
    const drawing = await once(text, () => ask(text));
    const isOpen = figure.querySelector("details")?.open ?? false;
    refill(
      figure,
      picture(drawing),
      h("details", { class: "diagram-source", open: isOpen }, h("summary", null, t("diagram.source")), source),
    );
    figure.classList.add("drawn");
    const shown = figure.firstElementChild;
    if (shown) scrollByKeyboard(shown, shown.children);
  } catch (error) {
    refill(figure, source, undrawn("diagram", error));
  }
}

/** @param {Drawing} drawing */
function picture({ svg, width, height, description }) {
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  const image = h("img", { src, width: Math.ceil(width), height: Math.ceil(height), alt: description });
  // On a narrow screen a wide diagram scrolls; smaller, nobody could read it.
  image.style.setProperty("min-width", `${Math.min(Math.ceil(width), MIN_WIDTH)}px`);
  return h("div", { class: "diagram-picture" }, image);
}

/**
 * Note what is being drawn. A diagram that stopped the page is not tried again after it is reloaded.
 * @template T @param {string} text @param {() => Promise<T>} work
 */
async function once(text, work) {
  if (text.length > MAX_CHARS) throw new Error(t("undrawn.long"));
  if (stored() === text) {
    // One reload without it is enough to read the document; the next one may try again.
    stored("");
    throw new Error(t("undrawn.slow.before"));
  }
  stored(text);
  try {
    return await work();
  } finally {
    stored("");
  }
}

// A page that hangs does not get here. One that is left while it draws does nothing wrong.
window.addEventListener("pagehide", () => stored(""));

/** Read or write the note; without storage there is none. @param {string} [text] */
function stored(text) {
  try {
    if (text === undefined) return sessionStorage.getItem(BEGUN);
    if (text) sessionStorage.setItem(BEGUN, text);
    else sessionStorage.removeItem(BEGUN);
  } catch {
    // Blocked by the reader.
  }
  return null;
}

/** @param {string} text @returns {Promise<Drawing>} */
async function ask(text) {
  const frame = await (loading ??= openFrame());
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      frame.remove();
      loading = null;
      reject(new Error(t("undrawn.slow")));
    }, PATIENCE);
    port1.onmessage = ({ data }) => {
      clearTimeout(late);
      port1.close();
      if (data.problem) reject(new Error(data.problem));
      else resolve(data);
    };
    frame.contentWindow?.postMessage({ text, words: words(), colours: colours() }, location.origin, [port2]);
  });
}

/** @returns {Promise<HTMLIFrameElement>} */
function openFrame() {
  return new Promise((resolve) => {
    const frame = h("iframe", {
      class: "diagram-frame",
      title: t("diagram.frame"),
      "aria-hidden": "true",
      tabindex: "-1",
      src: asset("frames/diagram.html"),
    });
    frame.addEventListener("load", () => resolve(frame));
    document.body.append(frame);
  });
}

/** What the frame has to say: it has no table of its own. */
const words = () => ({
  formulas: t("undrawn.formulas"),
  empty: t("undrawn.empty"),
  unreadable: t("undrawn.unreadable"),
  diagram: t("diagram.label"),
});

/** The colours of the page as it is now. @returns {Record<string, string>} */
function colours() {
  const style = getComputedStyle(document.documentElement);
  return {
    ...Object.fromEntries([...COLOURS, ...HUES].map((name) => [name, style.getPropertyValue(`--${name}`).trim()])),
    theme: document.documentElement.dataset.theme ?? "light",
    font: style.getPropertyValue("--sans"),
  };
}

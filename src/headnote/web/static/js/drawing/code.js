/** Code in colours. Another thread finds them, so that no code, however written, stops the page. */

import { asset } from "../core/assets.js";
import { copy } from "../core/clipboard.js";
import { h } from "../core/dom.js";
import { t } from "../core/texts.js";
import { whenNear } from "./drawing.js";

/** @typedef {[length: number, scope: string]} Stretch Characters of one colour. */

const MAX_CHARS = 60_000;
/** Milliseconds: loading the worker counts, and a busy server may take some. */
const PATIENCE = 15_000;

/** @type {Worker|null} */
let worker = null;
/** One at a time: a job that does not end takes no other with it. @type {Promise<unknown>} */
let queue = Promise.resolve();

/** @type {import("./enhancers.js").Enhancer} */
export function colourCode(piece) {
  for (const code of piece.querySelectorAll("pre > code[class^='language-']")) {
    const language = code.className.slice("language-".length).toLowerCase();
    if (language !== "mermaid") whenNear(code, () => (queue = queue.then(() => colour(code, language))));
  }
}

/** @param {Element} code @param {string} language */
async function colour(code, language) {
  const text = code.textContent ?? "";
  if (!code.isConnected || text.length > MAX_CHARS || code.classList.contains("coloured")) return;
  const stretches = await ask({ text, language });
  if (stretches && code.textContent === text) paint(code, stretches);
}

/** Code without an answer stays as it is. @param {object} job @returns {Promise<Stretch[]|null>} */
function ask(job) {
  const asked = (worker ??= new Worker(asset("js/drawing/code-worker.js"), { type: "module" }));
  return new Promise((resolve) => {
    const late = setTimeout(() => give(), PATIENCE);
    const give = () => {
      asked.terminate();
      worker = null;
      clearTimeout(late);
      resolve(null);
    };
    asked.onerror = give;
    asked.onmessage = ({ data }) => {
      clearTimeout(late);
      resolve(data);
    };
    asked.postMessage(job);
  });
}

/** Wrap the text where it stands: marks inside it are kept. @param {Element} code @param {Stretch[]} stretches */
function paint(code, stretches) {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  let at = 0;
  let left = stretches[0]?.[0] ?? 0;
  for (let text of texts) {
    while (text.length > 0 && at < stretches.length) {
      const rest = left < text.length ? text.splitText(left) : null;
      left -= text.length;
      if (stretches[at][1]) wrap(text, stretches[at][1]);
      if (left === 0) left = stretches[++at]?.[0] ?? 0;
      if (!rest) break;
      text = rest;
    }
  }
  code.classList.add("coloured");
}

/** @param {Text} text @param {string} scope */
function wrap(text, scope) {
  const span = h("span", { class: `code-${scope}` });
  text.replaceWith(span);
  span.append(text);
}

// -- A button on each block of code that copies it

/** @type {import("./enhancers.js").Enhancer} */
export function addCodeCopies(piece) {
  for (const code of piece.querySelectorAll("pre > code:not(.language-mermaid)")) {
    const block = /** @type {HTMLElement} */ (code.parentElement);
    if (block.parentElement?.classList.contains("code-box")) continue;
    const button = h("button", { type: "button", class: "button code-copy", "data-added": true }, t("button.copy"));
    button.setAttribute("aria-label", t("copy.code"));
    button.addEventListener("click", () => void copy(code.textContent ?? "", t("copy.code.done")));
    const box = h("div", { class: "code-box" });
    block.replaceWith(box);
    box.append(block, button);
  }
}

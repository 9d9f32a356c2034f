/** Formulas, drawn by KaTeX. The text of a placeholder is TeX. */

import { asset } from "../core/assets.js";
import { loaded } from "../core/connection.js";
import { h } from "../core/dom.js";
import { t } from "../core/texts.js";
import { scrollByKeyboard, undrawn, whenNear } from "./drawing.js";

/** @typedef {{render: (tex: string, element: Element, options: object) => void}} Katex */

const MAX_CHARS = 10_000;
// Nothing that links, loads or covers the page; bounds for macros that grow and for rules that are kilometres long.
const SAFE = { trust: false, strict: "ignore", throwOnError: true, maxSize: 20, maxExpand: 500 };

/** @type {Promise<Katex>|null} */
let loading = null;

/** @type {import("./enhancers.js").Enhancer} */
export function drawMath(piece) {
  for (const place of piece.querySelectorAll(".math")) whenNear(place, () => void draw(place));
}

/** @param {Element} place */
async function draw(place) {
  const tex = place.textContent ?? "";
  try {
    if (tex.length > MAX_CHARS) throw new Error(t("undrawn.long"));
    const katex = await (loading ??= load());
    const drawn = h("span");
    katex.render(tex, drawn, { ...SAFE, displayMode: place.matches("div, .display") });
    place.replaceChildren(...drawn.childNodes);
    place.classList.add("drawn");
    scrollByKeyboard(place, place.querySelectorAll(".katex-base"));
  } catch (error) {
    place.replaceChildren(h("code", null, tex), " ", undrawn("formula", plain(error)));
  }
}

async function load() {
  try {
    // Not a module by itself: it leaves its name in the global scope.
    await Promise.all([loaded(() => import(asset("vendor/katex/katex.min.js"))), loaded(addStyles)]);
    return /** @type {{katex: Katex}} */ (/** @type {unknown} */ (globalThis)).katex;
  } catch (error) {
    loading = null;
    throw error;
  }
}

/** Without them a formula would be a heap of letters for a moment. @returns {Promise<void>} */
function addStyles() {
  const styles = h("link", { rel: "stylesheet", href: asset("vendor/katex/katex.min.css") });
  return new Promise((resolve, reject) => {
    styles.addEventListener("load", () => resolve());
    styles.addEventListener("error", () => {
      styles.remove();
      reject(new Error(t("undrawn.styles")));
    });
    document.head.append(styles);
  });
}

/** @param {unknown} error */
function plain(error) {
  if (error instanceof RangeError) return t("undrawn.deep");
  const message = error instanceof Error ? error.message : String(error);
  // KaTeX marks the place in the source with combining characters.
  const words = message.replace(/^KaTeX parse error: /, "").replace(/\u0332/g, "");
  // The source stands beside it.
  return words.replace(/ at (end of input|position \d+): .*$/s, " at $1");
}

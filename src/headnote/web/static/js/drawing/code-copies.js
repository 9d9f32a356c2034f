/** A button on each block of code that copies it. */

import { copy } from "../core/clipboard.js";
import { h } from "../core/dom.js";

/** @type {import("./enhance.js").Enhancer} */
export function addCodeCopies(piece) {
  for (const code of piece.querySelectorAll("pre > code:not(.language-mermaid)")) {
    const block = /** @type {HTMLElement} */ (code.parentElement);
    if (block.parentElement?.classList.contains("code-box")) continue;
    const button = h("button", { type: "button", class: "button code-copy", "data-added": true }, "Copy");
    button.setAttribute("aria-label", "Copy code");
    button.addEventListener("click", () => void copy(code.textContent ?? "", "Code copied"));
    const box = h("div", { class: "code-box" });
    block.replaceWith(box);
    box.append(block, button);
  }
}

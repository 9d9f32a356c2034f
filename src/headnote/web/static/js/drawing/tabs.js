/** Tabs: all of them under their titles as they come from the server, one at a time where scripts run. */

import { freshId, h } from "../core/dom.js";
import { t } from "../core/texts.js";

/** @type {import("./enhancers.js").Enhancer} */
export function joinTabs(piece) {
  for (const group of piece.querySelectorAll(".tabs")) join(group);
}

/** @param {Element} group */
function join(group) {
  const panels = [...group.children].filter((child) => child.classList.contains("tab"));
  if (!panels.length || group.querySelector(":scope > [role=tablist]")) return;
  const buttons = panels.map((panel, at) => button(panel, at, choose));
  const list = h("div", { role: "tablist", class: "tab-list" }, buttons);
  list.addEventListener("keydown", (event) => step(event, buttons));
  panels.forEach((panel, at) => {
    panel.id ||= freshId("tab-panel");
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", buttons[at].id);
    buttons[at].setAttribute("aria-controls", panel.id);
    // The browser finds text in hidden panels, and shows the panel then.
    panel.addEventListener("beforematch", () => choose(at));
    panel.addEventListener("reveal", () => choose(at));
  });
  group.prepend(list);
  choose(0);

  /** @param {number} chosen */
  function choose(chosen) {
    panels.forEach((panel, at) => {
      if (at === chosen) panel.removeAttribute("hidden");
      else panel.setAttribute("hidden", "until-found");
      buttons[at].setAttribute("aria-selected", String(at === chosen));
      buttons[at].tabIndex = at === chosen ? 0 : -1;
    });
  }
}

/** @param {Element} panel @param {number} at @param {(at: number) => void} choose */
function button(panel, at, choose) {
  const title = panel.getAttribute("data-title") || t("tab.title", { number: at + 1 });
  const made = h("button", { type: "button", role: "tab", class: "tab-title", id: freshId("tab") }, title);
  made.addEventListener("click", () => choose(at));
  return made;
}

/** Arrow keys go around; Home and End go to the ends. @param {KeyboardEvent} event @param {HTMLElement[]} buttons */
function step(event, buttons) {
  const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
  const steps = new Map([
    ["ArrowRight", at + 1],
    ["ArrowLeft", at - 1],
    ["Home", 0],
    ["End", -1],
  ]);
  const next = steps.get(event.key);
  if (next === undefined || at < 0) return;
  event.preventDefault();
  event.stopPropagation();
  const chosen = buttons.at(next % buttons.length);
  chosen?.click();
  chosen?.focus();
}

/** Open what hides an element or a text: folds and tabs around it. @param {Node} hidden */
export function reveal(hidden) {
  for (let around = hidden.parentElement; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement) around.open = true;
    else if (around.matches(".tab[hidden]")) around.dispatchEvent(new Event("reveal"));
  }
}

/** What is shown instead of hits: no query yet, nothing found, an index that is still filling. */

import { h } from "../core/dom.js";
import { inProgress } from "../core/progress.js";
import { hrefOf } from "../core/routes.js";
import { isFilling } from "../core/status-feed.js";
import { parts, t } from "../core/texts.js";

/** @typedef {import("../types.js").Status} Status */

/** @param {Status|null} status @param {HTMLElement|false} recent */
export function nothingAsked(status, recent = false) {
  const isEmpty = status?.documents === 0 && !isFilling(status);
  return h(
    "div",
    { class: "empty" },
    h("h2", null, t(isEmpty ? "empty.title" : "asking.title")),
    h("p", null, isEmpty ? t("empty.remedy") : sizeOf(status), isEmpty ? null : t("asking.how")),
    !isEmpty && recent,
    !isEmpty &&
      h(
        "p",
        { class: "small key-hint" },
        parts("asking.keys", { down: key("↓"), up: key("↑"), enter: key("Enter"), help: key("?") }),
      ),
  );
}

/** @param {string} name */
const key = (name) => h("kbd", null, name);

/** @param {Status|null} status */
function sizeOf(status) {
  if (!status) return null;
  const documents = t("count.documents", { count: status.documents });
  return `${t("asking.size", { documents, passages: t("count.passages", { count: status.chunks }) })} `;
}

/**
 * Above hits for other words than those that were typed.
 * @param {string} answered @param {string} typed @param {() => void} asTyped The way back.
 */
export function correctedNotice(answered, typed, asTyped) {
  return h(
    "p",
    { class: "small corrected break" },
    parts("corrected.to", { query: h("strong", null, answered.trim()) }),
    " ",
    h("button", { type: "button", class: "button", onclick: asTyped }, t("corrected.back", { query: typed })),
  );
}

/**
 * @param {string} note Why there are no hits.
 * @param {{filters: number, clear: () => void, anyway: (() => void)|null}} ways What the reader can do.
 */
export function nothingFound(note, ways) {
  return h(
    "div",
    { class: "empty" },
    h("h2", null, t("nothing.title")),
    h("p", { class: "break" }, `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
    h(
      "div",
      null,
      ways.filters > 0 &&
        h(
          "button",
          { type: "button", class: "button", onclick: ways.clear },
          t("nothing.filters", { count: ways.filters }),
        ),
      " ",
      ways.anyway && h("button", { type: "button", class: "button", onclick: ways.anyway }, t("nothing.anyway")),
    ),
  );
}

/** Instead of `nothingFound` while the folder is read. @param {string} query */
export function nothingYet(query) {
  return h(
    "div",
    { class: "empty" },
    h("h2", null, t("nothing.yet")),
    h("p", { class: "break" }, t("nothing.yet.next", { query })),
  );
}

/** A line above the hits while documents or vectors are to come; null if all is there. @param {Status|null} status */
export function fillingNotice(status) {
  const now = inProgress(status);
  if (!now) return null;
  const { what, meanwhile } = now;
  const far = h("span", { class: "numbers" }, now.far);
  const words = now.far ? parts("filling.far", { what, far, meanwhile }) : t("filling.now", { what, meanwhile });
  return h("div", { class: "notice" }, h("p", null, words));
}

/**
 * @param {string[]} searches @param {() => void} forget
 * @returns {HTMLElement|false} Links to recent searches; false if there are none.
 */
export function recentList(searches, forget) {
  if (searches.length === 0) return false;
  return h(
    "div",
    { class: "recent" },
    h("h3", { id: "recent-h" }, t("recent.title")),
    h(
      "ul",
      { "aria-labelledby": "recent-h" },
      searches.map((q) => h("li", null, h("a", { class: "chip break", href: hrefOf("search", { q }) }, q))),
    ),
    h("button", { type: "button", class: "button quiet small", onclick: forget }, t("recent.clear")),
  );
}

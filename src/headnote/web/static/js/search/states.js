/** What is shown instead of hits: no query yet, nothing found, an index that is still filling. */

import { h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { inProgress } from "../core/progress.js";
import { hrefOf } from "../core/routes.js";
import { isFilling } from "../core/status-feed.js";

/** @typedef {import("../types.js").Status} Status */

/** @param {Status|null} status @param {HTMLElement|false} recent */
export function nothingAsked(status, recent = false) {
  const size = status ? `${plural(status.documents, "document")}, ${plural(status.chunks, "passage")}` : "";
  const isEmpty = status?.documents === 0 && !isFilling(status);
  return h(
    "div",
    { class: "empty" },
    h("h2", null, isEmpty ? "No documents here yet" : "Search your documents"),
    h(
      "p",
      null,
      isEmpty
        ? "Add Markdown or MDX files to the folder. They appear here automatically."
        : `${size ? `${size}. ` : ""}Type words or a question: search matches words and meaning.`,
    ),
    !isEmpty && recent,
    !isEmpty &&
      h(
        "p",
        { class: "small key-hint" },
        h("kbd", null, "↓"),
        " ",
        h("kbd", null, "↑"),
        " move through hits, ",
        h("kbd", null, "Enter"),
        " opens one, ",
        h("kbd", null, "?"),
        " shows all keys",
      ),
  );
}

/**
 * Above hits for other words than those that were typed.
 * @param {string} answered @param {string} typed @param {() => void} asTyped The way back.
 */
export function correctedNotice(answered, typed, asTyped) {
  return h(
    "p",
    { class: "small corrected break" },
    "Showing results for ",
    h("strong", null, answered.trim()),
    ". ",
    h("button", { type: "button", class: "button", onclick: asTyped }, `Search instead for ${typed}`),
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
    h("h2", null, "Nothing found"),
    h("p", { class: "break" }, `${note.charAt(0).toUpperCase()}${note.slice(1)}.`),
    h(
      "div",
      null,
      ways.filters > 0 &&
        h(
          "button",
          { type: "button", class: "button", onclick: ways.clear },
          `Clear ${plural(ways.filters, "filter")}`,
        ),
      " ",
      ways.anyway && h("button", { type: "button", class: "button", onclick: ways.anyway }, "Show the nearest anyway"),
    ),
  );
}

/** Instead of `nothingFound` while the folder is read. @param {string} query */
export function nothingYet(query) {
  return h(
    "div",
    { class: "empty" },
    h("h2", null, "Nothing found yet"),
    h("p", { class: "break" }, "“", query, "” is searched again as more files are read."),
  );
}

/** A line above the hits while documents or vectors are to come; null if all is there. @param {Status|null} status */
export function fillingNotice(status) {
  const now = inProgress(status);
  if (!now) return null;
  const far = now.far && h("span", { class: "numbers" }, `: ${now.far}`);
  return h("div", { class: "notice" }, h("p", null, now.what, far, `. ${now.meanwhile}`));
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
    h("h3", { id: "recent-h" }, "Recent searches"),
    h(
      "ul",
      { "aria-labelledby": "recent-h" },
      searches.map((q) => h("li", null, h("a", { class: "chip break", href: hrefOf("search", { q }) }, q))),
    ),
    h("button", { type: "button", class: "button quiet small", onclick: forget }, "Clear"),
  );
}

/** An answer as text with its citations as links. Markdown is shown as source, except for code blocks. */

import { h } from "../core/dom.js";
import { hrefOfPlace } from "../core/routes.js";

/** @typedef {import("../types.js").Citation} Citation */

// A path has no brackets, so a citation ends at the first one; the lines are one number, or two.
const CITATION = /\[([^[\]\n]+):(\d+)(?:[-–](\d+))?\]/g;
const FENCE = /^ {0,12}(`{3,}|~{3,})[^\n]*$/;

/**
 * @param {string} text
 * @param {Citation[]|null} citations The checked ones; null while the answer is streamed.
 * @returns {HTMLElement[]}
 */
export function answerParts(text, citations) {
  /** @type {HTMLElement[]} */
  const parts = [];
  /** @type {string[]} */
  let lines = [];
  let fence = "";
  const flush = (/** @type {boolean} */ isCode) => {
    const joined = lines.join("\n");
    lines = [];
    if (isCode) parts.push(h("pre", { class: "code-block", tabindex: "0" }, joined));
    else
      for (const paragraph of joined.split(/\n{2,}/))
        if (paragraph.trim()) parts.push(h("p", null, cited(paragraph, citations)));
  };
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (mark && !fence) {
      flush(false);
      fence = mark;
    } else if (mark && fence && mark.startsWith(fence)) {
      flush(true);
      fence = "";
    } else lines.push(line);
  }
  flush(fence !== "");
  return parts;
}

/** @param {string} text @param {Citation[]|null} citations @returns {(Node|string)[]} */
function cited(text, citations) {
  /** @type {(Node|string)[]} */
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(CITATION)) {
    const [whole, path, first, last] = match;
    const place = { path, start_line: Number(first), end_line: Number(last ?? first) };
    const number = citations
      ? citations.findIndex(
          (one) => one.path === path && one.start_line === place.start_line && one.end_line === place.end_line,
        )
      : 0;
    if (number < 0) continue;
    nodes.push(text.slice(at, match.index));
    const label = citations ? String(number + 1) : "·";
    nodes.push(
      h(
        "a",
        {
          class: "cite numbers",
          href: hrefOfPlace(place),
          title: whole.slice(1, -1),
          "aria-label": `Citation ${label}: ${whole.slice(1, -1)}`,
        },
        label,
      ),
    );
    at = match.index + whole.length;
  }
  nodes.push(text.slice(at));
  return nodes;
}

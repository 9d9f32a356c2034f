/** What stands below an answer: notes, its citations with their lines, and the passages it is based on. */

import { crumbs, h } from "../core/dom.js";
import { place, plural } from "../core/format.js";
import { hrefOfPlace } from "../core/routes.js";

/** @typedef {import("../types.js").Answer} Answer */

/** @param {Answer} answer @returns {(HTMLElement|false|"")[]} */
export function answerDetails(answer) {
  return [
    !answer.complete && h("div", { class: "notice warn" }, "The answer is incomplete."),
    answer.note && h("div", { class: "notice" }, answer.note),
    answer.citations.length > 0 && citationList(answer.citations),
    answer.dropped.length > 0 && droppedList(answer.dropped),
    answer.sources.length > 0 && sourceList(answer.sources),
  ];
}

/** @param {Answer["citations"]} citations */
function citationList(citations) {
  const items = citations.map((citation, at) => {
    const number = h("span", { class: "cite numbers", "aria-hidden": "true" }, at + 1);
    const link = h("a", { href: hrefOfPlace(citation) }, number, h("span", { class: "mono break" }, place(citation)));
    const lines = { class: "citation-text", dir: "auto", tabindex: "0", role: "group", "aria-label": "Lines cited" };
    return h("li", null, link, citation.text && h("pre", lines, citation.text));
  });
  return h("section", null, h("h3", null, "Citations"), h("ol", { class: "citations" }, items));
}

/** @param {Answer["dropped"]} dropped */
function droppedList(dropped) {
  const items = dropped.map(({ written, reason }) =>
    h("li", null, h("code", { class: "break" }, written), h("span", { class: "soft" }, ` ${reason}`)),
  );
  const note = h("p", { class: "soft small" }, "These citations could not be verified.");
  return h("section", null, h("h3", null, "Removed citations"), note, h("ul", { class: "dropped" }, items));
}

/** @param {Answer["sources"]} sources */
function sourceList(sources) {
  const items = sources.map((hit) => {
    const link = h("a", { href: hrefOfPlace(hit) }, crumbs(hit.breadcrumb || hit.title || hit.path));
    return h("li", null, link, h("span", { class: "mono soft small break" }, place(hit)));
  });
  const summary = h("summary", null, `Based on ${plural(sources.length, "passage")}`);
  return h("details", { class: "disclosure" }, summary, h("ol", { class: "sources" }, items));
}

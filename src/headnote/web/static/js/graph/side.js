/** The graph as lists: all that the picture says, for keys and screen readers, too. */

import { freshId, h, refill } from "../core/dom.js";
import { whole } from "../core/format.js";
import { hrefOf } from "../core/routes.js";
import { t } from "../core/texts.js";
import { namesOf } from "./scene.js";

/** @typedef {import("../types.js").Graph} Graph */
/** @typedef {import("../types.js").Link} Link */

const PAGE = 150;

/** @typedef {"documents"|"orphans"|"broken"} List */

/** @type {[List, string][]} */
const LISTS = [
  ["documents", t("view.document")],
  ["orphans", t("graph.orphans")],
  ["broken", t("graph.broken")],
];

export class Side {
  /** @param {{pointed: (path: string|null) => void, searched: () => void}} handlers
   * @param {HTMLElement[]} choices What else can be chosen, below the search. */
  constructor(handlers, choices) {
    this.handlers = handlers;
    /** Only documents of this folder; empty for all. */
    this.folder = "";
    /** @type {Graph} */
    this.graph = { nodes: [], edges: [], orphans: [], broken: [], spots: [] };
    /** All documents as they are listed, those with most links first. @type {{path: string, name: string,
     * title: string, degree: number}[]} */
    this.documents = [];
    /** @type {List} */
    this.list = "documents";
    this.most = PAGE;
    const id = freshId("graph-search");
    this.input = h("input", {
      id,
      class: "input",
      type: "search",
      placeholder: t("list.filter.hint"),
      autocomplete: "off",
      spellcheck: "false",
    });
    this.input.addEventListener("input", () => this.#changed());
    this.tabs = h("fieldset", { class: "segments graph-tabs" });
    this.count = h("p", { class: "soft small numbers", role: "status" });
    this.rows = h("ul", { class: "graph-rows" });
    this.more = h("button", { type: "button", class: "button", onclick: () => this.#more() }, t("found.more"));
    this.element = h(
      "div",
      { class: "graph-side" },
      h("div", { class: "field" }, h("label", { for: id }, t("graph.find")), this.input),
      choices,
      this.tabs,
      this.count,
      this.rows,
      this.more,
    );
  }

  words() {
    return this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
  }

  /** @param {string} folder */
  narrow(folder) {
    this.folder = folder;
    this.most = PAGE;
    this.#draw();
  }

  /** Fills the lists; `narrow` draws them. @param {Graph} graph */
  show(graph) {
    this.graph = graph;
    const names = namesOf(graph.nodes);
    this.documents = graph.nodes.map(({ path, title, degree }, at) => ({ path, title, degree, name: names[at] }));
    // Stable: those with as many links stay in the order of their paths.
    this.documents.sort((a, b) => b.degree - a.degree);
    const counts = [graph.nodes.length, graph.orphans.length, graph.broken.length];
    const name = freshId("graph-list");
    refill(
      this.tabs,
      h("legend", null, t("list.flat")),
      LISTS.map(([value, label], at) =>
        h(
          "label",
          null,
          h("input", { type: "radio", name, value, checked: value === this.list, onchange: () => this.#pick(value) }),
          h("span", null, label, " ", h("span", { class: "graph-count numbers" }, whole(counts[at]))),
        ),
      ),
    );
  }

  /** @param {List} list */
  #pick(list) {
    this.list = list;
    this.#changed();
  }

  #changed() {
    this.most = PAGE;
    this.#draw();
    this.handlers.searched();
  }

  #more() {
    const last = this.most;
    this.most += PAGE;
    this.#draw();
    /** @type {HTMLElement|null} */ (this.rows.children[last]?.querySelector("a"))?.focus();
  }

  #draw() {
    const rows = this.list === "broken" ? this.#brokenRows() : this.#documentRows();
    const count = rows.length;
    if (count > 0) this.count.textContent = t(`count.${this.list}`, { count });
    else this.count.textContent = t(this.input.value ? `graph.noneLike.${this.list}` : `graph.none.${this.list}`);
    refill(
      this.rows,
      rows.slice(0, this.most).map((row) => row()),
    );
    this.more.hidden = rows.length <= this.most;
  }

  /** @returns {(() => HTMLElement)[]} */
  #documentRows() {
    const orphans = new Set(this.graph.orphans);
    const words = this.words();
    return this.documents
      .filter((one) => (this.list === "documents" || orphans.has(one.path)) && isMeant(one, words, this.folder))
      .map(
        ({ path, name, degree }) =>
          () =>
            this.#row(path, name, path, t("count.links", { count: degree }), hrefOf("document", { path })),
      );
  }

  /** @returns {(() => HTMLElement)[]} */
  #brokenRows() {
    const words = this.words();
    return this.graph.broken
      .filter(({ path, target, text }) => isMeant({ path, title: `${target} ${text}` }, words, this.folder))
      .map((link) => () => {
        const written = link.target + (link.fragment ? `#${link.fragment}` : "");
        return this.#row(
          link.path,
          written,
          `${link.path}:${link.line}`,
          "",
          hrefOf("document", { path: link.path, line: link.line }),
        );
      });
  }

  /** @param {string} path @param {string} title @param {string} place @param {string} note @param {string} href */
  #row(path, title, place, note, href) {
    const point = () => this.handlers.pointed(path);
    const leave = () => this.handlers.pointed(null);
    return h(
      "li",
      null,
      h(
        "a",
        { href, onfocus: point, onpointerenter: point, onblur: leave, onpointerleave: leave },
        h("span", { class: "graph-title" }, title),
        note && h("span", { class: "soft small numbers" }, note),
        h("span", { class: "mono soft graph-path" }, place),
      ),
    );
  }
}

/**
 * Whether a filter means a document, in the picture and in the list.
 * @param {{path: string, title: string}} document
 * @param {string[]} words All of them must be in the path or the title.
 * @param {string} folder Empty for all folders.
 */
export function isMeant({ path, title }, words, folder) {
  if (folder && !path.startsWith(`${folder}/`)) return false;
  const text = `${path} ${title}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

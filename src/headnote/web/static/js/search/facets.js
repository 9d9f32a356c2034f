/** Folders, tags and fields that narrow a search, each with what it would leave, and the filters that are set. */

import { h, refill } from "../core/dom.js";
import { plural, whole } from "../core/format.js";

/** @typedef {import("../types.js").Facet} Facet */
/** @typedef {import("./filters.js").Filters} Filters */

const MOST = 6;
/** Fields that are offered: more would push the hits out of sight. */
const MOST_FIELDS = 2;

/** @type {Record<string, string>} */
const NAMES = { folder: "Folder", tag: "Tag" };

export class Facets {
  /** @param {Filters} filters */
  constructor(filters) {
    this.filters = filters;
    this.element = h("div", { class: "facets", role: "group", "aria-label": "Narrow the search", hidden: true });
  }

  /** @param {Facet[]} facets */
  show(facets) {
    const rows = [...this.#active(), ...groups(facets).map(([name, values]) => this.#row(name, values))];
    this.element.hidden = rows.length === 0;
    refill(this.element, rows);
  }

  #active() {
    const set = this.filters.set();
    if (set.length === 0) return [];
    const chips = set.map((filter) =>
      h(
        "button",
        {
          type: "button",
          class: "facet active",
          "aria-label": `Remove the filter ${filter.shown}`,
          onclick: () => this.filters.remove(filter),
        },
        h("span", null, filter.shown),
        h("span", { "aria-hidden": "true" }, "×"),
      ),
    );
    return [row("Filters", chips)];
  }

  /** @param {string} name @param {Facet[]} values */
  #row(name, values) {
    const chips = values.slice(0, MOST).map((facet) => {
      const shown = facet.kind === "folder" ? lastFolder(facet.value) : facet.value;
      return h(
        "button",
        {
          type: "button",
          class: "facet",
          title: facet.value,
          "aria-label": `Narrow to ${shown}: ${plural(facet.total, "passage")}`,
          onclick: () => this.filters.add(facet.parameter, facet.argument),
        },
        h("span", null, shown),
        h("span", { class: "facet-count numbers" }, whole(facet.total)),
      );
    });
    return row(name, chips);
  }
}

/** @param {string} name @param {HTMLElement[]} chips */
function row(name, chips) {
  return h("div", { class: "facet-row" }, h("span", { class: "facet-name" }, name), chips);
}

/** Facets by what they narrow. A comma would end a filter in its field. @param {Facet[]} facets */
function groups(facets) {
  /** @type {Map<string, Facet[]>} */
  const found = new Map();
  let fields = 0;
  for (const facet of facets.filter(({ argument }) => !argument.includes(","))) {
    const name = NAMES[facet.kind] ?? facet.name;
    if (!found.has(name)) {
      if (facet.kind === "field" && fields === MOST_FIELDS) continue;
      if (facet.kind === "field") fields += 1;
      found.set(name, []);
    }
    found.get(name)?.push(facet);
  }
  return [...found];
}

/** @param {string} folder as `guides/setup/` */
const lastFolder = (folder) => `${folder.split("/").at(-2) ?? ""}/`;

/** What the big graph shows, and by what it is coloured: documents of one folder have one colour, at any depth. */

import { freshId, h, refill } from "../core/dom.js";
import { whole } from "../core/format.js";
import { t } from "../core/texts.js";

// -- Which folders have a colour of their own

/** Colours that can be told apart at a glance; the smaller folders share a grey one. */
export const HUES = 8;

/**
 * @typedef {{folder: string, name: string, count: number}} Group
 * @typedef {{groups: Group[], of: Uint8Array, depth: number}} Colouring Groups, the largest first, the one of all
 *   others last, and the group of each path. Without a folder: all others.
 */

/** How deep folders go below the one that has all documents. @param {string[]} paths */
export function depthOf(paths) {
  const shared = sharedFolder(paths).length;
  return Math.max(0, ...paths.map((path) => path.split("/").length - 1 - shared));
}

/**
 * Colour by folders of a depth; 0 takes the depth that tells most.
 * @param {string[]} paths
 * @param {number} depth
 * @returns {Colouring}
 */
export function colouring(paths, depth) {
  if (depth > 0) return colouringAt(paths, depth);
  const deepest = Math.min(6, Math.max(1, depthOf(paths)));
  const all = Array.from({ length: deepest }, (_, at) => colouringAt(paths, at + 1));
  const best = Math.max(...all.map(information));
  // Of depths that tell about as much, the first: its folders are the ones people know.
  return all.find((one) => information(one) >= best * 0.9) ?? all[0];
}

/** @param {string[]} paths @param {number} depth @returns {Colouring} */
function colouringAt(paths, depth) {
  const shared = sharedFolder(paths);
  const folders = paths.map((path) =>
    path
      .split("/")
      .slice(0, -1)
      .slice(0, shared.length + depth)
      .join("/"),
  );
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const folder of folders) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  const sorted = [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const largest = sorted.slice(0, HUES);
  const place = new Map(largest.map(([folder], at) => [folder, at]));
  const prefix = shared.length > 0 ? shared.join("/").length + 1 : 0;
  const groups = largest.map(([folder, count]) => ({ folder, name: nameOf(folder.slice(prefix)), count }));
  const rest = sorted.slice(HUES).reduce((sum, [, count]) => sum + count, 0);
  if (rest > 0) groups.push({ folder: "", name: t("legend.others", { count: sorted.length - HUES }), count: rest });
  return { groups, of: Uint8Array.from(folders, (folder) => place.get(folder) ?? HUES), depth };
}

/** @param {string} folder */
const nameOf = (folder) => (folder === "" ? t("legend.top") : `${folder}/`);

/** How much a colour tells of a place, in bits. What is grey tells nothing. @param {Colouring} colouring */
function information({ groups, of }) {
  return groups.reduce((sum, { count }, at) => {
    const share = count / of.length;
    return at < HUES ? sum - share * Math.log2(share) : sum;
  }, 0);
}

/** The folder that has nearly all documents, as its parts. @param {string[]} paths @returns {string[]} */
function sharedFolder(paths) {
  /** @type {string[]} */
  const shared = [];
  let inside = paths.map((path) => path.split("/").slice(0, -1));
  for (;;) {
    /** @type {Map<string, string[][]>} */
    const below = new Map();
    for (const parts of inside) {
      const name = parts[shared.length];
      if (name === undefined) continue;
      const beside = below.get(name);
      if (beside) beside.push(parts);
      else below.set(name, [parts]);
    }
    const [largest] = [...below].sort((a, b) => b[1].length - a[1].length);
    if (!largest || largest[1].length < paths.length * 0.95) return shared;
    if (largest[1].every((parts) => parts.length === shared.length + 1)) return shared;
    shared.push(largest[0]);
    inside = largest[1];
  }
}

// -- Colours with their folders and counts. Each leads the eye to the documents of its folder.

export class Legend {
  /** @param {(folder: string) => void} chosen */
  constructor(chosen) {
    this.chosen = chosen;
    /** The folder that is lit up; empty for none. */
    this.folder = "";
    this.element = h("ul", { class: "graph-legend", "aria-label": t("legend.label") });
  }

  /** @param {Group[]} groups */
  show(groups) {
    refill(this.element, groups.length > 1 && groups.map((group, at) => h("li", null, this.#entry(group, at))));
    this.mark(this.folder);
  }

  /** @param {string} folder */
  mark(folder) {
    this.folder = folder;
    for (const button of this.element.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(folder !== "" && button.dataset.folder === folder));
  }

  /** @param {Group} group @param {number} at */
  #entry({ folder, name, count }, at) {
    const dot = h("i", { class: at < HUES ? `hue-${at}` : "", "aria-hidden": "true" });
    const size = h("span", { class: "numbers", "aria-hidden": "true" }, whole(count));
    // All small folders together, and the files beside all folders, are no folder to choose.
    if (!folder) return h("span", { class: "graph-key" }, dot, h("span", { class: "graph-key-name" }, name), size);
    return h(
      "button",
      {
        type: "button",
        class: "graph-key",
        data: { folder },
        title: folder,
        "aria-label": `${name} ${t("count.documents", { count })}`,
        onclick: () => this.chosen(this.folder === folder ? "" : folder),
      },
      dot,
      h("span", { class: "graph-key-name" }, name),
      size,
    );
  }
}

// -- What of it is shown, and how deep folders have colours of their own

export class Choices {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** 0 for the depth that tells most. */
    this.depth = 0;
    this.orphans = this.#box(t("graph.orphans"), true);
    this.tags = this.#box(t("graph.tags"), false);
    this.depths = h("select", { id: freshId("graph-depth"), class: "input", onchange: () => this.#pick() });
    this.element = h(
      "div",
      { class: "graph-choices" },
      h("fieldset", { class: "graph-boxes" }, h("legend", null, t("graph.show")), this.orphans.label, this.tags.label),
      h("div", { class: "field graph-depth" }, h("label", { for: this.depths.id }, t("graph.colours")), this.depths),
    );
    this.show(1, 0);
  }

  /** Depths to choose from. @param {number} deepest @param {number} best */
  show(deepest, best) {
    const label = (/** @type {number} */ depth) => t("graph.depth", { count: depth });
    refill(
      this.depths,
      h("option", { value: 0 }, best > 0 ? t("graph.depth.chosen", { count: best }) : t("graph.depth.best")),
      Array.from({ length: deepest }, (_, at) => h("option", { value: at + 1 }, label(at + 1))),
    );
    this.depths.value = String(Math.min(this.depth, deepest));
  }

  /** From the address. @param {URLSearchParams} query */
  read(query) {
    this.orphans.input.checked = query.get("orphans") !== "no";
    this.tags.input.checked = query.get("tags") === "yes";
    this.depth = Math.max(0, Math.min(20, Math.round(Number(query.get("depth"))) || 0));
  }

  #pick() {
    this.depth = Number(this.depths.value);
    this.changed();
  }

  /** For the address. */
  written() {
    return {
      orphans: this.orphans.input.checked ? null : "no",
      tags: this.tags.input.checked ? "yes" : null,
      depth: this.depth || null,
    };
  }

  /** @param {string} name @param {boolean} checked */
  #box(name, checked) {
    const input = h("input", { type: "checkbox", checked, onchange: () => this.changed() });
    return { input, label: h("label", null, input, h("span", null, name)) };
  }
}

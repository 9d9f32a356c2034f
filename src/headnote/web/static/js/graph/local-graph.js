/** The documents around the one that is read, as a small graph and as a list. */

import { get, Latest } from "../core/api.js";
import { freshId, h, refill } from "../core/dom.js";
import { hrefOf } from "../core/routes.js";
import { t } from "../core/texts.js";
import { foldersAbove } from "../folders/model.js";
import { recall, remember } from "../shell/preferences.js";
import { Picture } from "./picture.js";
import { makeScene } from "./scene.js";

/** @typedef {import("../types.js").Neighbourhood} Neighbourhood */

const narrow = matchMedia("(max-width: 62rem)");

export class LocalGraph {
  constructor() {
    this.path = "";
    this.latest = new Latest();
    this.depth = recall("local-graph-depth") === "2" ? 2 : 1;
    this.picture = new Picture({
      label: t("nearby.label"),
      isSmall: true,
      opened: ({ path }) => (location.hash = hrefOf("document", { path })),
    });
    this.count = h("span", { class: "chip numbers" });
    this.note = h("p", { class: "soft small" });
    this.list = h("ul", { class: "aside-links" });
    this.rows = h("details", { class: "disclosure" }, h("summary", null, t("nearby.list")), this.list);
    this.element = h(
      "details",
      { class: "disclosure aside-part local-graph", open: !narrow.matches && recall("local-graph") !== "closed" },
      h("summary", null, h("h2", null, t("nearby.title")), this.count),
      h("div", { class: "local-graph-box" }, this.picture.canvas),
      h("div", { class: "local-graph-tools" }, this.#depths(), this.note),
      this.rows,
    );
    this.element.addEventListener("toggle", () => {
      remember("local-graph", this.element.open ? null : "closed");
      this.#fetch();
    });
  }

  /** @param {string} path Of the document that is read. */
  show(path) {
    this.path = path;
    this.#fetch();
  }

  #depths() {
    const name = freshId("local-depth");
    const choice = (/** @type {number} */ depth) =>
      h(
        "label",
        null,
        h("input", {
          type: "radio",
          name,
          value: depth,
          checked: depth === this.depth,
          onchange: () => {
            this.depth = depth;
            remember("local-graph-depth", depth === 2 ? "2" : null);
            this.#fetch();
          },
        }),
        h("span", null, t("count.links", { count: depth })),
      );
    return h("fieldset", { class: "segments" }, h("legend", null, t("nearby.depth")), choice(1), choice(2));
  }

  #fetch() {
    if (!this.element.open || !this.path) return;
    const { path, depth } = this;
    this.latest.run(0, (signal) => get("/api/neighbourhood", { path, depth }, signal), {
      done: (near) => this.#draw(near),
      // What is wrong is told where the document is.
      failed: () => {},
    });
  }

  /** @param {Neighbourhood} near */
  #draw(near) {
    const [, ...others] = near.nodes;
    const total = others.length + near.left_out;
    this.count.textContent = String(total);
    const scene = makeScene(near, { hues: huesOf(near), hasTags: false, hasOrphans: true });
    scene.middle = 0;
    this.picture.canvas.setAttribute("aria-label", t("nearby.described", { count: total }));
    this.picture.show(scene);
    this.note.textContent =
      total === 0 ? t("nearby.none") : near.left_out > 0 ? t("nearby.some", { count: others.length }) : "";
    this.rows.hidden = total === 0;
    refill(
      this.list,
      others.map(({ path, title, distance }) =>
        h(
          "li",
          null,
          h(
            "a",
            { class: "break", href: hrefOf("document", { path }) },
            title || path,
            distance > 1 && h("span", { class: "soft" }, `, ${t("nearby.away", { count: distance })}`),
          ),
        ),
      ),
    );
  }
}

/** The folder of the document has the first colour; others take the next in turn. @param {Neighbourhood} near */
function huesOf({ nodes }) {
  /** @type {Map<string, number>} */
  const hues = new Map();
  return nodes.map(({ path }) => {
    const folder = foldersAbove(path).at(-1) ?? "";
    const hue = hues.get(folder) ?? hues.size % 8;
    hues.set(folder, hue);
    return hue;
  });
}

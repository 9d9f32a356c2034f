/** Documents and the links between them. */

import { get } from "../core/api.js";
import { errorNotice, h, refill } from "../core/dom.js";
import { list } from "../core/format.js";
import { hrefOf, rewrite } from "../core/routes.js";
import { currentStatus, onChange } from "../core/status-feed.js";
import { t } from "../core/texts.js";
import { heading } from "../shell/focus.js";
import { registerKeys } from "../shell/keys.js";
import { Choices, colouring, depthOf, Legend } from "./legend.js";
import { Picture } from "./picture.js";
import { makeScene } from "./scene.js";
import { isMeant, Side } from "./side.js";

/** @typedef {import("../types.js").Graph} Graph */
/** @typedef {import("./scene.js").Point} Point */

class GraphView {
  constructor() {
    this.picture = new Picture({ label: t("graph.label"), opened: open });
    this.canvas = this.picture.canvas;
    this.canvas.setAttribute("aria-describedby", "graph-help");
    this.choices = new Choices(() => this.#choose());
    this.legend = new Legend((folder) => this.#narrow(folder));
    const handlers = {
      pointed: (/** @type {string|null} */ path) => this.#pointPath(path),
      searched: () => this.#searched(),
    };
    this.side = new Side(handlers, [this.choices.element, this.legend.element]);
    /** @type {Graph} */
    this.graph = { nodes: [], edges: [], orphans: [], broken: [], spots: [] };
    /** Generation of the index that is drawn; undefined before any. @type {number|null|undefined} */
    this.loaded = undefined;
    this.failure = h("div");
    this.waiting = h("p", { class: "soft waiting graph-waiting" }, t("graph.reading"));
    this.element = this.#frame();
    onChange(() => !this.element.hidden && this.#fetch());
    registerKeys("graph", [
      {
        press: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
        meaning: t("keys.graph.move"),
      },
      { press: ["+", "-"], meaning: t("keys.graph.zoom") },
    ]);
  }

  #frame() {
    const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => void} */ act) =>
      h(
        "button",
        { type: "button", class: "button graph-button", "aria-label": label, title: label, onclick: act },
        sign,
      );
    const box = h(
      "div",
      { class: "graph-box" },
      this.canvas,
      this.waiting,
      h(
        "div",
        { class: "graph-buttons" },
        button(t("graph.zoomIn"), "+", () => this.picture.camera.zoom(1.35)),
        button(t("graph.zoomOut"), "−", () => this.picture.camera.zoom(0.74)),
        button(t("graph.fit"), "⤢", () => this.picture.fit()),
        button(t("graph.save"), "⤓", () => void this.#save()),
      ),
    );
    return h(
      "section",
      { class: "view graph-view", "aria-labelledby": "graph-h" },
      h("h1", { id: "graph-h", class: "visually-hidden", tabindex: "-1" }, t("view.graph")),
      h("p", { id: "graph-help", class: "visually-hidden" }, t("graph.help")),
      this.failure,
      h("div", { class: "graph-grid" }, box, this.side.element),
    );
  }

  /** @param {URLSearchParams} query */
  show(query) {
    this.#read(query);
    this.#fetch();
  }

  #fetch() {
    // The generation of the index changes when there is something new to draw.
    const generation = currentStatus()?.generation ?? null;
    if (this.loaded !== undefined && this.loaded === generation) return;
    this.loaded = generation;
    get("/api/graph").then(
      (graph) => this.#load(graph),
      (error) => {
        this.loaded = undefined;
        this.waiting.hidden = true;
        refill(this.failure, errorNotice(error));
      },
    );
  }

  title() {
    return t("view.graph");
  }

  /** The field, where that is in sight: below the picture, it would scroll the picture away. */
  focus() {
    const isInSight = this.side.input.getBoundingClientRect().bottom < window.innerHeight;
    (isInSight ? this.side.input : heading())?.focus({ preventScroll: true });
  }

  /** Follow an address that differs from what is shown. @param {URLSearchParams} query */
  #read(query) {
    if (hrefOf("graph", Object.fromEntries(query)) === this.#address()) return;
    this.choices.read(query);
    this.side.input.value = query.get("q") ?? "";
    this.legend.mark(query.get("folder") ?? "");
    if (this.graph.nodes.length > 0) this.#draw();
  }

  #address() {
    return hrefOf("graph", {
      q: this.side.input.value,
      folder: this.legend.folder,
      ...this.choices.written(),
    });
  }

  /** @param {Graph} graph */
  #load(graph) {
    refill(this.failure);
    this.graph = graph;
    this.waiting.hidden = graph.nodes.length > 0;
    this.waiting.textContent = t("empty.title");
    this.side.show(graph);
    this.#draw();
  }

  /** What is shown or how it is coloured has changed. */
  #choose() {
    rewrite(this.#address());
    this.#draw();
  }

  #draw() {
    const { nodes, edges, orphans, broken } = this.graph;
    const paths = nodes.map(({ path }) => path);
    this.choices.show(Math.max(1, Math.min(6, depthOf(paths))), colouring(paths, 0).depth);
    const { groups, of } = colouring(paths, this.choices.depth);
    this.legend.show(groups);
    const hasTags = this.choices.tags.input.checked;
    const hasOrphans = this.choices.orphans.input.checked;
    const scene = makeScene(this.graph, { hues: of, hasTags, hasOrphans });
    this.places = new Map(scene.points.map(({ path }, at) => [path, at]));
    const tags = scene.points.filter(({ isTag }) => isTag).length;
    const amounts = [
      t("count.links", { count: edges.length }),
      t(hasOrphans ? "count.orphans" : "count.orphans.hidden", { count: orphans.length }),
      ...(hasTags ? [t("count.tags", { count: tags })] : []),
      t("count.broken", { count: broken.length }),
    ];
    const described = t("graph.described", { count: nodes.length, amounts: list(amounts) });
    this.canvas.setAttribute("aria-label", described);
    this.picture.show(scene);
    this.#search();
  }

  async #save() {
    const blob = await this.picture.toFile();
    const address = URL.createObjectURL(blob);
    h("a", { href: address, download: `${currentStatus()?.root ?? "headnote"} graph.png` }).click();
    URL.revokeObjectURL(address);
  }

  #searched() {
    rewrite(this.#address());
    this.#search();
  }

  /** Light up the documents of a folder; an empty one stands for all. @param {string} folder */
  #narrow(folder) {
    this.legend.mark(folder);
    this.#searched();
  }

  #search() {
    const words = this.side.words();
    const { folder } = this.legend;
    this.side.narrow(folder);
    if (words.length === 0 && !folder) {
      this.picture.match(null);
      return;
    }
    const { points } = this.picture.scene;
    this.picture.match(
      new Set([...points.keys()].filter((at) => isMeant({ ...points[at], title: points[at].name }, words, folder))),
    );
  }

  /** @param {string|null} path */
  #pointPath(path) {
    const at = path === null ? -1 : (this.places?.get(path) ?? -1);
    this.picture.point(at);
    if (at >= 0) this.picture.bringIntoSight(at);
  }
}

/** A document opens; a tag finds its passages. @param {Point} point */
function open({ path, name, isTag }) {
  location.hash = isTag ? hrefOf("search", { tag: name.slice(1) }) : hrefOf("document", { path });
}

export function createGraphView() {
  return new GraphView();
}

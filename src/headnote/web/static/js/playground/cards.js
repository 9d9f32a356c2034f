/** What came out: in numbers, what had to be cut, and the chunks one by one. */

import { crumbs, h, refill } from "../core/dom.js";
import { lines, plural, whole } from "../core/format.js";
import { unitOf } from "./choice.js";

/** @typedef {import("../types.js").Block} Block */
/** @typedef {import("../types.js").Chunk} Chunk */
/** @typedef {import("../types.js").Chunked} Chunked */

// -- In numbers, and what had to be cut

const MAX_CUTS = 12;

/** @param {Chunked} result */
export function numbers({ chunks, blocks, settings }) {
  const sizes = chunks.map((chunk) => chunk.tokens).sort((a, b) => a - b);
  const middle = sizes.length > 0 ? sizes[sizes.length >> 1] : 0;
  const over = sizes.filter((size) => size > Number(settings.max_tokens)).length;
  const cut = blocks.filter((block) => block.cut).length;
  /** @type {[string, string, string][]} */
  const facts = [
    [whole(chunks.length), chunks.length === 1 ? "chunk" : "chunks", ""],
    [whole(middle), `${unitOf(settings)}, median`, ""],
    [whole(sizes.at(-1) ?? 0), over > 0 ? `largest, ${over} over max` : "largest", over > 0 ? "over" : ""],
    [whole(cut), cut === 1 ? "block cut" : "blocks cut", ""],
  ];
  return h(
    "dl",
    { class: "facts numbers" },
    facts.map(([value, name, style]) => h("div", { class: style }, h("dt", null, name), h("dd", null, value))),
  );
}

/** @param {Chunked} result */
export function listTitle({ seconds }) {
  return `Chunks, cut in ${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
}

/**
 * Blocks that are cut between chunks.
 * @param {Chunked} result
 * @param {(chunk: number) => void} choose
 */
export function cuts({ blocks, chunks }, choose) {
  const cut = blocks.filter((block) => block.cut);
  if (cut.length === 0) {
    return h(
      "p",
      { class: "cuts-none small" },
      h("span", { class: "cuts-good", "aria-hidden": "true" }, "✓ "),
      "No block had to be cut.",
    );
  }
  const rows = cut.slice(0, MAX_CUTS).map((block) => h("li", null, cutRow(block, chunks, choose)));
  return h(
    "div",
    { class: "cuts" },
    h("h3", null, `${plural(cut.length, "block")} cut`),
    h("ul", null, rows),
    cut.length > MAX_CUTS && h("p", { class: "soft small" }, `and ${plural(cut.length - MAX_CUTS, "other")}`),
  );
}

/** @param {Block} block @param {Chunked["chunks"]} chunks @param {(chunk: number) => void} choose */
function cutRow(block, chunks, choose) {
  const holders = chunks.flatMap((chunk, at) => (chunk.start < block.end && chunk.end > block.start ? [at] : []));
  return h(
    "button",
    { type: "button", class: "cut-row", onclick: () => choose(holders[0] ?? 0) },
    h("span", { class: "cut-kind" }, block.kind.replace("_", " ")),
    h("span", { class: "soft numbers" }, `lines ${lines(block.start_line, block.end_line)}`),
    h(
      "span",
      { class: "cut-holders", "aria-hidden": "true" },
      holders.slice(0, 12).map((at) => h("i", { class: `hue-${at % 8}` })),
    ),
    h("span", { class: "soft numbers" }, `in ${holders.length}`),
  );
}

// -- The chunks one by one: size, breadcrumb, and the text exactly as it is embedded

const MAX_CARDS = 150;

export class Cards {
  /** @param {{pointed: (chunk: number) => void, chosen: (chunk: number) => void}} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.rows = h("ol", { class: "cards" });
    this.rest = h("p", { class: "soft small" });
    this.element = h("div", { class: "cards-box" }, this.rows, this.rest);
  }

  /** @param {Chunked} result */
  show({ chunks, settings }) {
    const open = new Set([...this.rows.querySelectorAll("details")].flatMap((card, at) => (card.open ? [at] : [])));
    const most = Number(settings.max_tokens);
    refill(
      this.rows,
      chunks
        .slice(0, MAX_CARDS)
        .map((chunk, at) => this.#card(chunk, at, most, settings.breadcrumb === true, open.has(at))),
    );
    this.rest.textContent = chunks.length > MAX_CARDS ? `and ${plural(chunks.length - MAX_CARDS, "chunk")} more` : "";
  }

  /** @param {number} chunk */
  activate(chunk) {
    this.rows.querySelector(".card.active")?.classList.remove("active");
    if (chunk >= 0) this.rows.children[chunk]?.classList.add("active");
  }

  /** @param {number} chunk */
  reveal(chunk) {
    const card = this.rows.children[chunk];
    const box = this.element.closest(".lane-list");
    if (!(card instanceof HTMLElement) || !box || box.scrollHeight <= box.clientHeight) return;
    box.scrollTo({ top: card.offsetTop - 80 });
  }

  /**
   * @param {Chunk} chunk
   * @param {number} at
   * @param {number} most
   * @param {boolean} withCrumbs
   * @param {boolean} isOpen
   */
  #card(chunk, at, most, withCrumbs, isOpen) {
    const meter = h("span", { class: "meter", "aria-hidden": "true" }, h("i"));
    meter.style.setProperty("--part", `${Math.min(100, (100 * chunk.tokens) / most)}%`);
    meter.style.setProperty("--fill", "var(--hue)");
    const body = h("div", { class: "card-body" });
    const details = h(
      "details",
      { class: "card-details", open: isOpen },
      h(
        "summary",
        null,
        h("span", { class: "card-number numbers" }, at + 1),
        h(
          "span",
          { class: "card-main" },
          h(
            "span",
            { class: "card-title" },
            chunk.breadcrumb ? crumbs(chunk.breadcrumb) : h("span", { class: "soft" }, "before the first heading"),
          ),
          meter,
          h(
            "span",
            { class: "card-notes soft numbers" },
            [`lines ${lines(chunk.start_line, chunk.end_line)}`, ...notes(chunk)].join(" · "),
          ),
        ),
        h("span", { class: chunk.tokens > most ? "card-size numbers over" : "card-size numbers" }, whole(chunk.tokens)),
      ),
      body,
    );
    const fill = () => details.open && body.childElementCount === 0 && refill(body, embedded(chunk, withCrumbs));
    details.addEventListener("toggle", fill);
    fill();
    const card = h("li", { class: `card hue-${at % 8}` }, details);
    card.addEventListener("pointerenter", () => this.handlers.pointed(at));
    card.addEventListener("pointerleave", () => this.handlers.pointed(-1));
    card.addEventListener("focusin", () => this.handlers.chosen(at));
    return card;
  }
}

/** @param {Chunk} chunk */
function notes(chunk) {
  return [
    chunk.part !== null && "part of a section",
    chunk.overlap && "overlaps the previous chunk",
    chunk.prefix &&
      (/^\s*(```|~~~)/.test(chunk.prefix)
        ? "fence reopened"
        : chunk.prefix.includes("|")
          ? "table header repeated"
          : ""),
  ].filter(Boolean);
}

/** @param {Chunk} chunk @param {boolean} withCrumbs */
function embedded(chunk, withCrumbs) {
  const { text, prefix, suffix, overlap, breadcrumb } = chunk;
  const isWithin = overlap !== "" && text.startsWith(overlap);
  const front = prefix && text.startsWith(prefix) ? prefix : isWithin ? overlap : "";
  const back = suffix && text.endsWith(suffix) ? suffix : "";
  return h(
    "pre",
    { class: "card-text", tabindex: "0", role: "group", "aria-label": "Text that is embedded" },
    withCrumbs && breadcrumb && h("span", { class: "added", title: "breadcrumb" }, `${breadcrumb}\n\n`),
    overlap &&
      !isWithin &&
      h("span", { class: "repeated", title: "repeated from the previous chunk" }, `${overlap}\n\n`),
    front &&
      h(
        "span",
        { class: isWithin && !prefix ? "repeated" : "added", title: "repeated so that the chunk stands alone" },
        front,
      ),
    text.slice(front.length, text.length - back.length),
    back && h("span", { class: "added", title: "added so that the chunk stands alone" }, back),
  );
}

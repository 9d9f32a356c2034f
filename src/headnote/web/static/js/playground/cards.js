/** What came out: in numbers, what had to be cut, and the chunks one by one. */

import { crumbs, h, refill } from "../core/dom.js";
import { exactly, inLines, whole } from "../core/format.js";
import { known, t } from "../core/texts.js";
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
    [whole(chunks.length), t("fact.chunks", { count: chunks.length }), ""],
    [whole(middle), t("fact.median", { unit: unitOf(settings) }), ""],
    [
      whole(sizes.at(-1) ?? 0),
      over > 0 ? t("fact.largest.over", { count: over }) : t("fact.largest"),
      over > 0 ? "over" : "",
    ],
    [whole(cut), t("fact.cut", { count: cut }), ""],
  ];
  return h(
    "dl",
    { class: "facts numbers" },
    facts.map(([value, name, style]) => h("div", { class: style }, h("dt", null, name), h("dd", null, value))),
  );
}

/** @param {Chunked} result */
export function listTitle({ seconds }) {
  return t("cards.title", { time: exactly(seconds * 1000, seconds < 0.01 ? 1 : 0) });
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
      t("cuts.none"),
    );
  }
  const rows = cut.slice(0, MAX_CUTS).map((block) => h("li", null, cutRow(block, chunks, choose)));
  return h(
    "div",
    { class: "cuts" },
    h("h3", null, t("cuts.title", { count: cut.length })),
    h("ul", null, rows),
    cut.length > MAX_CUTS && h("p", { class: "soft small" }, t("cuts.more", { count: cut.length - MAX_CUTS })),
  );
}

/** @param {Block} block @param {Chunked["chunks"]} chunks @param {(chunk: number) => void} choose */
function cutRow(block, chunks, choose) {
  const holders = chunks.flatMap((chunk, at) => (chunk.start < block.end && chunk.end > block.start ? [at] : []));
  return h(
    "button",
    { type: "button", class: "cut-row", onclick: () => choose(holders[0] ?? 0) },
    h("span", { class: "cut-kind" }, known(`block.${block.kind}`, block.kind)),
    h("span", { class: "soft numbers" }, inLines(block.start_line, block.end_line)),
    h(
      "span",
      { class: "cut-holders", "aria-hidden": "true" },
      holders.slice(0, 12).map((at) => h("i", { class: `hue-${at % 8}` })),
    ),
    h("span", { class: "soft numbers" }, t("cuts.chunks", { count: holders.length })),
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
    const more = chunks.length - MAX_CARDS;
    this.rest.textContent = more > 0 ? t("cards.more", { count: more }) : "";
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
            chunk.breadcrumb ? crumbs(chunk.breadcrumb) : h("span", { class: "soft" }, t("card.preamble")),
          ),
          meter,
          h(
            "span",
            { class: "card-notes soft numbers" },
            [inLines(chunk.start_line, chunk.end_line), ...notes(chunk)].join(" · "),
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
    chunk.part !== null && t("card.part"),
    chunk.overlap && t("card.overlap"),
    chunk.prefix &&
      (/^\s*(```|~~~)/.test(chunk.prefix)
        ? t("card.fence")
        : chunk.prefix.includes("|")
          ? t("card.table")
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
    { class: "card-text", tabindex: "0", role: "group", "aria-label": t("card.text") },
    withCrumbs && breadcrumb && h("span", { class: "added", title: t("card.breadcrumb") }, `${breadcrumb}\n\n`),
    overlap &&
      !isWithin &&
      h("span", { class: "repeated", title: t("card.repeated") }, `${overlap}\n\n`),
    front &&
      h(
        "span",
        { class: isWithin && !prefix ? "repeated" : "added", title: t("card.front") },
        front,
      ),
    text.slice(front.length, text.length - back.length),
    back && h("span", { class: "added", title: t("card.back") }, back),
  );
}

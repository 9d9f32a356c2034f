/** What came out, in numbers, and what had to be cut. */

import { h } from "../core/dom.js";
import { lines, plural, whole } from "../core/format.js";
import { unitOf } from "./units.js";

/** @typedef {import("../types.js").Chunked} Chunked */
/** @typedef {import("../types.js").Block} Block */

const MOST_CUTS = 12;

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
  const rows = cut.slice(0, MOST_CUTS).map((block) => h("li", null, cutRow(block, chunks, choose)));
  return h(
    "div",
    { class: "cuts" },
    h("h3", null, `${plural(cut.length, "block")} cut`),
    h("ul", null, rows),
    cut.length > MOST_CUTS && h("p", { class: "soft small" }, `and ${plural(cut.length - MOST_CUTS, "other")}`),
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

/** The chunks one by one: size, breadcrumb, and the text exactly as it is embedded. */

import { crumbs, h, refill } from "../core/dom.js";
import { lines, plural, whole } from "../core/format.js";

/** @typedef {import("../types.js").Chunk} Chunk */
/** @typedef {import("../types.js").Chunked} Chunked */

const MOST = 150;

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
      chunks.slice(0, MOST).map((chunk, at) => this.#card(chunk, at, most, settings.breadcrumb === true, open.has(at))),
    );
    this.rest.textContent = chunks.length > MOST ? `and ${plural(chunks.length - MOST, "chunk")} more` : "";
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

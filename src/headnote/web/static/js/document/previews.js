/**
 * The beginning of what a link leads to, beside the link that is pointed at or focused.
 *
 * It can be pointed at itself, stays as long as the link or it is pointed at, and Esc closes it.
 */

import { get, Latest } from "../core/api.js";
import { freshId, h, refill } from "../core/dom.js";
import { parseRoute } from "../core/routes.js";
import { onChange } from "../core/status-feed.js";

/** @typedef {{path: string, title: string, heading: string, lines: {text: string, code: boolean}[]}} Preview */

const PAUSE = 350;
const LINGER = 250;
const MAX_ENTRIES = 100;
const GAP = 6;

export class Previews {
  /** @param {HTMLElement} article */
  constructor(article) {
    this.article = article;
    this.latest = new Latest();
    /** @type {Map<string, Promise<Preview>>} By address. */
    this.known = new Map();
    /** @type {HTMLAnchorElement|null} The link that the preview is of, or will be. */
    this.link = null;
    this.element = h("div", { class: "preview", role: "tooltip", id: freshId("preview"), popover: "manual" });
    document.body.append(this.element);
    article.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.#enter(event.target));
    article.addEventListener("pointerout", (event) => this.#leave(event.relatedTarget));
    article.addEventListener("focusin", ({ target }) => {
      if (target instanceof Element && target.matches(":focus-visible")) this.#enter(target);
    });
    article.addEventListener("focusout", (event) => this.#leave(event.relatedTarget));
    this.element.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.element.addEventListener("pointerleave", (event) => this.#leave(event.relatedTarget));
    document.addEventListener("keydown", (event) => this.#key(event), true);
    onChange(() => this.known.clear());
  }

  hide() {
    clearTimeout(this.timer);
    this.latest.stop();
    this.link?.removeAttribute("aria-describedby");
    this.link = null;
    if (this.element.matches(":popover-open")) this.element.hidePopover();
  }

  /** @param {EventTarget|null} target */
  #enter(target) {
    const link = target instanceof Element ? target.closest("a") : null;
    if (!link || !this.article.contains(link)) return;
    clearTimeout(this.timer);
    if (link === this.link) return;
    this.hide();
    this.link = link;
    this.latest.run(PAUSE, () => this.#content(link), {
      done: (content) => content && this.link === link && this.#show(link, content),
      // A link without a preview is a link.
      failed: () => this.hide(),
    });
  }

  /** @param {EventTarget|null} to Where the pointer or the focus goes. */
  #leave(to) {
    if (to instanceof Node && (this.link?.contains(to) || this.element.contains(to))) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), LINGER);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "Escape" || !this.element.matches(":popover-open")) return;
    event.preventDefault();
    event.stopPropagation();
    this.hide();
  }

  /** @param {HTMLAnchorElement} link @returns {Promise<Node[]|null>} */
  async #content(link) {
    const note = this.#footnote(link);
    if (note) return [h("p", null, note)];
    const route = parseRoute(link.getAttribute("href") ?? "");
    const path = route?.view === "document" ? route.query.get("path") : null;
    if (!path) return null;
    return draw(await this.#ask(path, route?.query.get("fragment") ?? ""));
  }

  /** The text of the note that a number leads to. @param {HTMLAnchorElement} link */
  #footnote(link) {
    const anchor = link.closest("sup") && link.getAttribute("data-fragment");
    if (!anchor) return "";
    const note = this.article.querySelector(`li[data-anchor="${CSS.escape(anchor)}"]`);
    return note?.textContent?.replace("↩", "").trim() ?? "";
  }

  /** @param {string} path @param {string} fragment */
  #ask(path, fragment) {
    const key = `${path}#${fragment}`;
    let answer = this.known.get(key);
    if (!answer) {
      answer = get("/api/preview", { path, fragment });
      answer.catch(() => this.known.delete(key));
      this.known.set(key, answer);
      if (this.known.size > MAX_ENTRIES) this.known.delete([...this.known.keys()][0]);
    }
    return answer;
  }

  /** @param {HTMLAnchorElement} link @param {Node[]} content */
  #show(link, content) {
    refill(this.element, content);
    this.element.showPopover();
    link.setAttribute("aria-describedby", this.element.id);
    const at = link.getClientRects()[0];
    if (!at) return;
    const { width, height } = this.element.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    const isBelow = at.bottom + GAP + height <= window.innerHeight || at.top < height + GAP;
    const top = isBelow ? at.bottom + GAP : at.top - GAP - height;
    const left = Math.max(8, Math.min(at.left, room - width - 8));
    this.element.style.setProperty("top", `${top + window.scrollY}px`);
    this.element.style.setProperty("left", `${left + window.scrollX}px`);
  }
}

/** @param {Preview} preview */
function draw({ path, title, heading, lines }) {
  return [
    h("p", { class: "preview-title" }, heading || title || path),
    h("p", { class: "preview-place mono soft" }, path),
    ...lines.map(({ text, code }) => h("p", { class: code ? "preview-code mono" : null }, text)),
  ];
}

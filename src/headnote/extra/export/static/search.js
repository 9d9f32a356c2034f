// <headnote-search>: a box that searches this site. It needs no server, and loads only what a query needs.

import { Engine } from "./engine.js";
import { termsOf } from "./terms.js";

const HERE = new URL("./", import.meta.url);
const PAUSE = 120;
const SHOWN = 220;

class SearchBox extends HTMLElement {
  connectedCallback() {
    if (this.engine) return;
    /** The top of the site, from which addresses of pages are counted. */
    this.site = new URL(this.getAttribute("site") ?? "../", HERE);
    this.engine = new Engine(HERE);
    this.asked = 0;
    this.current = -1;
    this.isAsking = false;
    this.opensFirst = false;
    const label = this.getAttribute("label") ?? "Search";
    const list = `headnote-hits-${document.querySelectorAll("headnote-search").length}`;
    this.input = element("input", { type: "search", placeholder: label, autocomplete: "off", spellcheck: "false" });
    const roles = { role: "combobox", "aria-label": label, "aria-expanded": "false", "aria-autocomplete": "list" };
    for (const [name, value] of Object.entries({ ...roles, "aria-controls": list })) {
      this.input.setAttribute(name, value);
    }
    // No lists: themes have rules for those in a text, and bullets for them.
    this.list = element("div", { id: list, class: "headnote-hits", role: "listbox", "aria-label": label, hidden: "" });
    this.status = element("p", { class: "headnote-status", role: "status" });
    this.append(this.input, this.list, this.status);
    this.input.addEventListener("input", () => this.later());
    this.input.addEventListener("keydown", (event) => this.key(/** @type {KeyboardEvent} */ (event)));
  }

  /** Search when nobody has typed for a moment. */
  later() {
    this.isAsking = true;
    this.opensFirst = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(), PAUSE);
  }

  async search() {
    const query = /** @type {HTMLInputElement} */ (this.input).value.trim();
    const asked = ++/** @type {any} */ (this).asked;
    if (!query) return this.show([], "");
    try {
      const hits = await /** @type {Engine} */ (this.engine).search(query);
      if (asked === this.asked) this.show(hits, countOf(hits.length));
    } catch (error) {
      if (asked === this.asked) this.show([], `The search cannot be loaded: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {import("./engine.js").Hit[]} hits @param {string} status */
  show(hits, status) {
    const list = /** @type {HTMLElement} */ (this.list);
    const input = /** @type {HTMLElement} */ (this.input);
    this.current = -1;
    this.isAsking = false;
    list.replaceChildren(...hits.map((hit, at) => this.item(hit, `${list.id}-${at}`)));
    list.hidden = !hits.length;
    input.setAttribute("aria-expanded", String(Boolean(hits.length)));
    input.removeAttribute("aria-activedescendant");
    /** @type {HTMLElement} */ (this.status).textContent = status;
    this.dispatchEvent(new CustomEvent("headnote-hits", { detail: hits }));
    if (this.opensFirst) list.querySelector("a")?.click();
    this.opensFirst = false;
  }

  /** @param {import("./engine.js").Hit} hit @param {string} id */
  item(hit, id) {
    const link = element("a", { class: "headnote-hit", href: new URL(hit.url, this.site).href, tabindex: "-1" });
    const found = new Set(hit.terms);
    link.append(element("strong", {}, hit.title));
    const headings = hit.headings.filter((heading) => heading !== hit.title).join(" › ");
    if (headings) link.append(element("span", { class: "headnote-headings" }, headings));
    const text = element("span", { class: "headnote-text" });
    text.append(...marked(excerpt(hit.text, found), found));
    link.append(text);
    const item = element("div", { id, role: "option", "aria-selected": "false" });
    item.append(link);
    return item;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.isComposing) return; // the keys are those of an input method
    const items = [.../** @type {HTMLElement} */ (this.list).children];
    const current = this.current ?? -1;
    if (event.key === "ArrowDown") this.select(Math.min(current + 1, items.length - 1));
    else if (event.key === "ArrowUp") this.select(Math.max(current - 1, -1));
    else if (event.key === "Enter" && this.isAsking) this.opensFirst = true; // the hits are still those of before
    else if (event.key === "Enter") items[Math.max(current, 0)]?.querySelector("a")?.click();
    else if (event.key === "Escape") {
      /** @type {HTMLInputElement} */ (this.input).value = "";
      clearTimeout(this.timer);
      this.asked = (this.asked ?? 0) + 1;
      this.opensFirst = false;
      this.show([], "");
    } else return;
    event.preventDefault();
  }

  /** @param {number} at */
  select(at) {
    this.current = at;
    const items = [.../** @type {HTMLElement} */ (this.list).children];
    items.forEach((item, number) => item.setAttribute("aria-selected", String(number === at)));
    items[at]?.scrollIntoView({ block: "nearest" });
    if (items[at]) /** @type {HTMLElement} */ (this.input).setAttribute("aria-activedescendant", items[at].id);
    else /** @type {HTMLElement} */ (this.input).removeAttribute("aria-activedescendant");
  }
}

/** @param {number} hits */
function countOf(hits) {
  return hits ? `${hits} ${hits === 1 ? "hit" : "hits"}` : "No page is about that.";
}

/** The part of a text that has most of the terms. @param {string} text @param {Set<string>} found */
function excerpt(text, found) {
  if (text.length <= SHOWN) return text;
  const first = [...text.matchAll(/\S+/g)].find((word) => termsOf(word[0]).some((term) => found.has(term)));
  const start = Math.max(0, Math.min((first?.index ?? 0) - SHOWN / 3, text.length - SHOWN));
  const from = start ? text.indexOf(" ", start) + 1 : 0;
  const end = from + SHOWN < text.length ? text.lastIndexOf(" ", from + SHOWN) : text.length;
  const shown = text.slice(from, end > from ? end : from + SHOWN);
  return `${from ? "… " : ""}${shown}${from + shown.length < text.length ? " …" : ""}`;
}

/** Text with the words that were found marked. @param {string} text @param {Set<string>} found */
function marked(text, found) {
  return text
    .split(/(\s+|[.,;:!?)\]]+(?=\s|$))/)
    .map((word) => (termsOf(word).some((term) => found.has(term)) ? element("mark", {}, word) : word));
}

/** @param {string} name @param {Record<string, string>} attributes @param {string} [text] */
function element(name, attributes, text) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

customElements.define("headnote-search", SearchBox);

/** Search as you type. */

import { get, Latest } from "../core/api.js";
import { announce, entitle, errorNotice, h, refill } from "../core/dom.js";
import { hrefOf, rewrite } from "../core/routes.js";
import { contents, currentStatus, onChange, onStatus } from "../core/status-feed.js";
import { t } from "../core/texts.js";
import { registerKeys } from "../shell/keys.js";
import { forgetSearches, recentSearches, rememberSearch } from "../shell/preferences.js";
import { Facets, Operators } from "./facets.js";
import { Filters } from "./filters.js";
import { amount, amountFound, documentHits, HitList, More, nothingTagged, tagNames, withTags } from "./hits.js";
import { correctedNotice, fillingNotice, nothingAsked, nothingFound, nothingYet, recentList } from "./states.js";

/** @typedef {import("../types.js").FilesRead} FilesRead */
/** @typedef {import("../types.js").SearchAnswer} SearchAnswer */

const PAUSE = 60; // between keys, before the server is asked
/** Until a filter that cannot be understood is taken for finished, in milliseconds. */
const SETTLED = 700;
/** Hits of a page. */
const LIMIT = 20;

class SearchView {
  constructor() {
    this.latest = new Latest();
    /** Address that the hits on the page belong to; null before any. @type {string|null} */
    this.answered = null;
    /** How much of the folder was searched; null if all of it. @type {FilesRead|null} */
    this.read = null;
    this.anyway = false;
    /** A query that is searched for as it is typed. @type {string|null} */
    this.asTyped = null;
    /** The search whose hits are shown, for the pages that follow. @type {Record<string, any>} */
    this.asked = {};
    this.filters = new Filters(() => this.#ask());
    this.facets = new Facets(this.filters);
    this.more = new More((byButton) => this.#showMore(byButton));
    this.following = new Latest();
    this.hits = new HitList();
    this.input = h("input", {
      class: "search-input",
      type: "search",
      "aria-label": t("view.search"),
      placeholder: t("view.search"),
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "search",
      "aria-describedby": "search-summary",
    });
    this.input.addEventListener("input", () => this.#ask());
    this.operators = new Operators(this.input, () => this.#ask(0));
    /** @type {number|undefined} */
    this.settling = undefined;
    this.summary = h("p", { class: "search-summary numbers", id: "search-summary" });
    this.filling = h("div", { class: "search-filling" });
    this.results = h("div", { class: "results" });
    this.element = h(
      "section",
      { class: "view view-narrow", "aria-labelledby": "search-h" },
      h("h1", { class: "visually-hidden", id: "search-h", tabindex: "-1" }, t("view.search")),
      h(
        "form",
        { class: "search-form", role: "search", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        h("div", { class: "search-box" }, this.input, h("kbd", { class: "search-key", "aria-hidden": "true" }, "/")),
        h("div", { class: "search-tools" }, this.filters.panel, this.facets.element, this.summary, this.facets.panel),
        this.operators.element,
      ),
      this.filling,
      this.results,
    );
    this.element.addEventListener("keydown", (event) => this.#move(event));
    this.hits.element.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest(".hit-link")) rememberSearch(this.input.value);
    });
    registerKeys("search", [
      { press: ["ArrowDown", "ArrowUp"], meaning: t("keys.hits") },
      { press: ["Enter"], meaning: t("keys.hits.open") },
      { press: ["Escape"], meaning: t("keys.hits.escape") },
    ]);
    onStatus((status) => {
      refill(this.filling, fillingNotice(status));
      if (this.answered === "" && !this.#address()) this.#showNothingAsked();
      if (status && this.read && this.#mayHaveMore(status.files_read)) this.#again();
    });
    onChange(() => this.#again());
  }

  /** Whether more would be found now than when the folder was read as far as then. @param {FilesRead|null} read */
  #mayHaveMore(read) {
    const isEmpty = !this.results.querySelector("a.hit-link");
    return read === null || (isEmpty && read.done !== this.read?.done);
  }

  /** Ask again, but never replace hits that the reader is about to open. */
  #again() {
    const isBusy = this.results.matches(":hover, :focus-within") || this.hits.count > LIMIT;
    if (this.answered && !this.element.hidden && !isBusy) this.#ask(0);
  }

  /** @param {URLSearchParams} query */
  show(query) {
    const text = query.get("q") ?? "";
    if (this.input.value !== text) this.input.value = text;
    this.filters.fill(query);
    if (this.answered !== this.#address()) this.#ask(0);
  }

  title() {
    return this.input.value ? t("search.of", { query: this.input.value }) : t("view.search");
  }

  /** @param {boolean} [isFirst] Whether the page has just been opened. */
  focus(isFirst = false) {
    this.input.focus();
    if (!isFirst) this.input.select();
  }

  #address() {
    const q = this.input.value.trim();
    return q ? hrefOf("search", { q, ...this.filters.address() }) : "";
  }

  #ask(pause = PAUSE) {
    const q = this.input.value.trim();
    const address = this.#address();
    rewrite(hrefOf("search", { q, ...this.filters.address() }));
    entitle(this.title());
    this.following.stop();
    window.clearTimeout(this.settling);
    if (!q) {
      this.latest.stop();
      this.answered = "";
      this.#showNothingAsked();
      return;
    }
    this.results.setAttribute("aria-busy", "true");
    // A blank at the end says that the last word is complete.
    const typed = this.input.value.trimStart();
    const chosen = { min_score: this.anyway ? "0" : null, literal: this.asTyped === q ? "true" : null };
    const parameters = { q: typed, limit: LIMIT, ...this.filters.query(), ...chosen };
    this.anyway = false;
    this.latest.run(pause, (signal) => get("/api/search", { ...parameters, facets: "true" }, signal), {
      done: (answer) => {
        this.asked = parameters;
        this.#showHits(q, address, answer);
      },
      failed: (error) => this.#showError(address, error),
    });
  }

  #showNothingAsked() {
    const filters = this.filters.set();
    if (filters.length > 0 && filters.every(({ name }) => name === "tag")) {
      this.#showTagged(filters.map(({ value }) => value));
      return;
    }
    this.results.removeAttribute("aria-busy");
    this.summary.textContent = "";
    this.facets.show([], 0);
    this.operators.clear();
    this.filters.tellProblem("");
    const forget = () => {
      forgetSearches();
      this.#showNothingAsked();
      this.input.focus();
    };
    const shown = nothingAsked(currentStatus(), recentList(recentSearches(), forget));
    this.#replaceResults(shown);
  }

  /** A tag was followed, and no word is typed yet: its documents. @param {string[]} tags */
  #showTagged(tags) {
    this.facets.show([], 0);
    this.latest.run(0, () => contents(), {
      done: (entries) => {
        const tagged = withTags(entries, tags);
        this.results.removeAttribute("aria-busy");
        this.summary.textContent = t("tagged.some", { count: tagged.length, tags: tagNames(tags) });
        this.#replaceResults(tagged.length > 0 ? documentHits(tagged) : nothingTagged(tags));
      },
      failed: (error) => this.#showError("", error),
    });
  }

  /** What says the same stays, and so does the focus in it. @param {HTMLElement} shown */
  #replaceResults(shown) {
    if (!this.results.firstChild?.isEqualNode(shown)) refill(this.results, shown);
  }

  /** @param {string} q @param {string} address @param {SearchAnswer} answer */
  #showHits(q, address, answer) {
    const { answered, hits, note, has_nearest: hasNearest, milliseconds, files_read: read } = answer;
    this.answered = address;
    this.read = read;
    this.results.removeAttribute("aria-busy");
    const nothing = t(read ? "nothing.yet" : "nothing.title");
    const total = Math.max(answer.total ?? 0, hits.length);
    const summary = hits.length === 0 ? nothing : amountFound(hits, total);
    this.summary.textContent = summary;
    this.summary.title = t("search.time", { time: Math.max(1, Math.round(milliseconds)) });
    announce(t("search.announced", { summary, query: q }));
    this.facets.show(answer.facets ?? [], total);
    this.operators.show(answer.understood, this.input.value);
    this.filters.tellProblem("");
    if (hits.length > 0) {
      this.hits.clear();
      this.hits.add(hits, q);
      this.more.show(hits.length, total, hits.length < LIMIT || hits.length >= total);
      const asTyped = () => {
        this.asTyped = q;
        this.#ask(0);
      };
      const corrected = answered.trim() !== q && correctedNotice(answered, q, asTyped);
      refill(this.results, corrected, this.hits.element, this.more.element);
    }
    else if (read) refill(this.results, nothingYet(q));
    else {
      const anyway = () => {
        this.anyway = true;
        this.#ask(0);
      };
      refill(
        this.results,
        nothingFound(note, {
          filters: this.filters.active(),
          clear: () => this.filters.clear(),
          anyway: hasNearest ? anyway : null,
        }),
      );
    }
  }

  /** The next page, below what is there. @param {boolean} byButton */
  #showMore(byButton) {
    // What is shown will be replaced: its next page would be appended to the hits of another search.
    if (this.results.hasAttribute("aria-busy")) return;
    const offset = this.hits.count;
    this.following.run(0, (signal) => get("/api/search", { ...this.asked, offset }, signal), {
      done: (/** @type {SearchAnswer} */ { hits, total }) => {
        const before = this.hits.links().length;
        this.hits.add(hits, this.asked.q.trim());
        const shown = this.hits.count;
        // The button may go away with the last page, and focus with it.
        if (byButton) (this.hits.links()[before] ?? this.input).focus({ preventScroll: true });
        this.more.show(shown, total, hits.length < LIMIT || shown >= total);
        announce(amount(shown, total));
      },
      failed: (error) => this.more.fail(error.message),
    });
  }

  /** @param {string} address @param {Error} error */
  #showError(address, error) {
    this.answered = address;
    this.results.removeAttribute("aria-busy");
    if (error.message.startsWith("where: ")) {
      // The hits stay, and nothing is said until nobody types any more: the filter may only be unfinished.
      const { message } = error;
      this.settling = window.setTimeout(() => this.filters.tellProblem(message.slice("where: ".length)), SETTLED);
      return;
    }
    this.summary.textContent = "";
    this.facets.show([], 0);
    this.operators.clear();
    refill(this.results, errorNotice(error));
  }

  /** Enter in the box. A form with several fields and no button is not submitted by it. */
  #enter() {
    rememberSearch(this.input.value);
    const first = this.results.querySelector("a.hit-link");
    if (this.answered === this.#address() && first instanceof HTMLElement) first.click();
    else this.#ask(0);
  }

  /**
   * Arrows go from the box to the hits and back, Escape to the box from everywhere, and Enter from the box to the
   * first hit. @param {KeyboardEvent} event
   */
  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = /** @type {HTMLElement[]} */ ([...this.results.querySelectorAll("a.hit-link, .hit-more")]);
    const links = all.filter((link) => link.checkVisibility());
    const at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const inBox = document.activeElement === this.input;
    if (event.key === "Enter" && inBox && !event.isComposing) {
      event.preventDefault();
      this.#enter();
    }
    if (event.key === "Escape" && (!inBox || this.input.value) && !event.defaultPrevented) {
      if (!inBox) this.focus();
      else {
        this.input.value = "";
        this.#ask(0);
      }
      event.preventDefault();
    }
    if (!step || links.length === 0 || (at < 0 && !inBox)) return;
    event.preventDefault();
    const next = at + step;
    if (next < 0) this.input.focus();
    else links[Math.min(next, links.length - 1)].focus();
  }
}

export function createSearchView() {
  return new SearchView();
}

/** One question with its answer, which comes word by word. */

import { ApiError, failure, isAbort, stream } from "../core/api.js";
import { announce, crumbs, errorNotice, freshId, h, refill } from "../core/dom.js";
import { place } from "../core/format.js";
import { hrefOf, hrefOfPlace } from "../core/routes.js";
import { t } from "../core/texts.js";
import { enhance, fillCleaned } from "../drawing/enhancers.js";
import { HitList } from "../search/hits.js";

/** @typedef {import("../types.js").Answer} Answer */
/** @typedef {import("../types.js").Hit} Hit */

// -- What stands below an answer: notes, its citations with their lines, and the passages it is based on

/** Whether its sentences may be no answer. @param {Answer} answer */
const isUnclear = ({ clear, sources }) => clear === false && sources.length > 0;

/** @param {Answer} answer @param {string} question @returns {(HTMLElement|false|"")[]} */
function answerDetails(answer, question) {
  const isQuoted = !answer.model && answer.sources.length > 0;
  const said = answer.note && `${answer.note.charAt(0).toUpperCase()}${answer.note.slice(1)}.`;
  const note = isUnclear(answer) ? "" : isQuoted ? t("answer.quoted") : said;
  return [
    !answer.complete && h("div", { class: "notice warn" }, t("answer.incomplete")),
    note && h("div", { class: "notice" }, note),
    !isQuoted && answer.citations.length > 0 && citationList(answer.citations),
    answer.dropped.length > 0 && droppedList(answer.dropped),
    isQuoted && sourceCards(answer, question),
    (isQuoted || answer.sources.length === 0) && searchInstead(question),
    !isQuoted && answer.sources.length > 0 && sourceList(answer.sources),
  ];
}

/** What is too far from the question for an answer, or not quoted, a search finds. @param {string} question */
function searchInstead(question) {
  const link = h("a", { class: "button", href: hrefOf("search", { q: question }) }, t("answer.search"));
  return h("div", null, link);
}

/**
 * The passages of the quotes, which are marked in them, with the numbers of these.
 * @param {Answer} answer @param {string} question
 */
function sourceCards({ sources, citations }, question) {
  /** @param {Hit} hit */
  const quotesIn = ({ path, start_line: first, end_line: last }) =>
    [...citations.entries()].filter(
      ([, cited]) => cited.path === path && cited.start_line <= last && cited.end_line >= first,
    );
  /** @param {Hit} hit */
  const numbers = (hit) => {
    const all = quotesIn(hit).map(([at]) => h("span", { class: "cite numbers" }, at + 1));
    return h("span", { class: "hit-cites" }, all);
  };
  // In the order of the quotes.
  const quoted = citations.flatMap((_, at) => sources.filter((hit) => quotesIn(hit)[0]?.[0] === at));
  const list = new HitList();
  list.element.setAttribute("aria-label", t("palette.passages"));
  list.add(quoted, question, numbers);
  return h("section", { class: "source-cards" }, h("h3", null, t("answer.sources")), list.element);
}

/** @param {Answer["citations"]} citations */
function citationList(citations) {
  const items = citations.map((citation, at) => {
    const number = h("span", { class: "cite numbers", "aria-hidden": "true" }, at + 1);
    const link = h("a", { href: hrefOfPlace(citation) }, number, h("span", { class: "mono break" }, place(citation)));
    const label = t("answer.cited");
    const lines = { class: "citation-text", dir: "auto", tabindex: "0", role: "group", "aria-label": label };
    return h("li", null, link, citation.text && h("pre", lines, citation.text));
  });
  return h("section", null, h("h3", null, t("answer.citations")), h("ol", { class: "citations" }, items));
}

/** @param {Answer["dropped"]} dropped */
function droppedList(dropped) {
  const items = dropped.map(({ written, reason }) =>
    h("li", null, h("code", { class: "break" }, written), h("span", { class: "soft" }, ` ${reason}`)),
  );
  const note = h("p", { class: "soft small" }, t("answer.dropped.note"));
  return h("section", null, h("h3", null, t("answer.dropped")), note, h("ul", { class: "dropped" }, items));
}

/** @param {Answer["sources"]} sources */
function sourceList(sources) {
  const items = sources.map((hit) => {
    const link = h("a", { href: hrefOfPlace(hit) }, crumbs(hit.breadcrumb || hit.title || hit.path));
    return h("li", null, link, h("span", { class: "mono soft small break" }, place(hit)));
  });
  const summary = h("summary", null, t("answer.based", { count: sources.length }));
  return h("details", { class: "disclosure" }, summary, h("ol", { class: "sources" }, items));
}

/** @param {Element} link Of a citation: its number, and the place as its title. */
const citationName = (link) =>
  t("answer.citation", { number: link.textContent ?? "", place: link.getAttribute("title") ?? "" });

// -- The turn

/** @typedef {{question: string, answer: string}} Exchange */

export class Turn {
  /** @param {string} question @param {(turn: Turn) => void} askAgain */
  constructor(question, askAgain) {
    this.question = question;
    this.askAgain = askAgain;
    /** @type {Exchange|null} What later questions go on from; null until the answer is there. */
    this.exchange = null;
    this.running = new AbortController();
    const id = freshId("question");
    this.text = h("div", { class: "answer-text" });
    this.after = h("div", { class: "answer-after" });
    this.element = h(
      "section",
      { class: "turn", "aria-labelledby": id },
      h("h2", { class: "turn-question", id, dir: "auto" }, question),
      h("div", { class: "answer" }, this.text, this.after),
    );
  }

  stop() {
    this.running.abort();
  }

  /** Ask, and show what comes. Never throws: what goes wrong is shown. @param {Exchange[]} history */
  async run(history) {
    this.running = new AbortController();
    this.text.setAttribute("aria-busy", "true");
    refill(this.text, h("p", { class: "soft" }, t("answer.searching")));
    refill(this.after);
    try {
      await this.#receive({ question: this.question, history });
    } catch (error) {
      this.#showFailure(error);
    }
    this.text.setAttribute("aria-busy", "false");
  }

  /** @param {{question: string, history: Exchange[]}} body */
  async #receive(body) {
    let hasText = false;
    for await (const event of stream("/api/ask", body, this.running.signal)) {
      if (event.type === "text") {
        if (!hasText) refill(this.text);
        hasText = true;
        this.#showBlocks(event.blocks);
      } else if (event.type === "answer") {
        this.#finish(event);
        return;
      } else if (event.type === "error") {
        throw failure(event.error);
      }
    }
    throw new ApiError(t("answer.cut"), t("answer.cut.remedy"));
  }

  /**
   * Show blocks that are new or have changed; there are none after the last.
   * @param {{number: number, html: string}[]} blocks
   */
  #showBlocks(blocks) {
    for (const { number, html } of blocks) {
      while (this.text.children.length <= number) this.text.append(h("div", { class: "prose", dir: "auto" }));
      fillCleaned(this.text.children[number], html);
    }
    const last = blocks.at(-1);
    if (last) while (this.text.children.length > last.number + 1) this.text.lastElementChild?.remove();
    this.#nameCitations();
  }

  /** A number alone says little to those who do not see where it stands. */
  #nameCitations() {
    for (const link of this.text.querySelectorAll("a.cite"))
      link.setAttribute("aria-label", citationName(link));
  }

  /** @param {Answer} answer */
  #finish(answer) {
    const isNothing = answer.sources.length === 0;
    this.exchange = { question: this.question, answer: answer.text };
    if (isNothing && !answer.text.trim()) refill(this.text, h("p", null, t("answer.nothing")));
    else this.#showBlocks(answer.html.map((html, number) => ({ number, html })));
    for (const block of this.text.children) enhance(block);
    if (isUnclear(answer)) this.text.prepend(h("div", { class: "notice warn" }, h("p", null, t("answer.unclear"))));
    announce(isNothing ? t("answer.nothing") : t("answer.announced", { count: answer.citations.length }));
    refill(this.after, answerDetails(answer, this.question));
  }

  /** @param {any} error */
  #showFailure(error) {
    const isStopped = isAbort(error);
    if (!this.text.querySelector(".prose")) refill(this.text);
    const askAgain = () => this.askAgain(this);
    const again = h("button", { type: "button", class: "button", onclick: askAgain }, t("answer.again"));
    const notice = isStopped
      ? h("div", { class: "notice warn" }, t("answer.stopped.note"))
      : errorNotice(error);
    refill(this.after, notice, h("div", null, again));
    if (isStopped) announce(t("answer.stopped"));
  }
}

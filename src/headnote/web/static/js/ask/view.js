/** Ask a question; the answer comes word by word, with citations that lead to their lines. */

import { announce, errorNotice } from "../core/announce.js";
import { ApiError, isAbort, stream } from "../core/api.js";
import { crumbs, h, refill } from "../core/dom.js";
import { place, plural } from "../core/format.js";
import { hrefOf, hrefOfPlace, rewrite } from "../core/routes.js";
import { onStatus } from "../core/status-feed.js";
import { answerParts } from "./prose.js";

/** @typedef {import("../types.js").Answer} Answer */

class AskView {
  constructor() {
    /** @type {AbortController|null} */
    this.running = null;
    this.input = h("textarea", {
      class: "input ask-input",
      rows: 2,
      "aria-label": "Question",
      placeholder: "What do you want to know?",
      maxlength: 4000,
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#ask();
    });
    this.button = h("button", { type: "submit", class: "button primary" }, "Ask");
    this.who = h("p", { class: "soft small" });
    this.text = h("div", { class: "answer-text" });
    this.after = h("div", { class: "answer-after" });
    this.element = h(
      "section",
      { class: "view view-narrow", "aria-labelledby": "ask-h" },
      h(
        "div",
        { class: "view-head" },
        h(
          "div",
          null,
          h("h1", { id: "ask-h", tabindex: "-1" }, "Ask"),
          h("p", null, "An answer from your documents, with the lines that support it."),
        ),
      ),
      h(
        "form",
        { class: "ask-form", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
        this.input,
        h("div", { class: "ask-row" }, this.who, this.button),
      ),
      h("div", { class: "answer" }, this.text, this.after),
    );
    onStatus((status) => {
      if (status)
        this.who.textContent = status.ask_model
          ? `Answered by ${status.ask_model}`
          : "No model configured: you get the passages themselves";
    });
  }

  /** @param {URLSearchParams} query */
  show(query) {
    const question = query.get("q");
    if (question && question !== this.input.value) {
      this.input.value = question;
      void this.#ask();
    }
  }

  title() {
    return this.input.value ? `${this.input.value} – Ask` : "Ask";
  }

  focus() {
    this.input.focus();
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    if (this.running) this.running.abort();
    else void this.#ask();
  }

  async #ask() {
    const question = this.input.value.trim();
    if (!question) return;
    this.running?.abort();
    const own = new AbortController();
    this.running = own;
    rewrite(hrefOf("ask", { q: question }));
    document.title = `${this.title()} – headnote`;
    this.#busy(true);
    refill(this.text, h("p", { class: "soft" }, "Searching…"));
    refill(this.after);
    try {
      await this.#receive(question, own.signal);
    } catch (error) {
      if (isAbort(error)) {
        if (this.running === own)
          refill(this.after, h("div", { class: "notice warn" }, "Stopped. This is the part that arrived."));
      } else refill(this.after, errorNotice(error));
    }
    if (this.running === own) {
      this.running = null;
      this.#busy(false);
    }
  }

  /** @param {string} question @param {AbortSignal} signal */
  async #receive(question, signal) {
    let text = "";
    let ended = false;
    for await (const event of stream("/api/ask", { question }, signal)) {
      if (event.type === "text") {
        text += event.text;
        refill(this.text, answerParts(text, null));
      } else if (event.type === "answer") {
        ended = true;
        this.#finish(event);
      } else if (event.type === "error") {
        refill(this.text, answerParts(text, null));
        throw new ApiError(event.error.message, event.error.remedy, event.error.code);
      }
    }
    if (!ended) throw new ApiError("The answer was cut off.", "Try again.");
  }

  /** @param {Answer} answer */
  #finish(answer) {
    const isNothing = answer.sources.length === 0;
    refill(
      this.text,
      isNothing && !answer.text.trim()
        ? h("p", null, "Nothing relevant found.")
        : answerParts(answer.text, answer.citations),
    );
    announce(isNothing ? "Nothing relevant found" : `Answer with ${plural(answer.citations.length, "citation")}`);
    refill(
      this.after,
      !answer.complete && h("div", { class: "notice warn" }, "The answer is incomplete."),
      answer.note && h("div", { class: "notice" }, answer.note),
      answer.citations.length > 0 && citationList(answer.citations),
      answer.dropped.length > 0 && droppedList(answer.dropped),
      answer.sources.length > 0 && sourceList(answer.sources),
    );
  }

  /** @param {boolean} isBusy */
  #busy(isBusy) {
    this.button.textContent = isBusy ? "Stop" : "Ask";
    this.button.classList.toggle("primary", !isBusy);
    this.text.setAttribute("aria-busy", String(isBusy));
  }
}

export function createAskView() {
  return new AskView();
}

/** @param {Answer["citations"]} citations */
function citationList(citations) {
  const items = citations.map((citation, at) => {
    const number = h("span", { class: "cite numbers", "aria-hidden": "true" }, at + 1);
    const link = h("a", { href: hrefOfPlace(citation) }, number, h("span", { class: "mono break" }, place(citation)));
    const attributes = { class: "citation-text", tabindex: "0", role: "group", "aria-label": "Lines cited" };
    return h("li", null, link, citation.text && h("pre", attributes, citation.text));
  });
  return h("section", null, h("h2", null, "Citations"), h("ol", { class: "citations" }, items));
}

/** @param {Answer["dropped"]} dropped */
function droppedList(dropped) {
  const items = dropped.map(({ written, reason }) =>
    h("li", null, h("code", { class: "break" }, written), h("span", { class: "soft" }, ` ${reason}`)),
  );
  const note = h("p", { class: "soft small" }, "These citations could not be verified.");
  return h("section", null, h("h2", null, "Removed citations"), note, h("ul", { class: "dropped" }, items));
}

/** @param {Answer["sources"]} sources */
function sourceList(sources) {
  const items = sources.map((hit) => {
    const link = h("a", { href: hrefOfPlace(hit) }, crumbs(hit.breadcrumb || hit.title || hit.path));
    return h("li", null, link, h("span", { class: "mono soft small break" }, place(hit)));
  });
  const summary = h("summary", null, `Based on ${plural(sources.length, "passage")}`);
  return h("details", { class: "disclosure" }, summary, h("ol", { class: "sources" }, items));
}

/** Ask questions; each goes on from those before it. The questions are in the address. */

import { get } from "../core/api.js";
import { entitle, h, refill } from "../core/dom.js";
import { hrefOf, parseRoute, rewrite } from "../core/routes.js";
import { onChange, onStatus } from "../core/status-feed.js";
import { t } from "../core/texts.js";
import { Turn } from "./turn.js";

// -- Questions to begin with, from the headings of the folder

class Starters {
  constructor() {
    this.element = h("section", { class: "starters", "aria-label": t("ask.starters"), hidden: true });
    this.isLoaded = false;
    onChange(() => {
      this.isLoaded = false;
      if (!this.element.hidden) void this.show(true);
    });
  }

  /** @param {boolean} isWanted Whether nothing has been asked yet. */
  async show(isWanted) {
    this.element.hidden = !isWanted;
    if (!isWanted || this.isLoaded) return;
    this.isLoaded = true;
    try {
      const { questions } = await get("/api/questions", { limit: 6 });
      refill(this.element, questions.length > 0 && [h("h2", null, t("ask.starters.title")), list(questions)]);
    } catch {
      // The page says elsewhere that the server does not answer. Suggestions come with the next visit.
      this.isLoaded = false;
    }
  }
}

/** @param {string[]} questions */
function list(questions) {
  const items = questions.map((question) => {
    const link = h("a", { class: "starter", href: hrefOf("ask", { q: question }), dir: "auto" }, question);
    return h("li", null, link);
  });
  return h("ul", { class: "starter-list" }, items);
}

// -- The view

const REMEMBERED_TURNS = 4;
const REMEMBERED_CHARACTERS = 8000;

class AskView {
  constructor() {
    /** @type {Turn[]} */
    this.turns = [];
    /** @type {string[]} Those of an address that wait for the answers before them. */
    this.waiting = [];
    /** @type {Turn|null} The one that is being answered. */
    this.running = null;
    this.input = this.#makeInput();
    this.button = h("button", { type: "submit", class: "button primary" }, t("ask.button"));
    this.restart = h("a", { class: "button", href: "#/ask", hidden: true }, t("ask.new"));
    this.who = h("p", { class: "soft small" });
    this.starters = new Starters();
    this.turnsBox = h("div", { class: "turns" });
    const title = h("h1", { id: "ask-h", tabindex: "-1" }, t("view.ask"));
    const lead = h("p", null, t("ask.lead"));
    this.element = h(
      "section",
      { class: "view view-narrow", "aria-labelledby": "ask-h" },
      h("div", { class: "view-head" }, h("div", null, title, lead), this.restart),
      this.turnsBox,
      h(
        "form",
        { class: "ask-form", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
        this.input,
        h("div", { class: "ask-row" }, this.who, this.button),
      ),
      this.starters.element,
    );
    onStatus((status) => {
      if (status)
        this.who.textContent = status.ask_model
          ? t("ask.who", { model: status.ask_model })
          : t("ask.nobody");
    });
  }

  #makeInput() {
    const input = h("textarea", {
      class: "input ask-input",
      rows: 2,
      "aria-label": t("ask.question"),
      placeholder: t("ask.placeholder"),
      maxlength: 4000,
      dir: "auto",
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#take();
    });
    return input;
  }

  /** @param {URLSearchParams} query Has one `q` for each question. */
  show(query) {
    const questions = query.getAll("q").filter((question) => question.trim());
    if (hrefOf("ask", { q: questions }) !== this.#address()) void this.#askAll(questions);
    else void this.starters.show(this.turns.length === 0);
  }

  title() {
    const last = this.turns.at(-1);
    return last ? t("ask.of", { question: last.question }) : t("view.ask");
  }

  focus() {
    this.input.focus();
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    if (this.running) this.running.stop();
    else this.#take();
  }

  /** Ask what stands in the field. */
  #take() {
    const question = this.input.value.trim();
    if (!question || this.running) return;
    this.input.value = "";
    void this.#ask(question);
  }

  /** A conversation from an address, from its first question on. @param {string[]} questions */
  async #askAll(questions) {
    this.running?.stop();
    this.turns = [];
    this.waiting = questions;
    refill(this.turnsBox);
    this.#showState();
    await this.#askWaiting();
  }

  async #askWaiting() {
    while (this.waiting.length > 0) {
      const [question, ...rest] = this.waiting;
      this.waiting = rest;
      const turn = await this.#ask(question);
      // Another conversation has begun, or this one was stopped.
      if (!this.turns.includes(turn) || !turn.exchange) return;
    }
  }

  /** @param {string} question */
  async #ask(question) {
    const turn = new Turn(question, (failed) => void this.#answer(failed).then(() => this.#askWaiting()));
    this.turns.push(turn);
    this.turnsBox.append(turn.element);
    if (this.turns.length > 1) turn.element.scrollIntoView({ block: "start" });
    await this.#answer(turn);
    return turn;
  }

  /** @param {Turn} turn */
  async #answer(turn) {
    this.running?.stop();
    this.running = turn;
    this.#showState();
    await turn.run(this.#historyBefore(turn));
    if (this.running !== turn) return;
    this.running = null;
    this.#showState();
  }

  /** @param {Turn} turn */
  #historyBefore(turn) {
    return this.turns
      .slice(0, this.turns.indexOf(turn))
      .flatMap(({ exchange }) => exchange ?? [])
      .slice(-REMEMBERED_TURNS)
      .map(({ question, answer }) => ({ question, answer: answer.slice(0, REMEMBERED_CHARACTERS) }));
  }

  #address() {
    return hrefOf("ask", { q: [...this.turns.map(({ question }) => question), ...this.waiting] });
  }

  #showState() {
    const hasTurns = this.turns.length > 0;
    // An answer may come while another view is shown, with an address of its own.
    if (parseRoute(location.hash)?.view === "ask") {
      rewrite(this.#address());
      entitle(this.title());
    }
    this.button.textContent = t(this.running ? "ask.stop" : "ask.button");
    this.button.classList.toggle("primary", !this.running);
    this.input.placeholder = t(hasTurns ? "ask.further" : "ask.placeholder");
    this.restart.hidden = !hasTurns;
    void this.starters.show(!hasTurns);
  }
}

export function createAskView() {
  return new AskView();
}

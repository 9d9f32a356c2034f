/** Questions to begin with, from the headings of the folder. */

import { get } from "../core/api.js";
import { h, refill } from "../core/dom.js";
import { hrefOf } from "../core/routes.js";
import { onChange } from "../core/status-feed.js";

export class Starters {
  constructor() {
    this.element = h("section", { class: "starters", "aria-label": "Ideas to begin with", hidden: true });
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
      refill(this.element, questions.length > 0 && [h("h2", null, "Your documents can answer"), list(questions)]);
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

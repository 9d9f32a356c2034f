/** How the index is, as it changes. */

import { errorNotice } from "../core/announce.js";
import { connection } from "../core/connection.js";
import { h, refill } from "../core/dom.js";
import { ago, bytes, plural, roughly, whole } from "../core/format.js";
import { onStatus } from "../core/status-feed.js";
import { describe } from "../shell/state-chip.js";

/** @typedef {import("../types.js").Status} Status */

class StatusView {
  constructor() {
    this.drawn = "";
    this.body = h("div", { class: "status" });
    this.element = h(
      "section",
      { class: "view view-narrow", "aria-labelledby": "status-h" },
      h("div", { class: "view-head" }, h("h1", { id: "status-h", tabindex: "-1" }, "Status")),
      this.body,
    );
    onStatus((status, error) => {
      if (!this.element.hidden) this.#draw(status, error);
      this.latest = { status, error };
    });
  }

  show() {
    if (this.latest) this.#draw(this.latest.status, this.latest.error);
  }

  title() {
    return "Status";
  }

  /** @param {Status|null} status @param {Error|null} error */
  #draw(status, error) {
    // Draw only changes: the reader keeps a selection, and screen readers stay silent.
    const drawn = JSON.stringify([status, error?.message, connection(), status?.updated && ago(status.updated)]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    if (!status) refill(this.body, error ? errorNotice(error) : h("p", { class: "soft" }, "Loading…"));
    else
      refill(
        this.body,
        error && errorNotice(error),
        status.problem && problem(status.problem),
        headline(status, error),
        progress(status),
        figures(status),
        settings(status),
      );
  }
}

/** @param {string} text */
function problem(text) {
  return h("div", { class: "notice bad" }, h("strong", null, "The index may be out of date"), h("span", null, text));
}

/** @param {Status} status @param {Error|null} error */
function headline(status, error) {
  const [state, text] = describe(status, error);
  return h(
    "p",
    { class: "status-line state", data: { state } },
    h("span", { class: "state-dot", "aria-hidden": "true" }),
    text,
    status.updated !== null && h("span", { class: "soft" }, ` · last change ${ago(status.updated)}`),
  );
}

/** @param {Status} status */
function progress({ progress: current, pending }) {
  if (!current || current.total === 0) {
    return pending > 0 ? h("p", { class: "status-progress numbers" }, `${plural(pending, "vector")} to come`) : null;
  }
  const name = current.stage === "documents" ? "Reading documents" : "Embedding";
  const left = current.seconds_left ? `, ${roughly(current.seconds_left)} left` : "";
  return h(
    "div",
    { class: "status-progress" },
    h(
      "div",
      { class: "status-progress-head numbers" },
      h("label", { for: "status-progress" }, name),
      h("span", null, `${whole(current.done)} of ${whole(current.total)}${left}`),
    ),
    h("progress", { id: "status-progress", max: Math.max(1, current.total), value: current.done }),
  );
}

/** @param {Status} status */
function figures(status) {
  /** @type {[string, string][]} */
  const all = [
    [whole(status.documents), status.documents === 1 ? "document" : "documents"],
    [whole(status.chunks), status.chunks === 1 ? "chunk" : "chunks"],
    [whole(status.links), status.links === 1 ? "link" : "links"],
    [bytes(status.bytes_on_disk), "on disk"],
  ];
  return h(
    "dl",
    { class: "figures numbers" },
    all.map(([value, name]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}

/** @param {Status} status */
function settings(status) {
  const model = status.model === "none" ? "none: search by words only" : status.model;
  const answering = status.answering || "words alone";
  /** @type {[string, string][]} */
  const about = [
    ["Folder", status.root],
    ["Embedding model", model],
    ["Searches use", answering],
    ["Answer model", status.ask_model ?? "no model: the passages themselves"],
    ["Vectors to come", status.pending > 0 ? whole(status.pending) : "none"],
    ["Generation", whole(status.generation)],
  ];
  return h(
    "div",
    { class: "status-tables" },
    table("Index", about, false),
    table(
      "Chunking",
      Object.entries(status.settings).map(([name, value]) => [name, written(value)]),
      true,
    ),
  );
}

/** @param {string} name @param {[string, string][]} rows @param {boolean} isCode */
function table(name, rows, isCode) {
  return h(
    "section",
    null,
    h("h2", null, name),
    h(
      "dl",
      { class: "rows" },
      rows.map(([key, value]) =>
        h(
          "div",
          null,
          h("dt", { class: isCode ? "mono" : "" }, key),
          h("dd", { class: isCode ? "mono break" : "break" }, value),
        ),
      ),
    ),
  );
}

/** @param {unknown} value */
function written(value) {
  if (value === null) return "by file name";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "none";
  return String(value);
}

export function createStatusView() {
  return new StatusView();
}

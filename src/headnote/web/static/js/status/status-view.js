/** How the index is, as it changes. */

import { connection } from "../core/connection.js";
import { errorNotice, h, refill } from "../core/dom.js";
import { ago, bytes, list, modelName, whole } from "../core/format.js";
import { inProgress, shortState } from "../core/progress.js";
import { onStatus } from "../core/status-feed.js";
import { t } from "../core/texts.js";

/** @typedef {import("../types.js").Status} Status */

class StatusView {
  constructor() {
    /** What is drawn in each part. @type {Map<Element, string>} */
    this.drawn = new Map();
    this.now = h("div", { class: "status" });
    this.figures = h("div");
    this.settings = h("div");
    this.element = h(
      "section",
      { class: "view view-narrow", "aria-labelledby": "status-h" },
      h("div", { class: "view-head" }, h("h1", { id: "status-h", tabindex: "-1" }, t("view.status"))),
      h("div", { class: "status" }, this.now, this.figures, this.settings),
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
    return t("view.status");
  }

  /** @param {Status|null} status @param {Error|null} error */
  #draw(status, error) {
    const when = status?.updated && ago(status.updated);
    this.#part(this.now, [status, error?.message, connection(), when], () => situation(status, error));
    if (!status) return;
    const { documents, chunks, links, bytes_on_disk } = status;
    this.#part(this.figures, [documents, chunks, links, bytes_on_disk], () => [figures(status)]);
    const { root, model, models, answering, ask_model, left_out, left_out_count: count } = status;
    const set = [status.settings, status.origins, status.differing];
    const about = [root, model, models, answering, ask_model, left_out, count, set];
    this.#part(this.settings, about, () => [settings(status)]);
  }

  /**
   * Draw only what has changed: the reader keeps a selection and what is unfolded, and screen readers stay silent.
   * @param {Element} part @param {unknown} about @param {() => (Element|null|false|"")[]} draw
   */
  #part(part, about, draw) {
    const drawn = JSON.stringify(about);
    if (drawn === this.drawn.get(part)) return;
    this.drawn.set(part, drawn);
    refill(part, ...draw());
  }
}

/** What is the matter now. @param {Status|null} status @param {Error|null} error */
function situation(status, error) {
  if (!status) return [error ? errorNotice(error) : h("p", { class: "soft" }, t("status.loading"))];
  return [
    error && errorNotice(error),
    status.problem && problem(status.problem),
    status.elsewhere && elsewhere(status.elsewhere),
    status.withheld.length > 0 && untrusted(status.withheld),
    headline(status, error),
    status.read_only && readOnly(),
    progress(status),
  ];
}

/** @param {string} text */
function problem(text) {
  const what = t("status.problem");
  return h("div", { class: "notice bad" }, h("strong", null, what), h("span", { class: "break" }, text));
}

/** Another process at the same index is no problem: what it writes is found here, too. @param {string} who */
function elsewhere(who) {
  const meanwhile = h("span", null, t("status.elsewhere.meanwhile"));
  return h("div", { class: "notice" }, h("strong", null, t("status.elsewhere", { who })), meanwhile);
}

/** Nothing is missing, and nothing will change. */
function readOnly() {
  const meanwhile = h("span", null, t("status.readOnly.meanwhile"));
  return h("div", { class: "notice" }, h("strong", null, t("status.readOnly")), meanwhile);
}

/** The folder names services, programs or places outside, and nobody has agreed to them. @param {string[]} settings */
function untrusted(settings) {
  const why = h("span", { class: "break" }, t("status.untrusted.why", { settings: list(settings) }));
  return h("div", { class: "notice" }, h("strong", null, t("status.untrusted")), why);
}

/** @param {Status} status @param {Error|null} error */
function headline(status, error) {
  const [state, text] = shortState(status, error);
  const when = status.updated !== null && ago(status.updated);
  return h(
    "p",
    { class: "status-line state", data: { state } },
    h("span", { class: "state-dot", "aria-hidden": "true" }),
    text,
    when && h("span", { class: "soft" }, ` · ${t("status.changed", { when })}`),
  );
}

/** @param {Status} status */
function progress(status) {
  const now = inProgress(status);
  if (!now) return null;
  return h(
    "div",
    { class: "status-progress" },
    h(
      "div",
      { class: "status-progress-head numbers" },
      h("label", { for: "status-progress" }, now.what),
      h("span", null, now.far),
    ),
    now.total > 0 && h("progress", { id: "status-progress", max: now.total, value: now.done }),
    h("p", { class: "soft small" }, now.meanwhile),
  );
}

/** @param {Status} status */
function figures(status) {
  /** @type {[string, string][]} */
  const all = [
    [whole(status.documents), t("status.documents", { count: status.documents })],
    [whole(status.chunks), t("status.passages", { count: status.chunks })],
    [whole(status.links), t("status.links", { count: status.links })],
    [bytes(status.bytes_on_disk), t("status.disk")],
  ];
  return h(
    "dl",
    { class: "figures numbers" },
    all.map(([value, name]) => h("div", null, h("dt", null, name), h("dd", null, value))),
  );
}

/** @param {Status} status */
function settings(status) {
  /** @type {[string, string][]} */
  const about = [
    [t("facet.folder"), status.root],
    [t("view.search"), searchWords(status)],
    [t("view.ask"), status.ask_model ? t("status.ask", { model: status.ask_model }) : t("status.ask.nobody")],
  ];
  const differing = status.differing.join("; ");
  if (differing) about.push([t("status.settings"), t("status.differing", { settings: differing })]);
  const rules = Object.entries(status.settings).map(
    ([name, value]) =>
      /** @type {[string, string]} */ ([name, [written(value), status.origins[name]].filter(Boolean).join(" · ")]),
  );
  return h(
    "div",
    { class: "status-tables" },
    table(t("status.use"), about, false),
    status.left_out.length > 0 && leftOut(status.left_out, status.left_out_count),
    h(
      "details",
      { class: "disclosure" },
      h("summary", null, t("status.rules")),
      table("", rules, true),
    ),
  );
}

/** What one might miss, with the reasons. @param {Status["left_out"]} files @param {number} count Of all. */
function leftOut(files, count) {
  const rows = files.map(({ path, reason }) => /** @type {[string, string]} */ ([path, reason]));
  const shown = files.length;
  const what = shown < count ? t("status.leftOut.first", { count, shown }) : t("status.leftOut", { count });
  return h("details", { class: "disclosure" }, h("summary", null, what), table("", rows, false));
}

/** By what passages are found now. @param {Status} status */
function searchWords({ model, models, answering, read_only: stays }) {
  if (model === "none" || models.length === 0) return t("status.words");
  if (!answering) return t(stays ? "status.words" : "status.words.yet");
  const name = modelName(answering);
  const isLast = modelName(model) === name || stays;
  return isLast ? t("status.meaning", { name }) : t("status.meaning.yet", { name, better: modelName(model) });
}

/** @param {string} name @param {[string, string][]} rows @param {boolean} isCode */
function table(name, rows, isCode) {
  return h(
    "section",
    null,
    name && h("h2", null, name),
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
  if (value === null) return t("value.byFile");
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : t("value.none");
  return String(value);
}

export function createStatusView() {
  return new StatusView();
}

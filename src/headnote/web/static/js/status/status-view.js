/** How the index is, as it changes. */

import { connection } from "../core/connection.js";
import { errorNotice, h, refill } from "../core/dom.js";
import { ago, bytes, modelName, whole } from "../core/format.js";
import { inProgress, shortState } from "../core/progress.js";
import { onStatus } from "../core/status-feed.js";

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
      h("div", { class: "view-head" }, h("h1", { id: "status-h", tabindex: "-1" }, "Status")),
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
    return "Status";
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
  if (!status) return [error ? errorNotice(error) : h("p", { class: "soft" }, "Loading…")];
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
  const what = "Changes of your files may be missing here";
  return h("div", { class: "notice bad" }, h("strong", null, what), h("span", { class: "break" }, text));
}

/** Another process at the same index is no problem: what it writes is found here, too. @param {string} who */
function elsewhere(who) {
  const meanwhile = "Search works, and its changes appear here. Nothing needs to be done.";
  return h("div", { class: "notice" }, h("strong", null, `The index is ${who}`), h("span", null, meanwhile));
}

/** Nothing is missing, and nothing will change. */
function readOnly() {
  const meanwhile = "Search works. Changes of the files do not appear here.";
  return h("div", { class: "notice" }, h("strong", null, "The index stays as it is"), h("span", null, meanwhile));
}

/** The folder names services, programs or places outside, and nobody has agreed to them. @param {string[]} settings */
function untrusted(settings) {
  const what = "Some settings of this folder are not used";
  const why = `${settings.join(", ")}: they lead out of the folder. The command headnote trust allows them.`;
  return h("div", { class: "notice" }, h("strong", null, what), h("span", { class: "break" }, why));
}

/** @param {Status} status @param {Error|null} error */
function headline(status, error) {
  const [state, text] = shortState(status, error);
  return h(
    "p",
    { class: "status-line state", data: { state } },
    h("span", { class: "state-dot", "aria-hidden": "true" }),
    text,
    status.updated !== null && h("span", { class: "soft" }, ` · last change ${ago(status.updated)}`),
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
    [whole(status.documents), status.documents === 1 ? "document" : "documents"],
    [whole(status.chunks), status.chunks === 1 ? "passage" : "passages"],
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
  /** @type {[string, string][]} */
  const about = [
    ["Folder", status.root],
    ["Search", searchWords(status)],
    [
      "Ask",
      status.ask_model ? `answers written by ${status.ask_model}` : "quotes from your documents; no model is set",
    ],
  ];
  if (status.differing.length) about.push(["Settings", `kept as they are: ${status.differing.join("; ")}`]);
  const rules = Object.entries(status.settings).map(
    ([name, value]) =>
      /** @type {[string, string]} */ ([name, [written(value), status.origins[name]].filter(Boolean).join(" · ")]),
  );
  return h(
    "div",
    { class: "status-tables" },
    table("How this folder is used", about, false),
    status.left_out.length > 0 && leftOut(status.left_out, status.left_out_count),
    h(
      "details",
      { class: "disclosure" },
      h("summary", null, "How documents are cut into passages"),
      table("", rules, true),
    ),
  );
}

/** What one might miss, with the reasons. @param {Status["left_out"]} files @param {number} count Of all. */
function leftOut(files, count) {
  const rows = files.map(({ path, reason }) => /** @type {[string, string]} */ ([path, reason]));
  const first = files.length < count ? `, the first ${files.length} of them` : "";
  const what = `${whole(count)} ${count === 1 ? "file or folder is" : "files or folders are"} left out${first}`;
  return h("details", { class: "disclosure" }, h("summary", null, what), table("", rows, false));
}

/** By what passages are found now. @param {Status} status */
function searchWords({ model, models, answering, read_only: stays }) {
  if (model === "none" || models.length === 0) return "by words";
  if (!answering) return stays ? "by words" : "by words; by meaning as soon as that is prepared";
  const name = modelName(answering);
  const better = modelName(model) !== name && !stays ? `; ${modelName(model)} is being prepared` : "";
  return `by words and by meaning (${name}${better})`;
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
  if (value === null) return "by file name";
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "none";
  return String(value);
}

export function createStatusView() {
  return new StatusView();
}

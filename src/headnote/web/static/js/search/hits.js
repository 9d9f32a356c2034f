/** What a search lists: passages, or the documents with some tags; and the end of the list. */

import { crumbs, freshId, h, refill } from "../core/dom.js";
import { CodePoints, exactly, inLines, list, modelName, portion } from "../core/format.js";
import { hrefOf, hrefOfPlace } from "../core/routes.js";
import { known, parts, t } from "../core/texts.js";

/** @typedef {import("../types.js").Entry} Entry */
/** @typedef {import("../types.js").Hit} Hit */
/** @typedef {import("../types.js").Why} Why */

// -- One hit: its place, its snippet, and why it was found

/** The headings above a passage, the title of its document first. @param {Hit} hit */
function pathOf({ breadcrumb, title, path }) {
  if (!title || breadcrumb === title || breadcrumb.startsWith(`${title} > `)) return breadcrumb || path;
  return breadcrumb ? `${title} > ${breadcrumb}` : title;
}

/** The headings below the title, which the first hit of the document says. @param {Hit} hit */
const sectionOf = (hit) => pathOf(hit).split(" > ").slice(1).join(" > ") || hit.title || hit.path;

/**
 * @param {Hit} hit @param {string} query @param {boolean} isFirst Of its document.
 * @param {HTMLElement|null} front What stands before its title.
 */
function hitElement(hit, query, isFirst, front) {
  const { lines: snippetLines, cut_before: cutBefore } = hit.snippet;
  return h(
    "div",
    { class: isFirst ? "hit" : "hit further", dir: "auto" },
    h(
      "a",
      { class: "hit-link", href: hrefOfPlace({ ...hit, start_line: hit.line }, query) },
      h("span", { class: "hit-title" }, front, crumbs(isFirst ? pathOf(hit) : sectionOf(hit))),
      h(
        "span",
        { class: "hit-place mono", dir: "ltr" },
        h("span", { class: !isFirst && "visually-hidden" }, hit.path),
        `:${hit.line}`,
      ),
    ),
    hit.about && isFirst ? h("p", { class: "hit-about" }, hit.about) : null,
    h("div", { class: cutBefore ? "hit-text cut-before" : "hit-text" }, snippetLines.map(lineElement)),
    hit.also_in.length ? h("p", { class: "hit-copies soft small" }, copies(hit.also_in)) : null,
    reasons(hit),
  );
}

/** Of copies that are named. */
const MAX_COPIES = 3;

/** Where the same text stands, too, as links. @param {string[]} places */
function copies(places) {
  const rest = places.length - MAX_COPIES;
  const links = places.slice(0, MAX_COPIES).flatMap((place, at) => {
    const colon = place.lastIndexOf(":");
    const line = Number(place.slice(colon + 1));
    const href = hrefOfPlace({ path: place.slice(0, colon), start_line: line, end_line: line });
    return [at ? ", " : "", h("a", { href, class: "mono" }, place)];
  });
  const named = h("span", null, links);
  return rest > 0 ? parts("hit.copies.more", { places: named, count: rest }) : parts("hit.copies", { places: named });
}

// -- The hits of a document stand together, where the best of them is: the best two, and the others on demand

/** Of one document, before anybody asks for more. */
const AT_ONCE = 2;

export class HitList {
  constructor() {
    this.element = h("ol", { class: "hits", "aria-label": t("hits.label") });
    /** @type {Map<string, HitGroup>} By the path of the document. */
    this.groups = new Map();
    this.count = 0;
  }

  clear() {
    this.element.replaceChildren();
    this.groups = new Map();
    this.count = 0;
  }

  /**
   * Nothing that is there moves.
   * @param {Hit[]} hits The next ones.
   * @param {string} query
   * @param {(hit: Hit) => HTMLElement|null} frontOf
   */
  add(hits, query, frontOf = () => null) {
    /** @type {Set<HitGroup>} */
    const fresh = new Set();
    for (const hit of hits) {
      let group = this.groups.get(hit.path);
      if (!group) {
        group = new HitGroup(query, frontOf);
        fresh.add(group);
        this.groups.set(hit.path, group);
        this.element.append(group.element);
      }
      group.add(hit, fresh.has(group));
    }
    this.count += hits.length;
  }

  /** The links that are in sight, or would be by scrolling. @returns {HTMLElement[]} */
  links() {
    const links = /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll("a.hit-link")]);
    return links.filter((link) => link.checkVisibility());
  }
}

class HitGroup {
  /** @param {string} query @param {(hit: Hit) => HTMLElement|null} frontOf */
  constructor(query, frontOf) {
    this.query = query;
    this.frontOf = frontOf;
    this.rest = h("div", { class: "hit-rest", id: freshId("rest"), hidden: true });
    this.button = h("button", {
      type: "button",
      class: "button quiet small hit-more",
      hidden: true,
      "aria-expanded": "false",
      "aria-controls": this.rest.id,
      onclick: () => this.#open(),
    });
    this.element = h("li", { class: "hit-group" }, this.button, this.rest);
    this.shown = 0;
  }

  /** @param {Hit} hit @param {boolean} isFresh Whether nobody has seen the group yet. */
  add(hit, isFresh) {
    const element = hitElement(hit, this.query, this.shown === 0, this.frontOf(hit));
    if (isFresh && this.shown < AT_ONCE) {
      this.button.before(element);
      this.shown += 1;
    } else this.rest.append(element);
    const hidden = this.rest.childElementCount;
    this.button.hidden = hidden === 0 || !this.rest.hidden;
    this.button.textContent = t("hits.more", { count: hidden });
  }

  #open() {
    this.rest.hidden = false;
    this.button.hidden = true;
    const first = this.rest.querySelector("a");
    first?.focus({ preventScroll: true });
  }
}

const ITEM = /^[-*+] (?:\[([ xX])\] )?/;

/** What stands before an item of a list, as readers know it. @param {string|undefined} tick Of a task. */
const bullet = (tick) => (tick === undefined ? "• " : tick === " " ? "☐ " : "☑ ");

/** A line of the snippet with its marks. @param {import("../types.js").SnippetLine} line */
function lineElement({ text, marks, code }) {
  const points = new CodePoints(text);
  const item = code ? null : ITEM.exec(text);
  /** @type {(string|HTMLElement)[]} */
  const pieces = item ? [bullet(item[1])] : [];
  let at = item ? item[0].length : 0;
  for (const [start, end] of marks) {
    if (end <= at) continue;
    pieces.push(points.slice(at, start), h("mark", null, points.slice(Math.max(at, start), end)));
    at = end;
  }
  pieces.push(points.slice(at, Infinity));
  return h(
    "p",
    { class: code ? "hit-line code" : "hit-line", dir: code ? "ltr" : "auto" },
    pieces.filter((piece) => piece !== ""),
  );
}

/** @param {Hit} hit */
function reasons(hit) {
  const summary = h("summary", { "aria-label": t("why.label", { name: hit.title || hit.path }) }, t("why.title"));
  return h("details", { class: "disclosure hit-why" }, summary, h("dl", { class: "why" }, rows(hit)));
}

/** @param {Why} why */
function legs(why) {
  const ways = [
    why.name && t("why.way.name"),
    why.keyword_rank !== null && t("why.way.words"),
    why.semantic_rank !== null && t("why.way.meaning"),
    (why.linked_from || why.links_to) && t("why.way.link"),
  ];
  return list(ways.filter((way) => typeof way === "string").filter(Boolean));
}

/** @param {Hit} hit */
function rows({ score, why, tokens, start_line: first, end_line: last }) {
  /** @type {[string, Node|string][]} */
  const rows = [[t("why.score"), t("why.score.by", { score: exactly(score, 2), ways: legs(why) })]];
  const { keyword_rank: wordRank, semantic_rank: meaningRank } = why;
  const words = { rank: wordRank ?? 0, score: exactly(why.keyword_score, 2) };
  const near = { rank: meaningRank ?? 0, similarity: exactly(why.similarity, 3), model: modelName(why.model) };
  rows.push([t("why.words"), wordRank === null ? t("why.none") : t("why.words.rank", words)]);
  rows.push([t("why.meaning"), meaningRank === null ? t("why.none") : t("why.meaning.rank", near)]);
  if (why.matched.length > 0)
    rows.push([
      t("why.matched"),
      h(
        "span",
        null,
        why.matched.map((word) => h("span", { class: "chip" }, word)),
      ),
    ]);
  if (why.guesses.length > 0)
    rows.push([t("why.guessed"), why.guesses.map(({ typed, found }) => `${typed} → ${found}`).join(", ")]);
  if (why.name) rows.push([t("why.name"), known(`why.name.${why.name}`, why.name)]);
  if (why.share_reason) {
    const percent = Math.round(100 * why.meaning_share);
    const shares = { meaning: portion(percent, 100), words: portion(100 - percent, 100), reason: why.share_reason };
    rows.push([t("why.weights"), t("why.weights.shares", shares)]);
  }
  if (why.linked_from) rows.push([t("why.linkedFrom"), linkTo(why.linked_from)]);
  if (why.links_to) rows.push([t("why.linksTo"), linkTo(why.links_to)]);
  if (why.about !== 1) rows.push([t("why.context"), `× ${exactly(why.about, 2)}`]);
  if (why.version !== 1) rows.push([t("why.version"), `× ${exactly(why.version, 2)}`]);
  if (why.folder !== 1) rows.push([t("why.folder"), `× ${exactly(why.folder, 2)}`]);
  if (why.recency !== 1) rows.push([t("why.recency"), `× ${exactly(why.recency, 2)}`]);
  rows.push([t("why.passage"), `${inLines(first, last)}, ${t("count.tokens", { count: tokens })}`]);
  return rows.flatMap(([name, value]) => [h("dt", null, name), h("dd", null, value)]);
}

/** @param {string} place as path:line */
function linkTo(place) {
  const colon = place.lastIndexOf(":");
  return h("a", { href: hrefOf("document", { path: place.slice(0, colon), line: place.slice(colon + 1) }) }, place);
}

// -- The documents with some tags: what a tag leads to, before any word is typed

/** As the server compares them: without case, and `tools` stands for `tools/saw`, too. @param {string} tag */
const folded = (tag) => tag.trim().toLowerCase().replace(/^#+/, "").replace(/^\/+|\/+$/g, "");

/** Those that have all the tags. @param {Entry[]} entries @param {string[]} tags */
export function withTags(entries, tags) {
  const wanted = tags.map(folded);
  return entries.filter((entry) => {
    const own = entry.tags.map(folded);
    return wanted.every((tag) => own.some((one) => one === tag || one.startsWith(`${tag}/`)));
  });
}

/** @param {Entry[]} entries */
export function documentHits(entries) {
  const items = entries.map(({ path, title }) =>
    h(
      "li",
      { class: "hit-group" },
      h(
        "a",
        { class: "hit-link", href: hrefOf("document", { path }) },
        h("span", { class: "hit-title" }, title || path),
        h("span", { class: "hit-place mono" }, path),
      ),
    ),
  );
  return h("ol", { class: "hits", "aria-label": t("view.document") }, items);
}

/** @param {string[]} tags */
export const tagNames = (tags) => list(tags.map((tag) => `#${tag.replace(/^#/, "")}`));

/** @param {string[]} tags */
export function nothingTagged(tags) {
  return h("div", { class: "empty" }, h("h2", null, t("tagged.none", { tags: tagNames(tags) })));
}

// -- The end of the list: how many are shown, and a way to the next ones, by a button or by scrolling to it

/** Beyond, passages have some word of the query, and nobody would call them answers. */
const MOST_RELEVANT = 200;
/** The score from which a passage answers by itself, as the server has it. */
const RELEVANT = 0.27;

/** How many passages are found, as far as they are relevant. @param {Hit[]} hits The first. @param {number} total */
export function amountFound(hits, total) {
  const relevant = hits.filter(({ score }) => score >= RELEVANT).length;
  if (relevant === 0 || relevant === hits.length) return amount(hits.length, total);
  return t("found.relevant", { count: relevant, rest: total - relevant });
}

/** How many are shown of how many. @param {number} shown @param {number} total */
export function amount(shown, total) {
  if (shown >= total) return t("count.passages", { count: total });
  if (total > MOST_RELEVANT) return t("found.best", { count: shown });
  return t("found.some", { shown, count: total });
}

/** Hits before the last page that the server gives. */
const LAST_OFFSET = 1000;

export class More {
  /** @param {(byButton: boolean) => void} load */
  constructor(load) {
    this.button = h("button", { type: "button", class: "button", onclick: () => load(true) }, t("found.more"));
    this.count = h("p", { class: "soft small numbers" });
    this.element = h("div", { class: "more" }, this.count);
    new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) load(false);
    }).observe(this.button);
  }

  /** @param {number} shown @param {number} total @param {boolean} isAll Whether no page follows. */
  show(shown, total, isAll) {
    const copies = total - shown;
    const isLast = shown > LAST_OFFSET;
    const some = amount(shown, total);
    if (!isAll) this.count.textContent = isLast ? t("found.last", { amount: some }) : some;
    else if (copies > 0) this.count.textContent = t("found.copies", { count: copies });
    else this.count.textContent = "";
    refill(this.element, this.count, !isAll && !isLast && this.button);
  }

  /** @param {string} message */
  fail(message) {
    this.count.textContent = message;
  }
}

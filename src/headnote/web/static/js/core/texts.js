/**
 * Whatever the page says. The table is in English here, and in another language in `texts/<language>.json`, which is
 * loaded only if it is wanted. `shell/early.js` decides on the language before anything is painted; another choice
 * loads the page anew. So a module may take its texts when it is loaded, and none has to follow a change.
 */

import { asset } from "./assets.js";

// -- What a text is called, and what is put into it. Types know which texts there are, and what each of them needs.

/** @typedef {typeof ENGLISH} Texts */
/** @typedef {keyof Texts} Key */
/**
 * @template S
 * @typedef {S extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never} Placeholders
 */
/**
 * @template {Key} K
 * @typedef {Texts[K] extends string ? Placeholders<Texts[K]> : "count" | Placeholders<Texts[K][keyof Texts[K]]>} Names
 */
/**
 * @template {Key} K
 * @template V
 * @typedef {[Names<K>] extends [never] ? [] : [Record<Names<K>, V>]} Given
 */

/**
 * The text of that name. Numbers are written as the language does; what is no amount, such as a line, comes as text.
 * @template {Key} K
 * @param {K} key
 * @param {Given<K, string|number>} given
 */
export const t = (key, ...given) => filled(key, given[0]).join("");

/**
 * The same as children of an element: what is put in may be elements.
 * @template {Key} K
 * @param {K} key
 * @param {Given<K, string|number|Node>} given
 */
export const parts = (key, ...given) => filled(key, given[0]).filter((part) => part !== "");

/** The text of that name if there is one, or else what the server says. @param {string} key @param {string} said */
export const known = (key, said) => (Object.hasOwn(table, key) ? filled(/** @type {Key} */ (key)).join("") : said);

/** @param {Key} key @param {Record<string, string|number|Node>} [given] @returns {(string|Node)[]} */
function filled(key, given = {}) {
  const text = table[key];
  const form = typeof text === "string" ? text : (text[plurals.select(Number(given.count))] ?? text.other);
  return form.split(/\{(\w+)\}/).map((part, at) => {
    const value = at % 2 ? given[part] : part;
    return typeof value === "number" ? numbers.format(value) : value;
  });
}

/** What stands in `index.html`, where it is in English. */
export function tellPage() {
  const all = document.querySelectorAll("[data-t], [data-t-label], [data-t-title]");
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (all)) {
    const { t: text, tLabel: label, tTitle: title } = /** @type {Record<string, Key>} */ (element.dataset);
    if (text) element.textContent = filled(text).join("");
    if (element.dataset.text) element.dataset.text = element.textContent ?? "";
    if (label) element.setAttribute("aria-label", filled(label).join(""));
    if (title) element.title = filled(title).join("");
  }
  document.documentElement.dataset.told = language;
}

// -- The table. What counts something has a form for each plural that the language knows.

const ENGLISH = /** @type {const} */ ({
  // Everywhere
  "button.close": "Close",
  "button.reload": "Reload",
  "copy.refused": "The browser does not allow copying here",
  "time.about": "about {time}",
  "time.now": "just now",

  // The bar, and what any view may have to say
  "bar.skip": "Skip to content",
  "bar.views": "Views",
  "view.search": "Search",
  "view.document": "Documents",
  "view.playground": "Playground",
  "view.graph": "Graph",
  "view.ask": "Ask",
  "view.status": "Status",
  "bar.find": "Search…",
  "bar.language": "Language",
  "theme.light": "Use the light theme",
  "theme.dark": "Use the dark theme",
  "view.opening": "Opening…",
  "view.none": "Not found",
  "view.unknown": "This page has no view “{name}”.",
  "view.failed": "This view could not be loaded.",

  // The connection to the server
  "away.silent": "headnote does not answer.",
  "away.silent.next": "Restart it; this page will reconnect.",
  "away.locked": "headnote was restarted with another token.",
  "away.locked.next": "Open the address that it printed; this page will reconnect.",
  "away.upgraded": "headnote was updated.",
  "away.upgraded.next": "Reload the page to use the new version.",
  "away.moved": "headnote serves another folder now.",
  "away.moved.next": "Reload the page to see it.",
  "away.over": "headnote answers again",

  // Errors, by the code that the server gives them; the others are told in its own words
  "problem.unreachable": "headnote does not answer.",
  "problem.unreachable.remedy": "Is headnote serve still running?",
  "problem.status": "The server answered with status {status}.",
  "problem.not_found": "This document is not in the folder.",
  "problem.busy": "headnote is answering as many questions as it can.",
  "problem.busy.remedy": "Ask again in a few seconds.",
  "problem.token_wanted": "headnote was restarted with another token.",
  "problem.token_wanted.remedy": "Open the address that it printed.",
  "problem.failed": "Something went wrong in headnote.",
  "problem.failed.remedy": "The terminal that it runs in has the details.",

  // What the server does with the folder
  "state.away": "No answer",
  "state.problem": "Needs attention",
  "state.connecting": "Connecting",
  "state.reading": "Reading",
  "state.reading.part": "Reading, {part}",
  "state.elsewhere": "Being updated",
  "state.updating": "Updating",
  "state.readOnly": "Read-only",
  "state.preparing": "Preparing",
  "state.preparing.part": "Preparing, {part}",
  "state.fresh": "Up to date",
  "progress.changes": "Reading changes",
  "progress.changes.meanwhile": "Search works; the newest changes may be missing.",
  "progress.meaning": "Preparing search by meaning",
  "progress.meaning.instant": "Search works already, and gets better when this is done.",
  "progress.meaning.words": "Search works already, by words; passages that are ready are found by meaning, too.",
  "progress.folder": "Reading the folder",
  "progress.folder.some": "Search works on what has been read.",
  "progress.folder.none": "The first files can be searched in a moment.",
  "progress.looking": "looking for files",
  "progress.files": { one: "{done} of {count} file", other: "{done} of {count} files" },
  "progress.filesRead": { one: "{done} of {count} file read", other: "{done} of {count} files read" },
  "progress.left": "{far}, {time} left",

  // Keys
  "keys.title": "Keys",
  "keys.open": "Keyboard shortcuts",
  "keys.allowed": "Enable single-key shortcuts",
  "keys.in.everywhere": "Everywhere",
  "keys.in.search": "In search",
  "keys.in.document": "In documents",
  "keys.in.playground": "In the playground",
  "keys.in.graph": "In the graph",
  "key.mod": "Ctrl",
  "key.shift": "Shift {key}",
  "keys.find": "search",
  "keys.views": "search, documents, playground, graph, ask, status",
  "keys.letters": "search; also g d, g p, g r (graph), g a, g i (index status)",
  "keys.theme": "switch between light and dark",
  "keys.list": "this list",
  "keys.escape": "close, or leave a field",
  "keys.palette": "go to anything: documents, passages, commands",

  // Amounts and places, in any view
  "count.documents": { one: "{count} document", other: "{count} documents" },
  "count.passages": { one: "{count} passage", other: "{count} passages" },
  "count.tokens": { one: "{count} token", other: "{count} tokens" },
  "lines.one": "line {lines}",
  "lines.many": "lines {lines}",

  // Search: what is asked
  "search.of": "{query} – Search",
  "asking.title": "Search your documents",
  "asking.size": "{documents}, {passages}.",
  "asking.how": "Type a few words or a question. Results match its words and its meaning.",
  "asking.keys": "{down} {up} move through the results, {enter} opens one, {help} lists all keys",
  "empty.title": "No documents yet",
  "empty.remedy": "Add Markdown or MDX files to the folder. They appear here automatically.",
  "recent.title": "Recent searches",
  "recent.clear": "Clear",
  "keys.hits": "move between the search box and the results",
  "keys.hits.open": "open the result at its line",
  "keys.hits.escape": "back to the search box, then clear it",
  "mode.title": "Search by",
  "mode.both": "Both",
  "mode.meaning": "Meaning",
  "mode.words": "Words",
  "filters.title": "Filters",
  "filters.clear": "Clear filters",
  "filter.remove": "Remove the filter {filter}",
  "filter.path": "Path",
  "filter.path.hint": "a folder or a pattern",
  "filter.tag": "Tag",
  "filter.tag.hint": "all must match",
  "filter.where": "Frontmatter",
  "filter.where.hint": "conditions",
  "filter.since": "Changed since",
  "filter.since.date": "since {date}",
  "facets.label": "Narrow the search",
  "facet.folder": "Folder",
  "facet.narrow": { one: "Narrow to {value}: {count} passage", other: "Narrow to {value}: {count} passages" },
  "operators.label": "Operators in the query",
  "operators.query": "Query",
  "operator.phrase": "“{phrase}”",
  "operator.phrase.remove": "Remove the phrase {phrase}",
  "operator.without": "without {text}",
  "operator.without.remove": "Stop excluding {text}",

  // Search: what is found
  "search.time": "In {time} ms",
  "search.announced": "{summary} for {query}",
  "filling.now": "{what}. {meanwhile}",
  "filling.far": "{what}: {far}. {meanwhile}",
  "corrected.to": "Showing results for {query}.",
  "corrected.back": "Search instead for {query}",
  "nothing.title": "Nothing found",
  "nothing.filters": { one: "Clear {count} filter", other: "Clear {count} filters" },
  "nothing.anyway": "Show the closest passages anyway",
  "nothing.yet": "Nothing found yet",
  "nothing.yet.next": "headnote is still reading the folder, and will search for “{query}” again.",
  "tagged.some": { one: "{count} document with {tags}", other: "{count} documents with {tags}" },
  "tagged.none": "No document has {tags}",
  "found.some": { one: "{shown} of {count} passage", other: "{shown} of {count} passages" },
  "found.best": { one: "The best passage", other: "The best {count} passages" },
  "found.relevant": {
    one: "{count} passage, and {rest} less relevant",
    other: "{count} passages, and {rest} less relevant",
  },
  "found.more": "Show more",
  "found.last": "{amount}. Add words or a filter to see others.",
  "found.copies": { one: "{count} near-duplicate is left out", other: "{count} near-duplicates are left out" },
  "hits.label": "Results",
  "hits.more": { other: "{count} more here" },
  "hit.copies": "Also in {places}",
  "hit.copies.more": { other: "Also in {places} and {count} more" },
  "why.title": "Why",
  "why.label": "Why {name} was found",
  "why.score": "Score",
  "why.score.by": "{score}, by {ways}",
  "why.way.name": "name",
  "why.way.words": "words",
  "why.way.meaning": "meaning",
  "why.way.link": "link",
  "why.none": "not found",
  "why.words": "By words",
  "why.words.rank": "rank {rank}, BM25 {score}",
  "why.meaning": "By meaning",
  "why.meaning.rank": "rank {rank}, similarity {similarity}, model {model}",
  "why.matched": "Matched words",
  "why.guessed": "Read as",
  "why.name": "Name",
  "why.name.title": "the query is its title",
  "why.name.alias": "the query is one of its aliases",
  "why.name.file name": "the query is its file name",
  "why.name.heading": "the query is its heading",
  "why.weights": "Weights",
  "why.weights.shares": "meaning {meaning}, words {words}: {reason}",
  "why.linkedFrom": "Linked from",
  "why.linksTo": "Links to",
  "why.context": "Context",
  "why.recency": "Recency",
  "why.passage": "Passage",

  // Documents
  "count.chunks": { one: "{count} chunk", other: "{count} chunks" },
  "count.lines": { one: "{count} line", other: "{count} lines" },
  "count.links": { one: "{count} link", other: "{count} links" },
  "amount.name": "Name",
  "amount.title": "Title",
  "amount.changed": "Changed",
  "amount.changed.date": "Date changed",
  "amount.size": "Size",
  "amount.chunks": "Chunks",
  "amount.links": "Links",
  "order.az": "A to Z",
  "order.za": "Z to A",
  "order.newest": "Newest first",
  "order.oldest": "Oldest first",
  "order.largest": "Largest first",
  "order.smallest": "Smallest first",
  "order.most": "Most first",
  "order.fewest": "Fewest first",
  "list.filter": "Filter",
  "list.filter.hint": "Title or path",
  "list.sort": "Sort by",
  "list.layout": "Show as",
  "list.flat": "List",
  "list.some": { one: "{shown} of {count} document", other: "{shown} of {count} documents" },
  "folders.title": "Folders",
  "folders.open": "Open all",
  "folders.close": "Close all",
  "folders.spoken": { one: "{name}, folder, {count} document", other: "{name}, folder, {count} documents" },
  "keys.folder": "open or close a folder",
  "keys.folders": "open all folders at this level",

  // A document
  "document.label": "Document",
  "document.beside": "Folders and outline",
  "document.outline": "Outline",
  "document.about": "About this document",
  "document.sheet": "Contents and links",
  "document.try": "Try other settings",
  "document.try.title": "See how other settings split this document into chunks",
  "document.print": "Print",
  "document.facts": "About",
  "document.failed": "This document cannot be shown",
  "document.moved": "The text that this link points to has changed",
  "document.missing": "Document not found",
  "document.missing.path": "{path} is not in this folder.",
  "document.similar": "Similar names",
  "search.for": "Search for “{query}”",
  "button.again": "Try again",
  "button.copy": "Copy",
  "copy.code": "Copy code",
  "copy.code.done": "Code copied",
  "copy.link": "Copy link",
  "copy.link.done": "Link copied",
  "copy.link.document": "Copy link to the document",
  "copy.link.section": "Copy link to the section",
  "copy.link.lines": "Copy link to {lines}",
  "copy.link.done.document": "Link to the document copied",
  "copy.link.done.section": "Link to the section copied",
  "copy.link.done.lines": "Link to {lines} copied",
  "editor.open": "Open in {editor}",
  "keys.chunk.previous": "previous chunk",
  "keys.chunk.next": "next chunk",
  "keys.match.next": "next match of the search",
  "keys.match.previous": "previous match of the search",
  "keys.match.clear": "clear the highlights of the search",
  "keys.copyLink": "copy a link to the selected lines, or to those on the screen",
  "keys.editor": "open in the editor",
  "keys.print": "print the document",
  "match.label": "Search matches",
  "match.count": { one: "{count} match", other: "{count} matches" },
  "match.at": { other: "{place} of {count}" },
  "match.announced": {
    one: "{count} match in this document",
    other: "{count} matches in this document; press n for the next one",
  },
  "match.previous": "Previous match",
  "match.next": "Next match",
  "match.clear": "Clear the highlights",
  "outline.title": "On this page",
  "chunk.all": "Chunks of this document",
  "chunk.described": "Chunk {number} of {total}, {size}, {lines}",
  "chunk.beginning": "Beginning",
  "link.broken": "broken, {line}",
  "link.noSection": "no such section",
  "related.title": "Related",
  "related.none": "No related passages, apart from what this document links to.",
  "related.why": "Why {name} is related",
  "related.mention": "mentions “{words}”",
  "related.text": "similar text ({similarity})",
  "related.words": "also has {words}",
  "related.links": { one: "{count} link in common", other: "{count} links in common" },
  "related.linked": "links to this document",
  "piece.failed": "This part of the document could not be loaded.",
  "tab.title": "Tab {number}",
  "diagram.label": "Diagram",
  "diagram.source": "Source",
  "diagram.frame": "Draws the diagrams",
  "undrawn.formula": "This formula could not be drawn: {reason}",
  "undrawn.diagram": "This diagram could not be drawn: {reason}",
  "undrawn.long": "it is too long",
  "undrawn.deep": "it is nested too deeply",
  "undrawn.styles": "its styles could not be loaded",
  "undrawn.slow": "it takes too long",
  "undrawn.slow.before": "it took too long the last time",
  "undrawn.formulas": "formulas do not work in diagrams here",
  "undrawn.empty": "it is empty",
  "undrawn.unreadable": "it cannot be read",

  // The field at the top. Commands are found by more words than those of their titles.
  "palette.label": "Go to anything",
  "palette.field": "Go to",
  "palette.placeholder": "Search documents, headings, passages",
  "palette.suggestions": "Suggestions",
  "palette.count": { one: "{count} suggestion", other: "{count} suggestions" },
  "palette.headings": "Headings",
  "palette.passages": "Passages",
  "palette.commands": "Commands",
  "palette.again": "search",
  "palette.all": "in all passages",
  "command.search": "find go",
  "command.document": "files folders tree list go",
  "command.playground": "chunks settings try go",
  "command.graph": "links map go",
  "command.ask": "question answer go",
  "command.status": "index state go",
  "command.theme": "switch mode colours colors",
  "command.link.title": "Copy a link to this page",
  "command.link": "address url share",
  "command.reload.title": "Reload the page",
  "command.reload": "refresh",
  "command.keys.title": "Show all keys",
  "command.keys": "keyboard shortcuts help",
  "command.language": "language translation",
  "command.forget.title": "Clear recent searches",
  "command.forget": "forget history",

  // Asking
  "ask.of": "{question} – Ask",
  "ask.lead": "Get an answer from your documents, with the lines that support it.",
  "ask.button": "Ask",
  "ask.stop": "Stop",
  "ask.new": "New conversation",
  "ask.question": "Question",
  "ask.placeholder": "What do you want to know?",
  "ask.further": "Ask a follow-up question",
  "ask.who": "Answered by {model}",
  "ask.nobody": "Without a language model, answers are quotes from your documents",
  "ask.starters": "Suggested questions",
  "ask.starters.title": "Questions your documents can answer",
  "answer.searching": "Searching…",
  "answer.quoted": "No language model is set up to write an answer. These sentences are quoted from your documents.",
  "answer.unclear": "Your documents may not answer this question. These sentences come closest.",
  "answer.incomplete": "The answer is incomplete.",
  "answer.nothing": "Nothing relevant found.",
  "answer.announced": { one: "Answer with {count} citation", other: "Answer with {count} citations" },
  "answer.citation": "Citation {number}: {place}",
  "answer.citations": "Citations",
  "answer.cited": "Cited lines",
  "answer.dropped": "Removed citations",
  "answer.dropped.note": "The answer cited these places, but they do not support it.",
  "answer.sources": "From these passages",
  "answer.based": { one: "Based on {count} passage", other: "Based on {count} passages" },
  "answer.search": "Search for these words",
  "answer.again": "Ask again",
  "answer.cut": "The answer was cut off.",
  "answer.cut.remedy": "Try again.",
  "answer.stopped": "Stopped",
  "answer.stopped.note": "Stopped. This answer is incomplete.",

  // Status
  "status.loading": "Loading…",
  "status.changed": "last changed {when}",
  "status.problem": "Recent changes to your files may be missing",
  "status.elsewhere": "The index is {who}",
  "status.elsewhere.meanwhile": "Search works meanwhile, and the changes will appear here by themselves.",
  "status.readOnly": "This server is read-only",
  "status.readOnly.meanwhile": "Search works, but changes to the files do not appear here.",
  "status.untrusted": "Some settings of this folder are ignored",
  "status.untrusted.why": "{settings} would reach outside the folder. To allow that, run headnote trust.",
  "status.documents": { one: "document", other: "documents" },
  "status.passages": { one: "passage", other: "passages" },
  "status.links": { one: "link", other: "links" },
  "status.disk": "on disk",
  "status.use": "How this folder is used",
  "status.words": "by words",
  "status.words.yet": "by words, and by meaning as soon as that is ready",
  "status.meaning": "by words and by meaning ({name})",
  "status.meaning.yet": "by words and by meaning ({name}; {better} is being prepared)",
  "status.ask": "answers written by {model}",
  "status.ask.nobody": "quotes from your documents; no language model is set up",
  "status.settings": "Settings",
  "status.differing": "not applied to this index: {settings}",
  "status.rules": "How documents are split into passages",
  "status.leftOut": { one: "{count} file or folder is left out", other: "{count} files or folders are left out" },
  "status.leftOut.first": { other: "{count} files or folders are left out; the first {shown} are listed" },
  "value.byFile": "by file name",
  "value.none": "none",

  // The graph
  "count.orphans": { one: "{count} orphan", other: "{count} orphans" },
  "count.orphans.hidden": { one: "{count} hidden orphan", other: "{count} hidden orphans" },
  "count.tags": { one: "{count} tag", other: "{count} tags" },
  "count.broken": { one: "{count} broken link", other: "{count} broken links" },
  "graph.label": "Graph of documents",
  "graph.described": {
    one: "Graph of {count} document with {amounts}",
    other: "Graph of {count} documents with {amounts}",
  },
  "graph.help": "Arrow keys move the graph, plus and minus zoom. The list beside it has all documents.",
  "graph.reading": "Reading links…",
  "graph.zoomIn": "Zoom in",
  "graph.zoomOut": "Zoom out",
  "graph.fit": "Show everything",
  "graph.save": "Save as picture",
  "graph.tooLarge": "This picture is too large for the browser",
  "graph.find": "Find documents",
  "graph.show": "Show",
  "graph.orphans": "Orphans",
  "graph.tags": "Tags",
  "graph.broken": "Broken links",
  "graph.none.documents": "No documents",
  "graph.none.orphans": "No orphans",
  "graph.none.broken": "No broken links",
  "graph.noneLike.documents": "No matching documents",
  "graph.noneLike.orphans": "No matching orphans",
  "graph.noneLike.broken": "No matching broken links",
  "graph.colours": "Colours",
  "graph.depth": { one: "By folder", other: "By folder, {count} levels deep" },
  "graph.depth.best": "Automatic",
  "graph.depth.chosen": { one: "Automatic ({count} level)", other: "Automatic ({count} levels)" },
  "legend.label": "Folder colours",
  "legend.top": "top folder",
  "legend.others": { one: "{count} other", other: "{count} others" },
  "nearby.title": "Nearby",
  "nearby.label": "Documents nearby",
  "nearby.described": { one: "Graph of {count} document nearby", other: "Graph of {count} documents nearby" },
  "nearby.depth": "How far away",
  "nearby.list": "As a list",
  "nearby.none": "No other document links here or is linked from here.",
  "nearby.some": { one: "The nearest document", other: "The nearest {count} documents" },
  "nearby.away": { one: "{count} link away", other: "{count} links away" },
  "keys.graph.move": "move the graph, when it has the focus",
  "keys.graph.zoom": "zoom",
});

// -- The language

/** @type {Record<Key, string|(Partial<Record<Intl.LDMLPluralRule, string>> & {other: string})>} */
const table = { ...ENGLISH };
/** Of the texts; English if the table of the wanted one cannot be loaded. */
export const language = (await translate(document.documentElement.lang)) ? document.documentElement.lang : "en";
document.documentElement.lang = language;
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/** @param {string} wanted @returns {Promise<boolean>} Whether the table is in that language now. */
async function translate(wanted) {
  if (wanted === "en") return true;
  const answer = await fetch(asset(`texts/${wanted}.json`)).catch(() => null);
  if (!answer?.ok) return false;
  Object.assign(table, await answer.json());
  return true;
}

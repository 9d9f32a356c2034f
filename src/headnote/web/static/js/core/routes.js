/** Views have addresses behind the hash: `#/search?q=pump`, `#/document?path=a.md&line=12`. */

/** @typedef {{view: string, query: URLSearchParams}} Route */

/** @param {string} hash @returns {Route|null} Null for a hash that is no view, such as that of the skip link. */
export function parseRoute(hash) {
  if (hash === "" || hash === "#") return { view: "search", query: new URLSearchParams() };
  const match = /^#\/([a-z]*)(?:\?(.*))?$/.exec(hash);
  return match && { view: match[1] || "search", query: new URLSearchParams(match[2] ?? "") };
}

/** @param {string} view @param {Record<string, string|number|string[]|null|undefined>} [query] */
export function hrefOf(view, query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== null && one !== undefined && one !== "") parameters.append(name, String(one));
  }
  const search = parameters.toString();
  return search ? `#/${view}?${search}` : `#/${view}`;
}

/**
 * The address of a passage, with the words to mark in its document.
 * @param {{path: string, start_line: number, end_line: number}} place @param {string} [q]
 */
export function hrefOfPlace({ path, start_line, end_line }, q = "") {
  return hrefOf("document", { path, line: start_line, end: end_line > start_line ? end_line : null, q });
}

/** Change the address without a step in the history. @param {string} href */
export function rewrite(href) {
  if (location.hash !== href) history.replaceState(history.state, "", href);
}

/** A few choices that outlive the page. Where storage is forbidden, they last as long as the page. */

/** @type {Map<string, string>} */
const fallback = new Map();

/** @param {string} name @returns {string|null} */
export function recall(name) {
  try {
    return localStorage.getItem(`headnote-${name}`);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/** @param {string} name @param {string|null} value Null forgets it. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(`headnote-${name}`);
    else localStorage.setItem(`headnote-${name}`, value);
  } catch {
    if (value === null) fallback.delete(name);
    else fallback.set(name, value);
  }
}

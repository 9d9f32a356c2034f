/**
 * Files of the page that are no modules. Their address has the digest of the page, as that of this module has. It
 * imports nothing, because workers and frames load it, too.
 */

const ROOT = new URL("../../", import.meta.url);

/** The address of a file, by its path below `static`. @param {string} path */
export const asset = (path) => new URL(path, ROOT).href;

/** The digest of this page; a server that was upgraded has another one. */
export const digest = ROOT.pathname.split("/").at(-2) ?? "";

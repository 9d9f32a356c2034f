/** What the sizes of chunks count. Pure. */

/** @typedef {import("../types.js").Settings} Settings */

/** @param {Settings} settings */
export const unitOf = (settings) => (settings.counter === "chars" ? "characters" : "tokens");

/** Ctrl-K or ⌘-K. The palette itself is loaded when the page has nothing else to do, or when it is wanted. */

import { EVERYWHERE, registerKeys } from "../shell/keys.js";

/** @param {{go: (view: string) => void}} actions */
export function startPalette(actions) {
  /** @type {Promise<import("./palette.js").Palette>|null} */
  let loading = null;
  const load = () => {
    loading ??= import("./palette.js").then((module) => new module.Palette(actions));
    // What failed may succeed the next time.
    loading.catch(() => (loading = null));
    return loading;
  };
  const open = () => void load().then((palette) => palette.open());
  registerKeys(EVERYWHERE, [{ press: ["Mod+k"], meaning: "go to anything: documents, passages, commands", act: open }]);
  document.getElementById("palette-open")?.addEventListener("click", open);
  if ("requestIdleCallback" in window) window.requestIdleCallback(load, { timeout: 5000 });
}

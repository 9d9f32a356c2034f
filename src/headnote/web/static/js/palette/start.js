/** Ctrl-K or ⌘-K. The palette itself is loaded when the page has nothing else to do, or when it is wanted. */

import { loaded } from "../core/loading.js";
import { EVERYWHERE, registerKeys } from "../shell/keys.js";

/** @param {{go: (view: string) => void}} actions */
export function startPalette(actions) {
  /** @type {Promise<import("./palette.js").Palette>|null} */
  let loading = null;
  const load = () => {
    loading ??= loaded(() => import("./palette.js")).then((module) => new module.Palette(actions));
    // What failed may succeed the next time.
    loading.catch(() => (loading = null));
    return loading;
  };
  const open = async () => {
    const typed = keepKeys();
    try {
      (await load()).open(typed());
    } finally {
      typed();
    }
  };
  const meaning = "go to anything: documents, passages, commands";
  registerKeys(EVERYWHERE, [{ press: ["Mod+k"], meaning, act: () => void open() }]);
  document.getElementById("palette-open")?.addEventListener("click", () => void open());
  if ("requestIdleCallback" in window) window.requestIdleCallback(load, { timeout: 5000 });
}

/** Keep what is typed until the palette is there. @returns {() => string} Ends that, and tells what was typed. */
function keepKeys() {
  let text = "";
  const keep = (/** @type {KeyboardEvent} */ event) => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    text += event.key;
  };
  window.addEventListener("keydown", keep, { capture: true });
  return () => {
    window.removeEventListener("keydown", keep, { capture: true });
    return text;
  };
}

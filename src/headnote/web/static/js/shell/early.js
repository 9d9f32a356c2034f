/*
 * Runs before anything is painted, so that a dark page never flashes white, and no word is seen in two languages. Not a
 * module: those wait.
 */
(function () {
  const page = document.documentElement;

  /** @param {string} name */
  function recall(name) {
    try {
      return localStorage.getItem(`headnote-${name}`);
    } catch {
      // Storage may be blocked; the page then follows the system.
      return null;
    }
  }

  const theme = recall("theme");
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  page.dataset.theme = theme === "light" || theme === "dark" ? theme : isDark ? "dark" : "light";

  const languages = (page.dataset.languages ?? "").split(" ");
  const wanted = [recall("language"), ...navigator.languages].flatMap((one) => one?.toLowerCase().split("-")[0] ?? []);
  page.lang = wanted.find((one) => languages.includes(one)) ?? "en";
  if (page.lang === "en" || !(document.currentScript instanceof HTMLScriptElement)) return;
  // Its table comes along with the modules, which wait for it.
  const table = document.createElement("link");
  table.rel = "preload";
  table.as = "fetch";
  table.crossOrigin = "anonymous";
  table.href = new URL(`../../texts/${page.lang}.json`, document.currentScript.src).href;
  document.head.append(table);
})();

/* Runs before anything is painted, so that a dark page never flashes white. Not a module: those wait. */
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("headnote-theme");
  } catch (error) {
    // Storage may be forbidden; the page then goes by what the system prefers.
  }
  var dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : dark ? "dark" : "light";
})();

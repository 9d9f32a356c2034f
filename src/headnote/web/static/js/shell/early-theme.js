/* Runs before anything is painted, so that a dark page never flashes white. Not a module: those wait. */
(function () {
  var stored = null;
  try {
    stored = localStorage.getItem("headnote-theme");
  } catch (error) {
    // Storage may be blocked; the page then follows the system.
  }
  var dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = stored === "light" || stored === "dark" ? stored : dark ? "dark" : "light";
})();

/** Announces a message to screen readers, once. */

import { h } from "./dom.js";

/** @param {string} text */
export function announce(text) {
  const place = document.getElementById("announcer");
  if (place && place.textContent !== text) place.textContent = text;
}

/** An error with its remedy. @param {any} error */
export function errorNotice(error) {
  return h(
    "div",
    { class: "notice bad", role: "alert" },
    h("strong", null, error.message),
    error.remedy && h("span", null, error.remedy),
  );
}

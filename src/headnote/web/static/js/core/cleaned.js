/** The only markup from outside that becomes elements: HTML that the server has sanitized. */

/** @param {Element} element @param {string} html Of a response of our own server. */
export function fillCleaned(element, html) {
  element.innerHTML = html;
}

/** The server counts code points, JavaScript counts UTF-16 units: the same until the first emoji. */

const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

export class CodePoints {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Uint32Array|null} Unit of every code point; null where both counts are the same. */
    this.units = ASTRAL.test(text) ? unitsOf(text) : null;
  }

  /** Where in the string a code point stands. @param {number} offset */
  unit(offset) {
    if (!this.units) return Math.min(offset, this.text.length);
    return this.units[Math.min(offset, this.units.length - 1)];
  }

  /** @param {number} start @param {number} end */
  slice(start, end) {
    return this.text.slice(this.unit(start), this.unit(end));
  }
}

/** @param {string} text */
function unitsOf(text) {
  const units = new Uint32Array(text.length + 1);
  let point = 0;
  let unit = 0;
  for (const character of text) {
    units[point] = unit;
    point += 1;
    unit += character.length;
  }
  units[point] = unit;
  return units.subarray(0, point + 1);
}

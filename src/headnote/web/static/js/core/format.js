/** Numbers, times and places as people read them, and text as the server counts it. */

import { language, t } from "./texts.js";

const WHOLE = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const PART = new Intl.NumberFormat(language, { style: "percent" });
const RELATIVE = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const DATE = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
const DAY = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const LIST = new Intl.ListFormat(language);

/** @param {number} value */
export const whole = (value) => WHOLE.format(Math.round(value));

/** With so many digits behind the point, such as a score. @param {number} value @param {number} digits */
export const exactly = (value, digits) =>
  value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** As a percentage, rounded down: what is not complete is not 100 %. @param {number} done @param {number} total */
export const portion = (done, total) => PART.format(Math.floor((100 * done) / total) / 100);

/** `a, b and c`. @param {string[]} items */
export const list = (items) => LIST.format(items);

/** @param {string} date as `2026-03-01` */
export const day = (date) => (Number.isNaN(Date.parse(date)) ? date : DATE.format(new Date(date)));

/** The day, where the reader is. @param {number} seconds Since 1970. */
export const dayOf = (seconds) => DAY.format(new Date(seconds * 1000));

/** @param {number} bytes */
export function bytes(bytes) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? exactly(value, 1) : whole(value)} ${units[unit]}`;
}

/** @param {number} seconds Since 1970. @param {number} [now] */
export function ago(seconds, now = Date.now() / 1000) {
  const passed = now - seconds;
  /** @type {[number, Intl.RelativeTimeFormatUnit][]} */
  const steps = [
    [86400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ];
  for (const [length, unit] of steps) if (passed >= length) return RELATIVE.format(-Math.floor(passed / length), unit);
  return t("time.now");
}

/** How long something takes, such as `about 3 minutes`. @param {number} seconds */
export function roughly(seconds) {
  if (seconds < 90) return about(Math.max(1, seconds), "second");
  return seconds < 5400 ? about(seconds / 60, "minute") : about(seconds / 3600, "hour");
}

/** @param {number} amount @param {"second"|"minute"|"hour"} unit */
function about(amount, unit) {
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
  return t("time.about", { time: format.format(Math.round(amount)) });
}

/** Of a model: its name without what only programs compare. @param {string} name */
export const modelName = (name) => name.split(":")[0];

/** `12` or `12–18`. @param {number} first @param {number} last */
export const lines = (first, last) => (last > first ? `${first}–${last}` : `${first}`);

/** `line 12` or `lines 12–18`. @param {number} first @param {number} last */
export const inLines = (first, last) =>
  t(last > first ? "lines.many" : "lines.one", { lines: lines(first, last) });

/** @param {{path: string, start_line: number, end_line: number}} place */
export const place = ({ path, start_line, end_line }) => `${path}:${lines(start_line, end_line)}`;

// -- The server counts code points, JavaScript counts UTF-16 units: the same until the first emoji

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

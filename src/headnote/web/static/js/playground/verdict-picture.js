/** The verdicts as a picture to share: the question, the answer as each lane cuts it, and the address. */

import { say } from "../core/clipboard.js";
import { h } from "../core/dom.js";
import { t } from "../core/texts.js";
import { piecesOf, unitsOf } from "./question.js";
import { sentenceOf } from "./verdict.js";

/** @typedef {import("./lane.js").Lane} Lane */
/** @typedef {import("./spans.js").Span} Span */
/** @typedef {{question: string, file: string, text: string, lanes: Lane[]}} Shown */

// -- The rows of text that are drawn: the answer with two lines before it and one after it, wrapped

const MOST_ROWS = 32;

/**
 * @param {string} text @param {Span} span @param {number} letters That fit in a row. @returns {Span[]}
 */
export function rowsAround(text, { start, end }, letters) {
  const before = text.slice(0, start).split("\n");
  const after = text.slice(end).split("\n");
  const first = start - before.slice(-3).join("\n").length;
  const last = end + after.slice(0, 2).join("\n").length;
  /** @type {Span[]} */
  const rows = [];
  for (let at = first; at < last; ) {
    const lineEnd = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
    rows.push(...wrapped(text, at, lineEnd, letters));
    at = lineEnd + 1;
  }
  return rows;
}

/** @param {string} text @param {number} start @param {number} end @param {number} letters @returns {Span[]} */
function wrapped(text, start, end, letters) {
  const rows = [];
  let at = start;
  while (end - at > letters) {
    const space = text.lastIndexOf(" ", at + letters);
    const cut = space > at ? space + 1 : at + letters;
    rows.push({ start: at, end: cut });
    at = cut;
  }
  return [...rows, { start: at, end }];
}

/** Of too many rows those around a place. @param {Span[]} rows @param {number} place */
function near(rows, place) {
  const at = rows.findIndex(({ end }) => end > place);
  const first = Math.max(0, Math.min(at - MOST_ROWS / 2, rows.length - MOST_ROWS));
  return rows.slice(first, first + MOST_ROWS);
}

// -- Drawing

const WIDTH = 1200;
const EDGE = 48;
const GAP = 32;
const ROW = 21;
const GUTTER = 44;
/** Twice as sharp as the screen of most readers. */
const SCALE = 2;
const HUES = 8;

/** A pen on the canvas, with the colours and letters of the page. */
class Pen {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    this.style = getComputedStyle(document.documentElement);
    this.mono = `14px ${this.colour("--mono")}`;
  }

  /** @param {string} name Of a variable of the style sheets. */
  colour(name) {
    return this.style.getPropertyValue(name).trim();
  }

  /** @param {number} size @param {number} weight */
  sans(size, weight = 400) {
    return `${weight} ${size}px ${this.colour("--sans")}`;
  }

  /** @param {string} words @param {number} x @param {number} y @param {string} font @param {string} colour */
  write(words, x, y, font, colour) {
    this.context.font = font;
    this.context.fillStyle = this.colour(colour);
    this.context.fillText(words, x, y);
  }

  /** @param {string} words @param {string} font */
  width(words, font) {
    this.context.font = font;
    return this.context.measureText(words).width;
  }

  /** Words in rows. @param {string} words @param {number} width @param {string} font */
  fold(words, width, font) {
    /** @type {string[]} */
    const rows = [];
    for (const word of words.split(" ")) {
      const longer = `${rows.at(-1) ?? ""} ${word}`.trim();
      if (rows.length > 0 && this.width(longer, font) <= width) rows[rows.length - 1] = longer;
      else rows.push(word);
    }
    return rows;
  }

  /**
   * @param {number} x @param {number} y @param {number} width @param {number} height @param {string} colour
   * @param {number} [strength]
   */
  fill(x, y, width, height, colour, strength = 1) {
    this.context.globalAlpha = strength;
    this.context.fillStyle = this.colour(colour);
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }

  /** @param {[number, number][]} points @param {string} colour */
  line(points, colour) {
    this.context.strokeStyle = this.colour(colour);
    this.context.lineWidth = 2;
    this.context.setLineDash([6, 4]);
    this.context.beginPath();
    for (const [x, y] of points) this.context.lineTo(x, y);
    this.context.stroke();
    this.context.setLineDash([]);
  }

  /**
   * An address may be long: its middle is left out.
   * @param {string} words @param {number} width @param {string} font
   */
  shortened(words, width, font) {
    let [short, kept] = [words, words.length];
    while (this.width(short, font) > width && kept > 8) {
      kept -= 4;
      short = `${words.slice(0, Math.ceil(kept * 0.7))}…${words.slice(-Math.floor(kept * 0.3))}`;
    }
    return short;
  }
}

/** @param {HTMLCanvasElement} canvas @param {Shown} shown */
export function drawPicture(canvas, shown) {
  const asked = shown.lanes.filter(({ result }) => result?.question?.passage);
  if (asked.length === 0) return;
  const pen = new Pen(canvas);
  const width = (WIDTH - 2 * EDGE - (asked.length - 1) * GAP) / asked.length;
  const [question, words] = [pen.sans(32, 650), pen.sans(17)];
  const titles = pen.fold(shown.question, WIDTH - 2 * EDGE, question).slice(0, 2);
  const verdicts = asked.map(({ title, result }) => sentenceOf(title, result));
  const sentences = verdicts.map((verdict) => pen.fold(verdict?.words ?? "", width - 40, words));
  const rows = rowsOf(asked, shown.text, Math.floor((width - GUTTER - 28) / pen.width("0", pen.mono)));
  const head = EDGE + 30 + titles.length * 42;
  const sentence = 58 + 25 * Math.max(...sentences.map(({ length }) => length));
  const panel = head + sentence + 10;
  const height = panel + rows.length * ROW + 24 + 68;
  [canvas.width, canvas.height] = [WIDTH * SCALE, height * SCALE];
  pen.context.scale(SCALE, SCALE);
  pen.fill(0, 0, WIDTH, height, "--paper");
  pen.write(shown.file, EDGE, EDGE + 6, pen.mono, "--ink-soft");
  titles.forEach((row, at) => pen.write(row, EDGE, EDGE + 46 + at * 42, question, "--ink"));
  asked.forEach((lane, at) => {
    const [x, verdict] = [EDGE + at * (width + GAP), verdicts[at]];
    const tone = verdict?.fate === "whole" ? "--good" : "--bad";
    pen.fill(x, head, width, sentence + rows.length * ROW + 34, "--surface");
    pen.fill(x, head, width, sentence, tone, 0.1);
    pen.fill(x, head, width, 5, tone);
    pen.write(`${tone === "--good" ? "✓" : "✗"}  ${verdict?.who}`, x + 20, head + 36, pen.sans(21, 650), tone);
    sentences[at].forEach((row, line) => pen.write(row, x + 20, head + 64 + line * 25, words, "--ink"));
    drawText(pen, lane, shown.text, rows, { x, y: panel + 12, width, tone });
  });
  const [foot, name] = [height - 30, pen.sans(20, 650)];
  const nameWidth = pen.width("headnote", name);
  const address = pen.shortened(location.href, WIDTH - 2 * EDGE - nameWidth - 40, pen.mono);
  pen.write(address, EDGE, foot, pen.mono, "--ink-soft");
  pen.write("headnote", WIDTH - EDGE - nameWidth, foot, name, "--ink");
}

/** The same rows for all lanes. @param {Lane[]} lanes @param {string} text @param {number} letters */
function rowsOf(lanes, text, letters) {
  const [{ pane, result }] = lanes;
  const passage = result?.question?.passage;
  if (!passage) return [];
  const rows = rowsAround(text, unitsOf(passage, pane.points), letters);
  const torn = lanes.flatMap((lane) => answerIn(lane).slice(1)).map(({ start }) => start);
  return rows.length > MOST_ROWS ? near(rows, Math.min(...torn, passage.end)) : rows;
}

/** The answer in its pieces. @param {Lane} lane */
function answerIn({ pane, result }) {
  const passage = result?.question?.passage;
  return passage ? piecesOf(passage, unitsOf(passage, pane.points), pane.own) : [];
}

/**
 * The text of a lane: chunks beside it, the answer marked, and where it is torn.
 * @param {Pen} pen @param {Lane} lane @param {string} text @param {Span[]} rows
 * @param {{x: number, y: number, width: number, tone: string}} place
 */
function drawText(pen, lane, text, rows, { x, y, width, tone }) {
  const left = x + GUTTER;
  const pieces = answerIn(lane);
  const after = (/** @type {Span} */ row, /** @type {number} */ to) =>
    left + pen.width(text.slice(row.start, to).trimEnd(), pen.mono);
  /** Of chunks that have a number already. @type {Set<number>} */
  const named = new Set();
  rows.forEach((row, at) => {
    const top = y + at * ROW;
    const rowEnd = Math.max(row.end, row.start + 1);
    const chunk = lane.pane.own.findIndex(({ start, end }) => start < rowEnd && row.start < end);
    if (chunk >= 0) {
      pen.fill(x, top, 5, ROW, `--hue-${chunk % HUES}`);
      if (!named.has(chunk)) pen.write(String(chunk + 1), x + 14, top + 15, pen.sans(13, 650), "--ink-soft");
      named.add(chunk);
    }
    pieces.forEach(({ start, end }, piece) => {
      const [from, to] = [Math.max(start, row.start), Math.min(end, row.end)];
      if (from >= to) return;
      const begin = left + pen.width(text.slice(row.start, from), pen.mono);
      pen.fill(begin, top, after(row, to) - begin, ROW, tone, piece % 2 ? 0.3 : 0.18);
    });
    pen.write(text.slice(row.start, row.end).trimEnd(), left, top + 15, pen.mono, "--ink");
  });
  for (const { start } of pieces.slice(1)) {
    const at = rows.findIndex((row) => start >= row.start && start < row.end);
    if (at < 0) continue;
    const [cut, top] = [left + pen.width(text.slice(rows[at].start, start), pen.mono), y + at * ROW];
    const begins = text.slice(rows[at].start, start).trim() === "";
    const from = begins ? top : top + ROW;
    pen.line([[x, from], [cut, from], [cut, top], [x + width, top]], tone);
    const label = pen.sans(12, 650);
    const wide = pen.width(t("answer.torn"), label) + 14;
    pen.fill(x + width - wide, top - 18, wide, 18, tone);
    pen.write(t("answer.torn"), x + width - wide + 7, top - 5, label, "--surface");
  }
}

// -- The dialog that shows it first

export class VerdictPicture {
  /** @param {() => Promise<Shown>} look */
  constructor(look) {
    this.look = look;
    this.name = "answer";
    this.canvas = h("canvas", { class: "picture-canvas", role: "img" });
    const close = button(t("button.close"), () => this.dialog.close());
    const save = button(t("picture.save"), () => void this.#save(), "primary");
    const copy = button(t("picture.copy"), () => void this.#copy());
    this.dialog = h(
      "dialog",
      { class: "picture-dialog", "aria-label": t("picture.share") },
      h("div", { class: "picture-frame" }, this.canvas),
      h("div", { class: "picture-buttons" }, save, copy, close),
    );
    this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dialog.close());
    this.button = button(t("picture.share"), () => void this.#open(), "primary");
  }

  async #open() {
    const shown = await this.look();
    drawPicture(this.canvas, shown);
    this.name = shown.file.split("/").at(-1)?.replace(/\.[^.]*$/, "") || "answer";
    const verdicts = shown.lanes.flatMap(({ title, result }) => sentenceOf(title, result) ?? []);
    const said = verdicts.map(({ who, words }) => `${who} ${words}`);
    this.canvas.setAttribute("aria-label", [shown.question, ...said].join(" "));
    if (!this.dialog.isConnected) document.body.append(this.dialog);
    this.dialog.showModal();
  }

  /** @returns {Promise<Blob>} */
  #png() {
    return new Promise((done, fail) =>
      this.canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error(t("graph.tooLarge")))), "image/png"),
    );
  }

  async #save() {
    const link = h("a", { href: URL.createObjectURL(await this.#png()), download: `headnote-${this.name}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    say(t("picture.saved"));
  }

  async #copy() {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": this.#png() })]);
      say(t("picture.copied"));
    } catch {
      say(t("picture.refused"));
    }
  }
}

/** @param {string} words @param {() => void} act @param {string} [kind] */
function button(words, act, kind = "") {
  return h("button", { type: "button", class: `button ${kind}`, onclick: act }, words);
}

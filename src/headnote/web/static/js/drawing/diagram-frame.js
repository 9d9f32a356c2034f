/** Inside the frame: text of a diagram in, SVG out. */

import { asset } from "../core/assets.js";

const MAX_LABELS = 40;
const MAX_TEXT_CHARS = 20_000;
const MAX_EDGES = 400;

// What a diagram may not set for itself: it follows the theme of the page, and stays within its bounds.
const FIXED = [
  "secure securityLevel startOnLoad maxTextSize maxEdges suppressErrorRendering",
  "theme themeVariables themeCSS fontFamily altFontFamily htmlLabels",
  "dompurifyConfig darkMode layout look elk",
]
  .join(" ")
  .split(" ");

const library = import(asset("vendor/mermaid/mermaid.esm.min.mjs")).then((module) => module.default);
let numbers = 0;

addEventListener("message", async ({ source, origin, data, ports: [port] }) => {
  if (source !== parent || origin !== location.origin) return;
  try {
    port.postMessage(await drawn(data.text, data.words, data.colours));
  } catch (error) {
    port.postMessage({ problem: plain(error) || data.words.unreadable });
  }
});

/** @param {string} text @param {Record<string, string>} say @param {Record<string, string>} colours */
async function drawn(text, say, colours) {
  if (text.includes("$$")) throw new Error(say.formulas);
  const mermaid = await library;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    state: { htmlLabels: false },
    maxTextSize: MAX_TEXT_CHARS,
    maxEdges: MAX_EDGES,
    layout: "dagre",
    look: "classic",
    theme: "base",
    fontFamily: colours.font,
    themeVariables: variables(colours),
    secure: FIXED,
  });
  numbers += 1;
  const { svg } = await mermaid.render(`diagram-${numbers}`, text);
  return finished(svg, say);
}

/** @param {string} markup @param {Record<string, string>} say */
function finished(markup, say) {
  const parsed = new DOMParser().parseFromString(markup, "text/html").querySelector("svg");
  if (!parsed) throw new Error(say.empty);
  const box = parsed.viewBox.baseVal;
  const [width, height] = box?.width && box.height ? [box.width, box.height] : [600, 300];
  parsed.setAttribute("width", String(width));
  parsed.setAttribute("height", String(height));
  parsed.style.removeProperty("max-width");
  const svg = new XMLSerializer().serializeToString(parsed);
  return { svg, width, height, description: description(parsed, say.diagram) };
}

/**
 * What the author says about the diagram, or else its words.
 * @param {SVGElement} drawing @param {string} name
 */
function description(drawing, name) {
  const said = [...drawing.querySelectorAll(":scope > title, :scope > desc")].map((one) => one.textContent?.trim());
  if (said.some(Boolean)) return said.filter(Boolean).join(". ");
  const labels = [...new Set([...drawing.querySelectorAll("text")].map(words).filter(Boolean))];
  const kind = drawing.getAttribute("aria-roledescription")?.replace(/-.*$/, "") ?? "";
  const list = labels.slice(0, MAX_LABELS).join(", ") + (labels.length > MAX_LABELS ? ", …" : "");
  return `${name} (${kind || "mermaid"})${list ? `: ${list}` : ""}`;
}

/** A text whose lines are elements. @param {Element} text */
function words(text) {
  const lines = text.childElementCount ? [...text.children] : [text];
  const joined = lines.map((line) => line.textContent).join(" ");
  return joined.replace(/\s+/g, " ").trim();
}

/** @param {Record<string, string>} c */
function variables(c) {
  const scale = Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`cScale${i}`, c[`hue-${i}`]]));
  const slices = Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((i) => [`pie${i + 1}`, c[`hue-${i}`]]));
  return {
    ...scale,
    ...slices,
    darkMode: c.theme === "dark",
    background: c.paper,
    primaryColor: c["accent-wash"],
    primaryTextColor: c.ink,
    primaryBorderColor: c.accent,
    secondaryColor: c.sunken,
    secondaryTextColor: c.ink,
    secondaryBorderColor: c["line-strong"],
    tertiaryColor: c.surface,
    tertiaryTextColor: c.ink,
    tertiaryBorderColor: c["line-strong"],
    lineColor: c["ink-soft"],
    textColor: c.ink,
    mainBkg: c["accent-wash"],
    nodeBorder: c.accent,
    clusterBkg: c.sunken,
    clusterBorder: c["line-strong"],
    edgeLabelBackground: c.paper,
    titleColor: c.ink,
    noteBkgColor: c.sunken,
    noteTextColor: c.ink,
    noteBorderColor: c["line-strong"],
    actorBkg: c["accent-wash"],
    actorBorder: c.accent,
    actorTextColor: c.ink,
    actorLineColor: c["line-strong"],
    signalColor: c["ink-soft"],
    signalTextColor: c.ink,
    labelTextColor: c.ink,
    loopTextColor: c.ink,
    pieTitleTextColor: c.ink,
    pieSectionTextColor: c.paper,
    pieLegendTextColor: c.ink,
    pieStrokeColor: c.paper,
    pieOuterStrokeColor: c.line,
    pieOpacity: "1",
  };
}

/** @param {unknown} error */
function plain(error) {
  const message = error instanceof Error ? error.message : String(error);
  // The first line says it; the rest is the source again.
  return message.split("\n")[0].replace(/^Error: /, "").replace(/:$/, "");
}

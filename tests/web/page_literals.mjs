// What the modules of the page say, and the literals that may be keys of the table, as JSON: `node page_literals.mjs
// typescript.js texts.js module…`
//
// A literal counts as said where an element gets its text (children, labels, titles, announcements), whatever it is
// there; and elsewhere, if it looks like words: two of them with a blank between, or one that begins with a capital.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [, , compiler, table, ...files] = process.argv;
const ts = createRequire(import.meta.url)(compiler);

const TABLE = ["t", "parts", "known"];
/** Calls whose arguments, from this one on, are seen or heard. */
const SAYING = { h: 2, svg: 2, refill: 1, announce: 0, say: 0, copy: 1, entitle: 0, withKey: 0, nameWithKey: 1 };
const SEEN = ["title", "aria-label", "placeholder", "alt", "label", "aria-valuetext", "aria-roledescription"];
const PROPERTIES = ["textContent", "title", "placeholder", "ariaLabel", "alt", "innerText"];
const WORDS = /\p{L}{2,}[,.;:]? +\p{Ll}{2,}|^\p{Lu}\p{Ll}+/u;

const said = [];
const literals = new Set();
const beginnings = new Set();

for (const file of files) {
  const source = parsed(file);
  const places = new Set();
  walk(source, (node) => {
    for (const place of placesOf(node)) spread(place, places);
  });
  walk(source, (node) => {
    const text = textOf(node);
    if (text === null) return;
    if (!ts.isTemplateExpression(node)) literals.add(text);
    else if (isKey(node)) beginnings.add(node.head.text);
    if (isKey(node) || isCompared(node) || isName(node)) return;
    const isSaid = places.has(node) ? /\p{L}/u.test(text) : WORDS.test(text) && !isForMachines(node);
    if (isSaid) said.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
  });
}
process.stdout.write(JSON.stringify({ table: tableIn(parsed(table)), said, literals: [...literals], beginnings: [...beginnings] }));

function parsed(file) {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

/** The English table: an object of texts, so it means the same wherever it stands. */
function tableIn(source) {
  let written = "";
  walk(source, (node) => {
    if (ts.isVariableDeclaration(node) && node.name.text === "ENGLISH") written = node.initializer.getText();
  });
  return Function(`return ${written}`)();
}

function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** What a literal says; of a template what stands between its values. */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("{}");
}

function calledOf({ expression }) {
  return ts.isIdentifier(expression) ? expression.text : (expression.name?.text ?? "");
}

/** Expressions of a node that readers see or hear. */
function placesOf(node) {
  if (ts.isCallExpression(node)) {
    const name = calledOf(node);
    if (name === "setAttribute") return SEEN.includes(textOf(node.arguments[0])) ? [node.arguments[1]] : [];
    return Object.hasOwn(SAYING, name) && ts.isIdentifier(node.expression) ? node.arguments.slice(SAYING[name]) : [];
  }
  if (ts.isPropertyAssignment(node)) return SEEN.includes(node.name.text) && isAttribute(node) ? [node.initializer] : [];
  return isSetting(node) && PROPERTIES.includes(node.left.name?.text) ? [node.right] : [];
}

function isSetting(node) {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken;
}

/** Whether it is one of the attributes that an element is made with. */
function isAttribute({ parent }) {
  return ts.isCallExpression(parent.parent) && ["h", "svg"].includes(calledOf(parent.parent));
}

/** The literals that an expression may come to. */
function spread(node, places) {
  if (textOf(node) !== null) places.add(node);
  if (ts.isConditionalExpression(node)) [node.whenTrue, node.whenFalse].forEach((one) => spread(one, places));
  else if (ts.isBinaryExpression(node)) [node.left, node.right].forEach((one) => spread(one, places));
  else if (ts.isArrayLiteralExpression(node)) node.elements.forEach((one) => spread(one, places));
  else if (ts.isParenthesizedExpression(node) || ts.isSpreadElement(node)) spread(node.expression, places);
}

function isCompared({ parent }) {
  return (ts.isBinaryExpression(parent) && /^[!=]==?$/.test(parent.operatorToken.getText())) || ts.isCaseClause(parent);
}

/** Of a module, a property, a tag. */
function isName(node) {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isElementAccessExpression(parent) || (ts.isPropertyAssignment(parent) && parent.name === node)) return true;
  return ts.isCallExpression(parent) && parent.arguments[0] === node && ["h", "svg"].includes(calledOf(parent));
}

/** Selectors, names of events and of classes, styles: what is given to a function of the browser, or to an attribute. */
function isForMachines(node) {
  const { parent } = whole(node);
  if (isSetting(parent)) return parent.left.name?.text === "className";
  if (ts.isPropertyAssignment(parent)) return isAttribute(parent) && !SEEN.includes(parent.name.text);
  if (!ts.isCallExpression(parent)) return false;
  return /^(query\w+|closest|matches|addEventListener|[gs]etAttribute|matchMedia|is|includes|startsWith)$/.test(
    calledOf(parent),
  );
}

/** What is one of several, with all of them: `isOn ? "button on" : "button"`. */
function whole(node) {
  const { parent } = node;
  const isOne = ts.isConditionalExpression(parent) || (ts.isBinaryExpression(parent) && !isSetting(parent));
  return isOne ? whole(parent) : node;
}

/** Whether a text of the table is asked for. */
function isKey(node) {
  const argument = whole(node);
  const { parent } = argument;
  return ts.isCallExpression(parent) && parent.arguments[0] === argument && TABLE.includes(calledOf(parent));
}

/** Finds what is what in code: a text and its language go in, stretches of characters with their scope come out. */

import { asset } from "../core/assets.js";

/** @typedef {import("./code.js").Stretch} Stretch */
/** @typedef {{scope?: string, children: (Token|string)[]}} Token */

// Names of languages that are loaded one by one; the library itself has the most common ones.
const MORE = new Map(
  Object.entries({
    clojure: "clojure clj edn",
    cmake: "cmake",
    dart: "dart",
    dockerfile: "dockerfile docker containerfile",
    elixir: "elixir ex exs",
    elm: "elm",
    erlang: "erlang erl",
    fortran: "fortran f90 f95",
    fsharp: "fsharp fs f#",
    groovy: "groovy gradle jenkinsfile",
    handlebars: "handlebars hbs",
    haskell: "haskell hs",
    http: "http https",
    julia: "julia jl",
    latex: "latex tex",
    lisp: "lisp elisp",
    matlab: "matlab octave",
    nginx: "nginx nginxconf",
    nim: "nim",
    nix: "nix nixos",
    ocaml: "ocaml ml",
    powershell: "powershell pwsh ps ps1",
    prolog: "prolog",
    properties: "properties",
    protobuf: "protobuf proto",
    scala: "scala",
    scheme: "scheme scm racket",
    tcl: "tcl",
    vim: "vim",
    x86asm: "x86asm asm nasm",
  }).flatMap(([file, names]) => names.split(" ").map((name) => [name, file])),
);

// The few scopes that have a colour; all others are plain.
const SCOPES = new Map(
  Object.entries({
    comment: "comment quote",
    keyword: "keyword selector-tag built_in meta doctag literal",
    string: "string regexp char link code",
    number: "number symbol bullet",
    name: "title name section type class selector-class selector-id selector-attr selector-pseudo template-tag",
    attribute: "attr attribute property variable template-variable",
    added: "addition",
    removed: "deletion",
    plain: "subst",
  }).flatMap(([colour, names]) => names.split(" ").map((name) => [name, colour])),
);

const library = import(asset("vendor/highlight/highlight.min.js")).then((module) => module.default);

self.addEventListener("message", async ({ data: { text, language } }) => {
  const hljs = await library;
  const file = MORE.get(language);
  if (file && !hljs.getLanguage(file)) {
    const definition = await import(asset(`vendor/highlight/languages/${file}.min.js`));
    hljs.registerLanguage(file, definition.default);
  }
  const known = file ?? language;
  self.postMessage(hljs.getLanguage(known) ? stretches(hljs.highlight(text, { language: known })) : null);
});

/** The tree of tokens, flat: the innermost scope decides. @param {{_emitter: {rootNode: Token}}} result */
function stretches({ _emitter: { rootNode } }) {
  /** @type {Stretch[]} */
  const flat = [];
  /** @param {Token} token @param {string} around */
  const visit = (token, around) => {
    const scope = SCOPES.get(token.scope?.split(".")[0] ?? "") ?? around;
    for (const child of token.children) {
      if (typeof child !== "string") visit(child, scope);
      else if (flat.at(-1)?.[1] === colour(scope)) flat[flat.length - 1][0] += child.length;
      else if (child) flat.push([child.length, colour(scope)]);
    }
  };
  visit(rootNode, "plain");
  return flat;
}

/** @param {string} scope */
const colour = (scope) => (scope === "plain" ? "" : scope);

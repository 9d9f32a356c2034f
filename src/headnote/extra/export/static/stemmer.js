// English words to stems, as the Snowball stemmer "english" does it: searches compare stems.

const VOWEL = "[aeiouy]";
const NOT_VOWEL = "[^aeiouy]";
const REGION = new RegExp(`^.*?${VOWEL}${NOT_VOWEL}(.*)$`);
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
const SHORT_END = /(?:^[aeiouy][^aeiouy]|[^aeiouy][aeiouy][^aeiouywxY]|past)$/;

const WHOLE = new Map(
  Object.entries({
    skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli", only: "onli",
    singly: "singl", sky: "sky", news: "news", howe: "howe", atlas: "atlas", cosmos: "cosmos", bias: "bias",
    andes: "andes",
  }),
);
const KEPT = new Set(["inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed"]);

const SECOND = [
  ["ization", "ize"], ["ational", "ate"], ["fulness", "ful"], ["ousness", "ous"], ["iveness", "ive"],
  ["tional", "tion"], ["biliti", "ble"], ["lessli", "less"], ["entli", "ent"], ["ation", "ate"], ["alism", "al"],
  ["aliti", "al"], ["ousli", "ous"], ["iviti", "ive"], ["fulli", "ful"], ["ogist", "og"], ["enci", "ence"],
  ["anci", "ance"], ["abli", "able"], ["izer", "ize"], ["ator", "ate"], ["alli", "al"], ["bli", "ble"], ["ogi", "og"],
  ["li", ""],
];
const THIRD = [
  ["ational", "ate"], ["tional", "tion"], ["alize", "al"], ["icate", "ic"], ["iciti", "ic"], ["ative", ""],
  ["ical", "ic"], ["ness", ""], ["ful", ""],
];
const FOURTH = [
  "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
  "al", "er", "ic",
];

/** Where the first region begins: behind the first consonant after a vowel. @param {string} word */
function firstRegion(word) {
  const start = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/.exec(word);
  if (start) return start[0].length;
  const match = REGION.exec(word);
  return match ? word.length - match[1].length : word.length;
}

/** The same inside the first region. @param {string} word @param {number} first */
function secondRegion(word, first) {
  const match = REGION.exec(word.slice(first));
  return match ? word.length - match[1].length : word.length;
}

/** @param {string} word  Lower-case letters. */
export function stem(word) {
  if (word.length <= 2) return word;
  const whole = WHOLE.get(word);
  if (whole !== undefined) return whole;
  let text = word.replace(/^'/, "").replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
  const first = firstRegion(text);
  const second = secondRegion(text, first);
  text = plural(text);
  if (KEPT.has(text)) return text;
  text = past(text, first);
  text = text.replace(/([^aeiouy])[yY]$/, (all, before, at) => (at > 0 ? `${before}i` : all));
  text = derived(text, first, second);
  return ending(text, first, second).toLowerCase();
}

/** @param {string} text */
function plural(text) {
  if (text.endsWith("sses")) return text.slice(0, -2);
  if (/ie[ds]$/.test(text)) return text.length > 4 ? text.slice(0, -2) : text.slice(0, -1);
  if (/(?:us|ss)$/.test(text)) return text;
  if (text.endsWith("s") && /[aeiouy].+s$/.test(text)) return text.slice(0, -1);
  return text;
}

/** @param {string} text @param {number} first */
function past(text, first) {
  const eed = /eed(?:ly)?$/.exec(text);
  if (eed) return eed.index >= first && !/^(?:proc|exc|succ)eed/.test(text) ? `${text.slice(0, eed.index)}ee` : text;
  const suffix = /(?:edly|ingly|ing|ed)$/.exec(text);
  if (!suffix) return text;
  const rest = text.slice(0, suffix.index);
  if (suffix[0] === "ing" && /^[^aeiouy]y$/.test(rest)) return `${rest.slice(0, -1)}ie`;
  if (!/[aeiouy]/.test(rest)) return text;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLE.test(rest)) return /^[aeo](?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest) ? rest : rest.slice(0, -1);
  return rest.length <= first && SHORT_END.test(rest) ? `${rest}e` : rest;
}

/** @param {string} text @param {number} first @param {number} second */
function derived(text, first, second) {
  text = replaced(text, SECOND, first, (rest, suffix) => {
    if (suffix === "li") return /[cdeghkmnrt]$/.test(rest);
    return suffix === "ogi" ? rest.endsWith("l") : true;
  });
  return replaced(text, THIRD, first, (rest, suffix) => suffix !== "ative" || rest.length >= second);
}

/**
 * The text with the longest of these suffixes exchanged, if it is in the region and fits.
 * @param {string} text @param {string[][]} suffixes @param {number} region
 * @param {(rest: string, suffix: string) => boolean} fits
 */
function replaced(text, suffixes, region, fits) {
  const found = suffixes.find(([suffix]) => text.endsWith(suffix));
  if (!found) return text;
  const rest = text.slice(0, text.length - found[0].length);
  return rest.length >= region && fits(rest, found[0]) ? rest + found[1] : text;
}

/** @param {string} text @param {number} first @param {number} second */
function ending(text, first, second) {
  const suffix = FOURTH.find((one) => text.endsWith(one));
  if (suffix) {
    const rest = text.slice(0, text.length - suffix.length);
    if (rest.length >= second && (suffix !== "ion" || /[st]$/.test(rest))) text = rest;
  }
  if (text.endsWith("e")) {
    const rest = text.slice(0, -1);
    if (rest.length >= second || (rest.length >= first && !SHORT_END.test(rest))) return rest;
  } else if (text.endsWith("ll") && text.length - 1 >= second) return text.slice(0, -1);
  return text;
}

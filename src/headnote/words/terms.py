"""Text → keyword terms: the same function for documents and for queries.

A text is cut at its blanks and at what no word has in it, and a table knows the terms of whatever was seen between two
of them before. What is new there is cut into words with their joints (`user_id`, `a.b-c`, `--flag`, `C++`) by a coarse
regex, and only a new word is looked at closely, which is what makes this fast.

A word becomes these terms: each part, stemmed; where it has several, all of them run together, so that `user_id`,
`user-id`, `userId` and `userid` find each other; and the form with its mark, if it begins or ends with one (`--flag`,
`#tag`, `C++`). Between digits the joint stays: `1.29` is not `129`.

An operator of code (`===`, `?.`, `::`) is a term, too, as it is, wherever it stands.

Scripts without blanks become overlapping pairs of characters, and single ones: pairs are nearly words, and single
characters find what the text puts into other words. A character is what is written as one: in Thai, Lao, Burmese and
Khmer, a consonant with its vowels and tones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise, repeat

from headnote.extras import load
from headnote.words.languages import LATIN
from headnote.words.memory import word_memory

MAX_TERM_CHARS = 80
"""Maximum characters of a term. Longer terms are cut in documents and queries alike, so they still match."""
MAX_PARTS = 24
"""Maximum parts of a word that counts as a whole. One with more is a list of names or encoded data: its parts count."""
MAX_QUERY_TERMS = 64
"""Maximum terms of a query that count. One that has more is a pasted text; its rarest terms say what it is about."""
_TABLE_SIZE = 200_000
"""Entries in the table, some thirty megabytes; in that of another language than English, a tenth. A full table is
emptied."""
_MAX_CACHED_CHARS = 48
_TERM_SETS = 30_000
"""Words of hits whose terms are kept as sets: ten megabytes, and more words than most folders have."""

# Han, kana, Hangul, Bopomofo, and the scripts of South East Asia that write no blanks between words; no punctuation.
NO_BLANKS = (
    r"\u0e00-\u0e2e\u0e30-\u0e3e\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7"
    r"\u17dc-\u17ff\u1100-\u11ff\u3005-\u3007\u3021-\u302f\u3031-\u303c\u303e-\u309f\u30a1-\u30fa\u30fc-\u312f"
    r"\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    r"\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_WITH_MARKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""The scripts among them that write several of Unicode's characters as one: Thai, Lao, Burmese, Khmer."""
_VOWELS_IN_FRONT = r"\u0e40-\u0e44\u0ec0-\u0ec4"
_VOWELS_BEHIND = r"\u0e30\u0e32\u0e33\u0e45\u0e46\u0eb0\u0eb2\u0eb3\u0ebd\u0ec6"
"""Thai and Lao vowels that Unicode has as letters, and the signs that repeat a word."""
_STACKING = r"\u1039\u17d2"
"""Burmese and Khmer: the next consonant is written below."""
_BLANK_IN_WORDS = "\u1680"
"""The only blank that is not among what ends a word."""
_NO_WORD = r"\x00-/:-@\[-`{-\xa0\u2000-\u200a\u2010-\u205f\u3000-\u3004\u3008-\u3020"
"""What ends a word for certain. What else is no letter is sorted out when the word is read."""
_MAY_LACK_BLANKS = re.compile("[^\0-\u0dff\u1800-\u2fff\ufb00-\U0001afff\U0001b170-\U0001ffff\U00040000-\U0010ffff]")
"""All of `NO_BLANKS`, and what lies between: few ranges, so that most texts never need the large classes. Python
compiles a class character by character, so it is said by the fewer ones that are not in it."""
_WORDS = r"""
    (?: --? | [#.@$] )?+             # a mark in front: --flag, #tag, .env, @name, $HOME
    C++ (?: [-._'’]{1,3}+ C++ )*+    # parts and what joins them
    (?: \+\+ | \#(?!C) )?+           # a mark behind, as in the names of languages
"""
_ASCII_WORD = re.compile(_WORDS.replace("C++", "[0-9A-Za-z]++").replace("(?!C)", "(?![0-9A-Za-z])"), re.VERBOSE)
"""Gives the same words as the pattern for any text, and is half as fast again."""
# Typographic characters of English text, and the ASCII they count as.
_TYPOGRAPHY = tuple(zip("’‘“”–—…\xa0", "'       ", strict=True))
_BLANKED = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "-._'+#@$")}
"""ASCII that is in no word → a blank, so that a word is one piece of text with and without a comma behind it."""
_MARKED = re.compile(r"(--?|[#.@$])?(.+?)(\+\+|#)?", re.DOTALL)
_PARTS = re.compile(r"[^-._'’+#@$]++")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_PLURAL_OF_CAPITALS = re.compile(r"[A-Z]{2,}s")
_NAME_AND_NUMBER = re.compile(r"([a-z]{3,})[0-9]+")
_CONTRACTION = re.compile(r"(.+)['’](s|t|re|ve|ll|d|m)", re.IGNORECASE | re.DOTALL)

_STEMMERS_BY_SCRIPT = (
    (re.compile(r"[\u0400-\u04ff]+"), "russian"),
    (re.compile(r"[\u0600-\u06ff]+"), "arabic"),
    (re.compile(r"[\u0370-\u03ff]+"), "greek"),
    (re.compile(r"[\u0900-\u097f]+"), "hindi"),
)

# Letters with a stroke and ligatures, which Unicode does not decompose. Russian often writes ё as е.
_SPELLED = dict(zip("’øØłŁđĐħĦŧŦıæÆœŒёЁ", "' o O l L d D h H t T i ae AE oe OE е Е".split(), strict=True))
_FOLDED_SCRIPTS = ("LATIN ", "GREEK ")
_SILENT = re.compile(r"[\u0300-\u036f\u0640\u064b-\u0652\u0670\ufe00-\ufe0f]")
"""Combining accents, Arabic vowels and stretching, variation selectors."""


# Operators that consist of several signs and mean something by themselves. Those that Markdown has a use for (`**`,
# `--`) would be in every document.
_OPERATORS = frozenset(
    "=== !== == != => -> <- <= >= ?. ?? ??= :: ::< := && || &&= ||= += -= *= /= |> << >> .. ..= ...".split()
)
_SIGNS = "-=!<>?:&|+*/."
_LONGEST_RUN = 8
"""Signs in a row; more are a line or the border of a table."""
_RUN_OF_SIGNS = re.compile(rf"[{_SIGNS}]{{2,{_LONGEST_RUN}}}+")
_ONLY_SIGNS = bytes(code if chr(code) in _SIGNS else ord(" ") for code in range(256))
_OPERATORS_AS_BYTES = frozenset(map(str.encode, _OPERATORS))
_ENDS_A_SENTENCE = frozenset(("...", "..", "??", "?."))
"""Behind a word and before a blank."""
_AS_TERM = {ord(sign): ord(sign) + 0xFEE0 for sign in _SIGNS}
"""A sign → the same in full width: a letter or digit to every store, and in no other term."""
_AS_WRITTEN = {term: sign for sign, term in _AS_TERM.items()}


def operator_terms(text: str) -> list[str]:
    """The terms of the operators of code in a text, in order.

    >>> operator_terms("`a?.b` is `a === null ? ...`. Really?? Yes...")
    ['？．', '＝＝＝', '．．．']
    """
    # Runs of bytes rule out most texts in a third of the time of a pattern.
    runs = text.encode("utf-8", "surrogatepass").translate(_ONLY_SIGNS).split()
    if _OPERATORS_AS_BYTES.isdisjoint(runs) and len(max(runs, key=len, default=b"")) <= _LONGEST_RUN:
        return []
    text = _plain(text)
    return [
        match[0].translate(_AS_TERM)
        for match in _RUN_OF_SIGNS.finditer(text)
        if match[0] in _OPERATORS and not (match[0] in _ENDS_A_SENTENCE and _is_end(text, match))
    ]


_NAME_IN_CODE = re.compile(r"(?:--?|[@$])\w.*|.*(?:[^\W\d]\d|\d[^\W\d]|\w[_.]\w).*", re.DOTALL)
"""A mark in front, digits among letters, or a joint that prose does not have. Names with humps are in prose, too."""
_MIN_NAME = 3
"""Letters and digits. `-U` is a flag of many programs."""


def exact_terms(text: str) -> dict[str, list[str]]:
    """What only stands for itself in a text, operators of code and names as programs write them: the term of each as a
    whole → all of its terms.

    >>> sorted(exact_terms("Does `--dry-run` of version 1.2 change the user_id of an r5.large, or re-render?"))
    ['--dry-run', 'r5large', 'userid']
    """
    names = (word for word in words_of(text) if _NAME_IN_CODE.fullmatch(word) and _is_long(word))
    exact = {own[0]: own for word in names if (own := terms(word))}
    return exact | {operator: [operator] for operator in operator_terms(text)}


def _is_long(name: str) -> bool:
    return any(map(str.isalpha, name)) and sum(map(str.isalnum, name)) >= _MIN_NAME


def operator_places(text: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where those of the terms that are operators stand in a text, in order."""
    signs = {as_written(term) for term in terms if is_operator(term)}
    return (match.span() for match in _RUN_OF_SIGNS.finditer(text) if match[0] in signs) if signs else iter(())


def _is_end(text: str, match: re.Match[str]) -> bool:
    before, after = text[max(match.start() - 1, 0) : match.start()], text[match.end() : match.end() + 1]
    return before.isalnum() and not after.strip()


def is_operator(term: str) -> bool:
    """Whether a term is an operator of code."""
    return as_written(term) in _OPERATORS


def tells_of_document(term: str) -> bool:
    """Whether a term says what its document is about. An operator does not, nor do pieces of words in scripts without
    blanks: on a long page, they meet by chance."""
    return not (is_operator(term) or is_without_blanks(term))


def is_code(term: str) -> bool:
    """Whether a term is an operator of code, or a name behind a mark: `--flag`, `$TARGET`, `@name`."""
    return term[0] in "-$@" or is_operator(term)


def as_written(term: str) -> str:
    """An operator as it is written; any other term as it is."""
    return term.translate(_AS_WRITTEN)


def terms(text: str, language: str = "") -> list[str]:
    """The terms of a document or a field of it, in order and as often as they occur.

    >>> terms("Feature gates: --feature-gates in `kubeletConfig`")
    ['featur', 'gate', '--feature-gates', 'featureg', 'featur', 'gate', 'in', 'kubeletconfig', 'kubelet', 'config']
    """
    return term_line(text, language).split()


def term_line(text: str, language: str = "") -> str:
    """The same with blanks between them, as the keyword index takes it. Extra blanks mean nothing."""
    text, table = _plain(text), _table(language).lines
    if text.isascii():
        # A full stop is a part of a word only before a letter or digit.
        lines = table.of_words(text.translate(_BLANKED).replace(". ", "  "))
    elif _BLANK_IN_WORDS in text:
        lines = [table[word] for word in words_of(text)]
    else:
        lines = table.of_words(text)
    lines += operator_terms(text)
    return " ".join(lines)


def _plain(text: str) -> str:
    """Without typographic characters, which makes most English texts ASCII, and with the rest of addresses alone:
    every page with links would be about `https`."""
    if "http" in text:
        text = text.replace("https://", " ").replace("http://", " ")
    if not text.isascii():
        for mark, plain in _TYPOGRAPHY:
            text = text.replace(mark, plain)
    return text


def query_terms(text: str) -> list[str]:
    """The terms of a query: those of a document, each once. So a text is found by each of its words.

    >>> query_terms("猫の手")
    ['猫の', 'の手', '猫', 'の', '手']
    """
    return list(dict.fromkeys(terms(text)))


def other_forms(text: str, languages: Sequence[str]) -> dict[str, list[str]]:
    """Term of a query → the other terms that the same word has in documents in these languages.

    >>> other_forms("Häusern", ["german"])
    {'hausern': ['haus']}
    """
    forms: dict[str, list[str]] = {}
    for word in words_of(text) if languages else ():
        word_terms = terms(word)
        for language in languages:
            others = terms(word, language)
            # A name with parts has the same ones in every language, in the same order. What comes behind is the whole.
            own = chain(word_terms, repeat(word_terms[0])) if word_terms else ()
            for term, other in zip(own, others, strict=False):
                if other != term and other not in forms.setdefault(term, []):
                    forms[term].append(other)
    return {term: others for term, others in forms.items() if others}


def language_mark(language: str) -> str:
    """The term by which an index tells that it has documents in a language. No word of a query becomes such a term."""
    return f"@@{language}"


LANGUAGE_MARKS = "@@", "@A"
"""Where they begin and end among all terms."""


VERSION_MARK = "@@version"
"""The term of passages that say what was new in a version."""


def languages_marked(marks: Iterable[str]) -> list[str]:
    """The languages that these marks stand for, in a fixed order."""
    found = set(marks)
    return [language for language in LATIN if language_mark(language) in found]


def rarest_terms(terms: Sequence[str], frequencies: Callable[[list[str]], Mapping[str, int]]) -> list[str]:
    """Each term once; of too many, the rarest that occur at all, by the number of chunks that have them."""
    distinct = list(dict.fromkeys(filter(None, terms)))
    if len(distinct) <= MAX_QUERY_TERMS:
        return distinct
    counts = frequencies(distinct)
    return sorted((term for term in distinct if counts[term]), key=lambda term: counts[term])[:MAX_QUERY_TERMS]


def word_terms(language: str) -> Mapping[str, frozenset[str]]:
    """Word, as a text in this language writes it → its terms. It knows every word: a new one is cut when it is asked
    for."""
    return _term_sets(language)


def english_stems(words: Iterable[str]) -> list[str]:
    """The terms of English words in small letters, each of which has one."""
    return list(map(_stemmer("english"), words))


def folded(word: str) -> str:
    """A word as its term has it before stemming: `Über` is `uber`."""
    return unicodedata.normalize("NFKC", word).translate(folding()).casefold().strip()[:MAX_TERM_CHARS]


def is_without_blanks(text: str) -> bool:
    """Whether all of it is in scripts that write no blanks between words."""
    return _MAY_LACK_BLANKS.match(text) is not None and _only_without_blanks().fullmatch(text) is not None


def runs(word: str) -> Iterator[tuple[int, int, bool]]:
    """A word cut where its script begins or ends to write blanks: start, end, and whether it does there."""
    for run in _run(_may_lack_blanks(word)).finditer(word):
        yield run.start(), run.end(), run[1] is None


def words_of(text: str) -> list[str]:
    """A text cut into words as they are written."""
    text = _plain(text)
    return (_ASCII_WORD if text.isascii() else _any_word(_may_lack_blanks(text))).findall(text)


# Compiling patterns with large classes takes as long as searching a small folder, so it waits until they are needed.


def _may_lack_blanks(text: str) -> bool:
    return _MAY_LACK_BLANKS.search(text) is not None


@cache
def _any_word(may_lack_blanks: bool) -> re.Pattern[str]:
    character = f"[^{_NO_WORD}{NO_BLANKS if may_lack_blanks else ''}]"
    words = _WORDS.replace("C++", f"{character}++").replace("(?!C)", f"(?!{character})")
    return re.compile(rf"{words} | [{NO_BLANKS}]++" if may_lack_blanks else words, re.VERBOSE)


@cache
def _only_without_blanks() -> re.Pattern[str]:
    return re.compile(rf"[{NO_BLANKS}]++")


@cache
def _run(may_lack_blanks: bool) -> re.Pattern[str]:
    """Without blanks, which is group 1, or with."""
    return re.compile(rf"([{NO_BLANKS}]++)|[^\s{NO_BLANKS}]++" if may_lack_blanks else r"((?!))|\S++")


@cache
def _written_character() -> re.Pattern[str]:
    """With the vowel in front of it, and with all that is written above, below and behind it. Lengths are bounded, so
    that no term is too long."""
    marks = "".join(map(chr, filter(_is_mark, range(0x0E00, 0x1800)))) + _VOWELS_BEHIND
    stacked = rf"(?:(?<=[{_STACKING}]).[{marks}]{{0,8}}+){{0,2}}+"
    front = _VOWELS_IN_FRONT
    return re.compile(rf"[{front}]?+[^{front}][{marks}]{{0,8}}+{stacked}|[{front}]", re.DOTALL)


def is_inside_character(text: str, place: int) -> bool:
    """Whether a character goes on here, in a script that writes several of Unicode's as one."""
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and len(_written_character().findall(around)) == 1


def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code)) in ("Mn", "Mc")


@cache
def _term_sets(language: str) -> _TermSets:
    return _TermSets(language)


class _TermSets(dict[str, frozenset[str]]):
    """What `terms` says about single words, for those that hits repeat."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> frozenset[str]:
        own = frozenset(terms(word, self._language))
        if len(word) <= _MAX_CACHED_CHARS:
            if len(self) >= _TERM_SETS:
                self.clear()
            self[word] = own
        return own


@cache
def _table(language: str = "") -> _TermTable:
    return _TermTable(language)


class _TermTable:
    """The terms of words in one language."""

    def __init__(self, language: str) -> None:
        most = _TABLE_SIZE // (10 if language else 1)
        self.lines = word_memory(self._line_of, most)
        """What stands between two blanks of a text → its terms, with blanks between them."""
        self._parts = word_memory(self._take_apart, most)
        self._language = language
        self._stem_latin = str if language == "vietnamese" else _stemmer(language or "english")

    def _line_of(self, piece: str) -> str:
        if piece.isascii() and piece.isalnum():
            if piece.isalpha() and (piece.islower() or piece[1:].islower()):
                return self._stem_latin(piece[:MAX_TERM_CHARS].lower())  # most words
            return " ".join(self._parts[piece])
        words = words_of(piece)
        if words == [piece]:
            return " ".join(self._terms(piece))
        # A word that is cut again is the same word, so each has a line of its own.
        return " ".join([self.lines[word] for word in words])

    def _terms(self, word: str) -> list[str]:
        if word.isascii():
            return self._word_terms(word)
        if is_without_blanks(word) and unicodedata.is_normalized("NFKC", word):
            return _pairs_and_singles(word)
        result: list[str] = []
        plain = unicodedata.normalize("NFKC", word).translate(folding())
        for run in _run(_may_lack_blanks(plain)).finditer(plain):
            result += _pairs_and_singles(run[0]) if run[1] else self._word_terms(run[0])
        if self._language and word.isalpha() and (accented := self._accented(word)) not in result:
            result.append(accented)
        return result

    def _accented(self, word: str) -> str:
        """The term of a word by its accents, beside the one that it has without them: they are part of an ending
        (`configurações`), or they tell words apart, up to six in Vietnamese."""
        accented = unicodedata.normalize("NFC", word).casefold()[:MAX_TERM_CHARS]
        if self._language == "vietnamese":
            return accented
        return self._stem_latin(accented).translate(folding()).strip()

    def _word_terms(self, word: str) -> list[str]:
        mark_before, core, mark_behind = _MARKED.fullmatch(word).groups("")  # type: ignore[union-attr]
        contraction = _CONTRACTION.fullmatch(core)
        if contraction:
            core = contraction[1] if contraction[2] in "sS" else contraction[1] + contraction[2]
        pieces = _PARTS.findall(core)
        if not pieces:
            return []
        result = []
        if mark_before or mark_behind:
            result.append((mark_before + core.replace("'", "") + mark_behind).casefold()[:MAX_TERM_CHARS])
        if len(pieces) == 1:
            return result + self._parts[pieces[0]]
        parts = [term for piece in pieces for term in self._parts[piece]]
        if len(pieces) <= MAX_PARTS:
            result += self._wholes(pieces)
        return result + parts

    def _wholes(self, pieces: list[str]) -> list[str]:
        """All parts run together; of a version also its beginnings, and without the `v`: `v1.29.3` is a `1.29`."""
        joined = [pieces[0].casefold()]
        for before, after in pairwise(pieces):
            joint = "." if before[-1].isdigit() and after[0].isdigit() else ""
            joined.append(joint + after.casefold())
        whole = "".join(joined)
        if not whole.replace(".", "").removeprefix("v").isdigit():
            return [self._stemmed(whole)]
        versions = [beginning[:MAX_TERM_CHARS] for beginning in accumulate(joined)][1:]
        return [*versions, *(version[1:] for version in versions if version[0] == "v")]

    def _take_apart(self, part: str) -> list[str]:
        """One part, and the words in it: `ConfigMap`, `python3`."""
        folded = part.casefold()
        result = [self._stemmed(folded)]
        if numbered := _NAME_AND_NUMBER.fullmatch(folded):
            result.append(self._stemmed(numbered[1]))
        if part.isascii() and _has_humps(part):
            humps = _HUMPS.findall(part)
            if 1 < len(humps) <= MAX_PARTS:
                result += [self._stemmed(hump.lower()) for hump in humps]
        return result

    def _stemmed(self, word: str) -> str:
        word = word[:MAX_TERM_CHARS]
        if word.isascii():
            return self._stem_latin(word) if word.isalpha() else word
        for script, language in _STEMMERS_BY_SCRIPT:
            if script.fullmatch(word):
                return _stemmer(language)(word)
        return word


def _has_humps(part: str) -> bool:
    inner = part[1:]
    return not (inner.islower() or part.isupper() or _PLURAL_OF_CAPITALS.fullmatch(part)) and inner != inner.lower()


def _pairs_and_singles(run: str) -> list[str]:
    characters = _written_character().findall(run) if _WITH_MARKS.search(run) else run
    return [*(one + other for one, other in pairwise(characters)), *characters]


@cache
def folding() -> _Folding:
    return _Folding()


class _Folding(dict[int, str]):
    """Character → what it counts as, computed on first use: `é` as `e`, punctuation as a blank."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(character: str) -> str:
    if character in _SPELLED:
        return _SPELLED[character]
    if character.isascii():
        return character if character.isalnum() or character in "-._'+#@$" else " "
    category = unicodedata.category(character)
    if category == "Cf" or _SILENT.match(character):
        return ""
    if category[0] in "ZCP":
        return " "
    if category[0] == "S":
        return f" {character} "  # an emoji is a word of its own
    name = unicodedata.name(character, "")
    return unicodedata.normalize("NFKD", character)[0] if name.startswith(_FOLDED_SCRIPTS) else character


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    stem: Callable[[str], str] = load("Stemmer", "searching by words").Stemmer(language, 0).stemWord
    return stem

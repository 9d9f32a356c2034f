"""Text → keyword terms: the same function for documents and for queries. Chunk → the terms of its fields.

A coarse regex cuts the text into words with their joints (`user_id`, `a.b-c`, `--flag`, `C++`), and a table knows the
terms of every word seen before. Only a new word is looked at closely, which is what makes this fast.

A word becomes these terms: each part, stemmed; where it has several, all of them run together, so that `user_id`,
`user-id`, `userId` and `userid` find each other; and the form with its mark, if it begins or ends with one (`--flag`,
`#tag`, `C++`). Between digits the joint stays: `1.29` is not `129`. Scripts without blanks become overlapping pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from pathlib import PurePosixPath

from headnote.chunking.data_uris import strip_data_uris
from headnote.extras import load
from headnote.store.rows import ChunkRow, DocumentRow, KeywordFields, Parent, StoredChunk

LONGEST_TERM = 80
"""Characters. What is longer is cut on both sides of the search, so it is still found."""
MOST_PARTS = 24
"""A word with more is a row of names or a picture in disguise; its parts count, it is no name as a whole."""
MOST_QUERY_TERMS = 64
"""A query that has more is a pasted text; its rarest terms say what it is about."""
_REMEMBERED = 200_000
"""Words in the table, some thirty megabytes. It begins anew when it is full."""
_LONGEST_REMEMBERED = 48

# Han, kana, Hangul, Bopomofo, and the scripts of South East Asia that write no blanks between words.
_NO_BLANKS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3021-\u312f\u3130-\u318f\u31a0-\u31bf"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    r"\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Everything else that is not known to separate. What of it is no letter is found out when the word is looked at.
_C = rf"[^\x00-/:-@\[-`{{-\xa0\u2000-\u200a\u2010-\u205f\u3000-\u3004\u3008-\u3020{_NO_BLANKS}]"
_WORDS = r"""
    (?: --? | [#.@$] )?+             # a mark in front: --flag, #tag, .env, @name, $HOME
    C++ (?: [-._'’]{1,3}+ C++ )*+    # parts and what joins them
    (?: \+\+ | \#(?!C) )?+           # a mark behind, as in the names of languages
"""
_ASCII_WORD = re.compile(_WORDS.replace("C++", "[0-9A-Za-z]++").replace("(?!C)", "(?![0-9A-Za-z])"), re.VERBOSE)
"""The same as for any text where it makes no difference, half as fast again."""
# What of a text in English is most often not ASCII, as what it counts as.
_TYPOGRAPHY = tuple(zip("’‘“”–—…\xa0", "'       ", strict=True))
_MARKED = re.compile(r"(--?|[#.@$])?(.+?)(\+\+|#)?", re.DOTALL)
_PARTS = re.compile(r"[^-._'’+#@$]++")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_PLURAL_OF_CAPITALS = re.compile(r"[A-Z]{2,}s")
_NAME_AND_NUMBER = re.compile(r"([a-z]{3,})[0-9]+")
_CONTRACTION = re.compile(r"(.+)['’](s|t|re|ve|ll|d|m)", re.IGNORECASE | re.DOTALL)

_CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
_ARABIC = re.compile(r"[\u0600-\u06ff]+")

# Letters with a stroke or tied together do not come apart by decomposition. Russian often writes ё as е.
_SPELLED = dict(zip("’øØłŁđĐħĦŧŦıæÆœŒёЁ", "' o O l L d D h H t T i ae AE oe OE е Е".split(), strict=True))
_FOLDED_SCRIPTS = ("LATIN ", "GREEK ")
_SILENT = re.compile(r"[\u0300-\u036f\u0640\u064b-\u0652\u0670\ufe00-\ufe0f]")
"""Accents that nothing was composed with, Arabic vowels and stretching, choices between pictures."""


def terms(text: str) -> list[str]:
    """The terms of a document or a field of it, in order and as often as they occur.

    >>> terms("Feature gates: --feature-gates in `kubeletConfig`")
    ['featur', 'gate', '--feature-gates', 'featureg', 'featur', 'gate', 'in', 'kubeletconfig', 'kubelet', 'config']
    """
    return term_line(text).split()


def term_line(text: str) -> str:
    """The same with blanks between them, as the keyword index takes it; a blank more here or there means nothing."""
    return " ".join(map(_known().__getitem__, _words(text)))


def query_terms(text: str) -> list[str]:
    """What to look for: each term once, and of a script without blanks no single characters where there are pairs.

    Always some of `terms(text)`, so a text is found by each of its words.

    >>> query_terms("猫の手")
    ['猫の', 'の手']
    """
    known = _known()
    found = dict.fromkeys(term for word in _words(text) for term in known.asked(word))
    return list(found)


def rarest_terms(terms: Sequence[str], frequencies: Callable[[list[str]], Mapping[str, int]]) -> list[str]:
    """Each term once; of too many, the rarest that occur at all, by the number of chunks that have them."""
    distinct = list(dict.fromkeys(filter(None, terms)))
    if len(distinct) <= MOST_QUERY_TERMS:
        return distinct
    counts = frequencies(distinct)
    return sorted((term for term in distinct if counts[term]), key=lambda term: counts[term])[:MOST_QUERY_TERMS]


def keyword_fields(document: DocumentRow | Parent, chunks: Iterable[ChunkRow]) -> list[KeywordFields]:
    """One for each chunk. Overlap and breadcrumb are left out of the text: what they say is said elsewhere."""
    title = term_line(document.title)
    aliases = term_line("\n".join((*document.aliases, file_name(document.path))))
    return [
        KeywordFields(
            title=title,
            headings=term_line("\n".join(chunk.heading_path)),
            text=term_line(strip_data_uris(chunk.own_text(document.text))),
            aliases=aliases,
            tags=term_line("\n".join(chunk.tags)),
        )
        for chunk in chunks
    ]


def keyword_fields_of(chunks: Sequence[StoredChunk]) -> list[KeywordFields]:
    """The same for chunks of one document that come from a store."""
    return keyword_fields(chunks[0].document, (chunk.row for chunk in chunks)) if chunks else []


def terms_of(chunk: StoredChunk) -> set[str]:
    """Every term by which a chunk can be found, in whatever field."""
    (fields,) = keyword_fields_of([chunk])
    return {term for field in fields for term in field.split()}


def file_name(path: str) -> str:
    """What the file of a document is called, without its folders and its ending."""
    return PurePosixPath(path).stem


def _words(text: str) -> list[str]:
    if not text.isascii():
        for mark, plain in _TYPOGRAPHY:
            text = text.replace(mark, plain)
    return (_ASCII_WORD if text.isascii() else _any_word()).findall(text)


# Patterns with large classes take as long to make as a small folder to search: they are made when they are needed.


@cache
def _any_word() -> re.Pattern[str]:
    return re.compile(
        _WORDS.replace("C++", f"{_C}++").replace("(?!C)", f"(?!{_C})") + rf"| [{_NO_BLANKS}]++", re.VERBOSE
    )


@cache
def _only_without_blanks() -> re.Pattern[str]:
    return re.compile(rf"[{_NO_BLANKS}]++")


@cache
def _run() -> re.Pattern[str]:
    """Without blanks, which is group 1, or with."""
    return re.compile(rf"([{_NO_BLANKS}]++)|[^\s{_NO_BLANKS}]++")


@cache
def _known() -> _Words:
    return _Words()


class _Words(dict[str, str]):
    """Word as written → its terms, with blanks between them."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: dict[str, list[str]] = {}
        self._stem = {"english": _stemmer("english"), "russian": _stemmer("russian"), "arabic": _stemmer("arabic")}

    def __missing__(self, word: str) -> str:
        if word.isascii() and word.isalpha() and (word.islower() or word[1:].islower()):
            found = self._stemmed(word.lower())  # what most words are
        else:
            found = " ".join(self._terms(word, singles=True))
        # A long word hardly comes twice, least of all in a script without blanks, where it is a whole clause.
        if len(word) <= (_LONGEST_REMEMBERED if word.isascii() else _LONGEST_REMEMBERED // 3):
            if len(self) >= _REMEMBERED:
                self.clear()
                self._parts.clear()
            self[word] = found
        return found

    def asked(self, word: str) -> list[str]:
        return self._terms(word, singles=False)

    def _terms(self, word: str, singles: bool) -> list[str]:
        if word.isascii():
            return self._word_terms(word)
        if _only_without_blanks().fullmatch(word) and unicodedata.is_normalized("NFKC", word):
            return _pairs(word, singles)
        found: list[str] = []
        for run in _run().finditer(unicodedata.normalize("NFKC", word).translate(_folding())):
            found += _pairs(run[0], singles) if run[1] else self._word_terms(run[0])
        return found

    def _word_terms(self, word: str) -> list[str]:
        mark_before, core, mark_behind = _MARKED.fullmatch(word).groups("")  # type: ignore[union-attr]
        contraction = _CONTRACTION.fullmatch(core)
        if contraction:
            core = contraction[1] if contraction[2] in "sS" else contraction[1] + contraction[2]
        pieces = _PARTS.findall(core)
        if not pieces:
            return []
        found = []
        if mark_before or mark_behind:
            found.append((mark_before + core.replace("'", "") + mark_behind).casefold()[:LONGEST_TERM])
        if len(pieces) == 1:
            return found + self._part_terms(pieces[0])
        parts = [term for piece in pieces for term in self._part_terms(piece)]
        if len(pieces) <= MOST_PARTS:
            found += self._wholes(pieces)
        return found + parts

    def _wholes(self, pieces: list[str]) -> list[str]:
        """All parts run together; of a version also its beginnings, and without the `v`: `v1.29.3` is a `1.29`."""
        joined = [pieces[0].casefold()]
        for before, after in pairwise(pieces):
            joint = "." if before[-1].isdigit() and after[0].isdigit() else ""
            joined.append(joint + after.casefold())
        whole = "".join(joined)
        if not whole.replace(".", "").removeprefix("v").isdigit():
            return [self._stemmed(whole)]
        found = [beginning[:LONGEST_TERM] for beginning in accumulate(joined)][1:]
        return [*found, *(one[1:] for one in found if one[0] == "v")]

    def _part_terms(self, part: str) -> list[str]:
        """One part, and what it is made of: `ConfigMap`, `python3`."""
        found = self._parts.get(part)
        if found is None:
            found = self._take_apart(part)
            if len(part) <= _LONGEST_REMEMBERED:
                self._parts[part] = found
        return found

    def _take_apart(self, part: str) -> list[str]:
        folded = part.casefold()
        found = [self._stemmed(folded)]
        if numbered := _NAME_AND_NUMBER.fullmatch(folded):
            found.append(self._stemmed(numbered[1]))
        if part.isascii() and _has_humps(part):
            humps = _HUMPS.findall(part)
            if 1 < len(humps) <= MOST_PARTS:
                found += [self._stemmed(hump.lower()) for hump in humps]
        return found

    def _stemmed(self, word: str) -> str:
        word = word[:LONGEST_TERM]
        if word.isascii():
            return self._stem["english"](word) if word.isalpha() else word
        if _CYRILLIC.fullmatch(word):
            return self._stem["russian"](word)
        if _ARABIC.fullmatch(word):
            return self._stem["arabic"](word)
        return word


def _has_humps(part: str) -> bool:
    inner = part[1:]
    return not (inner.islower() or part.isupper() or _PLURAL_OF_CAPITALS.fullmatch(part)) and inner != inner.lower()


def _pairs(run: str, singles: bool) -> list[str]:
    """Overlapping pairs. Single characters too, so that a query of one finds its text."""
    pairs = [one + other for one, other in pairwise(run)]
    return [*pairs, *run] if singles or not pairs else pairs


@cache
def _folding() -> _Folding:
    return _Folding()


class _Folding(dict[int, str]):
    """Character → what it counts as, worked out when it is first seen: `é` as `e`, punctuation as a blank."""

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


def _stemmer(language: str) -> Callable[[str], str]:
    stem: Callable[[str], str] = load("Stemmer", "searching by words").Stemmer(language, 0).stemWord
    return stem

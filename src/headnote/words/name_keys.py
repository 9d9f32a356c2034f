"""Names: what a title, an alias, a file or a heading must share with a query that asks for it by name.

A name is compared by its key: its words in their order, without case, accents and punctuation. The words with which
people ask and which name nothing (`what is a`, `how to`) may be there or not; then the rest is compared.

An index has a number for each key, so finding a name is looking up a number, however many documents there are.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal, get_args

from headnote.words.languages import (
    ENGLISH,
    LATIN,
    OTHER_SCRIPTS,
    QUESTIONS,
    QUESTIONS_IN_OTHER_SCRIPTS,
    WITHOUT_BLANKS,
)
from headnote.words.terms import NO_BLANKS, folded, folding, is_inside_character, runs

NameKind = Literal["title", "alias", "file name", "heading"]
NAME_KINDS: tuple[NameKind, ...] = get_args(NameKind)
"""What a name may be, in the order in which it counts: a document that is called so is meant before a section is."""

MAX_NAME_CHARS = 1000
"""Maximum characters of a name: a longer query is a text, and no name."""

_WORD = re.compile(r"[0-9a-z]+(?:\+\+|#)?")
"""`C`, `C++` and `C#` are three things."""


def name_key(text: str) -> str:
    """The words of a name with blanks between them; of a name without words, what there is.

    >>> name_key("What’s a Café-Bar?"), name_key("什么是Pod"), name_key("===")
    ('whats a cafe bar', '什么是 pod', '===')
    """
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).translate(folding()).casefold()
    plain = plain.replace("'", "")
    if plain.isascii():
        words = _WORD.findall(plain)
    else:
        words = [word[start:end] for word in _any_word().findall(plain) for start, end, _ in runs(word)]
    return " ".join(words) or "".join(text.split())


@cache
def _any_word() -> re.Pattern[str]:
    """Python takes the vowels of Indian scripts for no letters."""
    return re.compile(rf"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff{NO_BLANKS}])+(?:\+\+|#)?")


def subject_key(text: str, language: str = "") -> str:
    """The key without the words with which it asks; empty if it has none, or has no others.

    >>> subject_key("How do I deploy an app?"), subject_key("Pod 是什么"), subject_key("Was ist ein Pod?", "german")
    ('deploy an app', 'pod', 'pod')
    """
    rest = text if text.isascii() else without_question_words(text)
    words = name_key(rest).split()
    if rest == text and not _asks(words, language):
        return ""
    asking, others = _question_frame(language), _word_set(OTHER_SCRIPTS + QUESTIONS_IN_OTHER_SCRIPTS)
    start, end = 0, len(words)
    while start < end and (words[start] in asking or words[start] in others):
        start += 1
    # Latin words at the end belong to what is named: `Log in`.
    while start < end and words[end - 1] in others:
        end -= 1
    return " ".join(words[start:end])


def _asks(words: Sequence[str], language: str) -> bool:
    """`In production` and `use state` ask nothing, and what they begin with belongs to the name."""
    begins = bool(words) and words[0] in _word_set(QUESTIONS[language])
    return begins or not _word_set(QUESTIONS_IN_OTHER_SCRIPTS).isdisjoint(words)


@cache
def _question_frame(language: str) -> frozenset[str]:
    """The words that may stand before what a question is about."""
    return _word_set(LATIN[language] if language else ENGLISH) | _word_set(QUESTIONS[language])


def numbers_of_name(name: str, language: str) -> Iterator[int]:
    """By which a name is found in a document in this language."""
    if key := name_key(name):
        yield _number(key)
    if subject := subject_key(name, language):
        yield _number(subject, is_subject=True)


def numbers_named(query: str, languages: Iterable[str]) -> list[int]:
    """By which all is found that a query may name, in the order in which it counts: what is called exactly so, what is
    called like the query without the words that ask, and what is called so without such words of its own.

    A single word is a name only as it is: `production` does not ask for a section `In production`.
    """
    if len(query) > MAX_NAME_CHARS:
        return []
    key = name_key(query)
    subjects = [*dict.fromkeys(filter(None, (subject_key(query, language) for language in ("", *languages))))]
    asked = subjects or ([key] if " " in key else [])
    return [*map(_number, filter(None, [key, *subjects])), *(_number(subject, is_subject=True) for subject in asked)]


def _number(key: str, is_subject: bool = False) -> int:
    """A hash that fits into a column of integers."""
    said = f"{'~' if is_subject else ''}{key}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big", signed=True)


@cache
def _word_set(words: str) -> frozenset[str]:
    return frozenset(map(folded, words.split()))


# -- versions


@cache
def _version() -> re.Pattern[str]:
    stage = r"[-.]?(?:a|b|rc|alpha|beta|dev|pre|post)[-.]?[0-9]*"
    return re.compile(rf"(?<![\w.])v?[0-9]+(?:\.(?:[0-9]+|x))+(?:{stage})?(?!\w)", re.IGNORECASE)


@cache
def _date() -> re.Pattern[str]:
    return re.compile(r"[0-9]{4}[-./][0-9]{1,2}[-./][0-9]{1,2}|[0-9]{1,2}\.? \w+,? [0-9]{4}|\w+ [0-9]{1,2},? [0-9]{4}")


@cache
def _asks_for_versions() -> re.Pattern[str]:
    words = r"change ?log|release|what.?s new|what (?:has )?changed|breaking change|deprecat"
    return re.compile(rf"[0-9]\.[0-9x]|\bv[0-9]|\b(?:{words})", re.IGNORECASE)


@lru_cache(maxsize=10_000)
def is_version(heading: str) -> bool:
    """Whether a heading is a version and nothing else, perhaps with its date and the name of what has it: below it
    stands what was new in that version.

    >>> [*map(is_version, ("[1.10.0] - 2024-05-02", "Hatch v1.6.0", "0.9 (May 2, 2018)", "Unreleased"))]
    [True, True, True, True]
    >>> [*map(is_version, ("1.2 Priming", "Python 3.12", "Upgrade to v5.0 from v4", "2024-05-02"))]
    [False, False, False, False]
    """
    plain = heading.strip(" []")
    if not any(map(str.isdigit, plain)):
        return plain.casefold() == "unreleased"
    without_date, dates = _date().subn(" ", plain)
    versions = _version().findall(without_date)
    others = name_key(_version().sub(" ", without_date)).split()
    is_certain = dates or any(version[0] in "vV" or version.count(".") > 1 for version in versions)
    return len(versions) == 1 and len([*filter(str.isalnum, others)]) <= (1 if is_certain else 0)


def asks_for_version(query: str) -> bool:
    """Whether a query is about a version, or about what changed in one.

    >>> [*map(asks_for_version, ("what's new in 6.0", "breaking changes", "change the python version"))]
    [True, True, False]
    """
    return _asks_for_versions().search(query) is not None


# -- words with which people ask, in scripts without blanks


@cache
def _question_words() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(WITHOUT_BLANKS.split(), key=len, reverse=True))))


def without_question_words(text: str) -> str:
    """Where there are no blanks, they would become pairs with the words beside them."""

    def cut(match: re.Match[str]) -> str:
        is_part = is_inside_character(text, match.start()) or is_inside_character(text, match.end())
        return match[0] if is_part else " "

    return _question_words().sub(cut, text)

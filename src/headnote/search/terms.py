"""The terms of a query that say what it is about, and how much of them a text covers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from headnote.store.base import Keywords
from headnote.store.languages import (
    ENGLISH,
    LATIN,
    OTHER_SCRIPTS,
    WITHOUT_BLANKS,
    count_of_function_words,
    function_words_of,
)
from headnote.store.terms import is_inside_character, language_mark, query_terms, terms, words_of

# Function words occur in every document. In a small folder, where some of them are rare, they would count as much as
# the subject of a question.


@cache
def function_terms(words: str = ENGLISH + OTHER_SCRIPTS) -> frozenset[str]:
    """Terms that say nothing about the subject of a query."""
    # Not a constant: terms need the stemmer of an extra, and importing this module must not.
    return frozenset(terms(words))


@cache
def _question_words() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(WITHOUT_BLANKS.split(), key=len, reverse=True))))


def content_terms(text: str, languages: Iterable[str] = ()) -> list[str]:
    """The terms of a query without function words; all of its terms if there are no others. Languages in Latin letters
    other than English are those of the documents: `war` and `die` say something in most folders."""
    words = words_of(text if text.isascii() else _without_question_words(text))
    asked = _asked_in(words, languages)
    subject = [word for word in words if _plain(word) not in asked]
    content = dict.fromkeys(term for word in subject for term in terms(word) if not _is_function(word, term))
    return list(content) or query_terms(text)


def _is_function(word: str, term: str) -> bool:
    # Without its accents, a word of another language may look like one of English: `thế`.
    return term in function_terms(ENGLISH if word.isascii() else OTHER_SCRIPTS)


def _asked_in(words: Iterable[str], languages: Iterable[str]) -> frozenset[str]:
    """The function words of the language of a query, if it has several of them and more than English ones."""
    plain = [_plain(word) for word in words]
    most, function_words = max(2, 1 + count_of_function_words(plain, "")), frozenset[str]()
    for language in languages:
        if (count := count_of_function_words(plain, language)) >= most:
            most, function_words = count + 1, function_words_of(language)
    return function_words


def _plain(word: str) -> str:
    return word.strip("¿¡«»„‚").lower()


def _without_question_words(text: str) -> str:
    """Where there are no blanks, they would become pairs with the words beside them."""

    def cut(match: re.Match[str]) -> str:
        is_part = is_inside_character(text, match.start()) or is_inside_character(text, match.end())
        return match[0] if is_part else " "

    return _question_words().sub(cut, text)


def languages_in(keywords: Keywords) -> list[str]:
    """The languages in Latin letters, other than English, that documents are in."""
    counts = keywords.term_frequencies(map(language_mark, LATIN))
    return [language for language in LATIN if counts[language_mark(language)]]


def rarity(frequencies: Mapping[str, int], chunks: int) -> dict[str, float]:
    """The weight of each term: the fewer chunks have it, the more. A term in no chunk weighs most."""
    return {term: math.log1p(chunks / (1 + count)) for term, count in frequencies.items()}


def coverage(weights: Mapping[str, float], text_terms: Collection[str]) -> float:
    """Share of the weights that a text with these terms covers, from 0 to 1."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in text_terms) / total if total else 0.0

"""The terms of a query that say what it is about, and how much of them a text covers."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from functools import cache

from headnote.store.languages import ENGLISH, OTHER_SCRIPTS, WITHOUT_BLANKS
from headnote.store.terms import is_inside_character, query_terms, terms

# Function words occur in every document. In a small folder, where some of them are rare, they would count as much as
# the subject of a question.


@cache
def function_terms() -> frozenset[str]:
    """Terms that say nothing about the subject of a query."""
    # Not a constant: terms need the stemmer of an extra, and importing this module must not.
    return frozenset(terms(ENGLISH + OTHER_SCRIPTS))


@cache
def _question_words() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(WITHOUT_BLANKS.split(), key=len, reverse=True))))


def content_terms(text: str) -> list[str]:
    """The terms of a query without function words; all of its terms if there are no others."""
    every_term = query_terms(text)
    subject = every_term if text.isascii() else query_terms(_without_question_words(text))
    return [term for term in subject if term not in function_terms()] or every_term


def _without_question_words(text: str) -> str:
    """Where there are no blanks, they would become pairs with the words beside them."""

    def cut(match: re.Match[str]) -> str:
        is_part = is_inside_character(text, match.start()) or is_inside_character(text, match.end())
        return match[0] if is_part else " "

    return _question_words().sub(cut, text)


def rarity(frequencies: Mapping[str, int], chunks: int) -> dict[str, float]:
    """The weight of each term: the fewer chunks have it, the more. A term in no chunk weighs most."""
    return {term: math.log1p(chunks / (1 + count)) for term, count in frequencies.items()}


def coverage(weights: Mapping[str, float], text_terms: Collection[str]) -> float:
    """Share of the weights that a text with these terms covers, from 0 to 1."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in text_terms) / total if total else 0.0

"""The terms of a query that say what it is about, and how much of them a text covers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache

from headnote.store.terms import query_terms, terms

# Function words occur in every document. In a small folder, where some of them are rare, they would count as much as
# the subject of a question.
_FUNCTION_WORDS = """
a about after all also am an and any are as at be been before between both but by can could did do does each few for
from had has have how i if in into is it its may me more most my no not of on or other our over same should so some
such than that the their them then there these they this through to under until up us use using very was we were what
when where which while who why will with would you your
"""


@cache
def _function_terms() -> frozenset[str]:
    # Not a constant: terms need the stemmer of an extra, and importing this module must not.
    return frozenset(terms(_FUNCTION_WORDS))


def content_terms(text: str) -> list[str]:
    """The terms of a query without function words; all of its terms if there are no others."""
    every_term = query_terms(text)
    return [term for term in every_term if term not in _function_terms()] or every_term


def rarity(frequencies: Mapping[str, int], chunks: int) -> dict[str, float]:
    """The weight of each term: the fewer chunks have it, the more. A term in no chunk weighs most."""
    return {term: math.log1p(chunks / (1 + count)) for term, count in frequencies.items()}


def coverage(weights: Mapping[str, float], text_terms: Collection[str]) -> float:
    """Share of the weights that a text with these terms covers, from 0 to 1."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in text_terms) / total if total else 0.0

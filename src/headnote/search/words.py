"""Which words of a query say what it is about."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from headnote.store.terms import query_terms, terms

# Words that hold a question together and stand in every document. Rare ones in a small folder would otherwise count as
# much as what the question is about.
_FUNCTION_WORDS = """
a about after all also am an and any are as at be been before between both but by can could did do does each few for
from had has have how i if in into is it its may me more most my no not of on or other our over same should so some
such than that the their them then there these they this through to under until up us use using very was we were what
when where which while who why will with would you your
"""
_EMPTY = frozenset(terms(_FUNCTION_WORDS))


def content_terms(text: str) -> list[str]:
    """The terms of a query without those that hold it together; all of them if there are no others."""
    asked = query_terms(text)
    return [term for term in asked if term not in _EMPTY] or asked


def rarity(frequencies: Mapping[str, int], chunks: int) -> dict[str, float]:
    """What each term tells: the fewer chunks have it, the more. A term that none has tells most."""
    return {term: math.log1p(chunks / (1 + count)) for term, count in frequencies.items()}


def coverage(weights: Mapping[str, float], said: Collection[str]) -> float:
    """How much of what a query tells is said, from 0 to 1."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in said) / total if total else 0.0

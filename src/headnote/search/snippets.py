"""Where the words of a query stand in a text: the ranges to mark when a hit is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from headnote.search.terms import content_terms
from headnote.store.terms import terms

LONGEST_CACHED_WORD = 40
"""Characters. Longer words hardly come twice."""
_WORD = re.compile(r"\w(?:[\w.'’+-]*\w)?")


def marked_terms(query: str) -> frozenset[str]:
    """The terms of a query that are worth marking."""
    return frozenset(content_terms(query))


def marks(text: str, query_terms: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Ranges (start, end) of the words that share a term with the query, in order."""
    for word in _WORD.finditer(text):
        word_terms = _terms_of(word[0]) if len(word[0]) <= LONGEST_CACHED_WORD else terms(word[0])
        if query_terms.isdisjoint(word_terms):
            continue
        # In scripts without blanks a "word" is a whole clause: mark only the terms inside it.
        inside = [] if word[0].isascii() else list(_ranges_inside(word[0], query_terms))
        yield from ((word.start() + start, word.start() + end) for start, end in inside or [(0, len(word[0]))])


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> frozenset[str]:
    """The terms of one word. Texts use the same words again and again."""
    return frozenset(terms(word))


def _ranges_inside(word: str, query_terms: frozenset[str]) -> Iterator[tuple[int, int]]:
    longest_first = sorted((term for term in query_terms if not term.isascii()), key=len, reverse=True)
    if longest_first:
        yield from (match.span() for match in re.finditer("|".join(map(re.escape, longest_first)), word))

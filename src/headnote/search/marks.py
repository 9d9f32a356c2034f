"""Where in a text the words of a query stand: what is to be marked when a hit is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from headnote.search.words import content_terms
from headnote.store.terms import terms

LONGEST = 40
"""Characters of a word that is worth remembering."""
_WORD = re.compile(r"\w(?:[\w.'’+-]*\w)?")


def words_of(query: str) -> frozenset[str]:
    """The terms of a query that are worth showing."""
    return frozenset(content_terms(query))


def marks(text: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where words stand that have a term in common with the query: (start, end), in order."""
    for word in _WORD.finditer(text):
        if wanted.isdisjoint(_terms_of(word[0]) if len(word[0]) <= LONGEST else terms(word[0])):
            continue
        # Where words have no blanks between them, only what was looked for is meant.
        inside = [] if word[0].isascii() else list(_inside(word[0], wanted))
        yield from ((word.start() + start, word.start() + end) for start, end in inside or [(0, len(word[0]))])


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> frozenset[str]:
    """Texts use the same words again and again."""
    return frozenset(terms(word))


def _inside(word: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    either = "|".join(re.escape(term) for term in sorted(wanted, key=len, reverse=True) if not term.isascii())
    if either:
        yield from (match.span() for match in re.finditer(either, word))

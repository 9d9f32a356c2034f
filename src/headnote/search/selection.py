"""Ranked hits → the hits of the answer: spread over documents, without duplicates, within the limits of the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from headnote.model import Hit
from headnote.search.query import Query

REPEAT_FACTOR = 0.95
"""Factor on a hit whose document already has a better one. With less, sections of long documents are lost; with more,
documents are. It holds for hybrid search by weighted scores only: other rankings keep their order."""

RUN_LENGTH = 4
"""Words in a row that are compared."""
SHARED_RUNS = 0.98
"""Share of runs that duplicates have in common: one word in a hundred may differ. With less, questions lose an answer
that lies in the difference; 0.9 lost three in a hundred of the answers in prose."""
SHARED_WORDS = 0.9
"""Share of words that texts with so many common runs have in common. Sets of words are cheap, sets of runs are not."""


# -- order


class Candidate(NamedTuple):
    """A chunk before it is read."""

    score: float
    path: str
    start: int
    """Its id: chunks of a document are stored in their order."""
    recency: float = 1.0


AnyHit = TypeVar("AnyHit", Hit, Candidate)


def best_first(hits: Iterable[AnyHit], repeat_factor: float) -> list[AnyHit]:
    """Hits by score, after the second and later hits of each document are multiplied by `repeat_factor`."""
    seen: set[str] = set()
    spread = []
    for hit in sorted(hits, key=_order):
        spread.append(hit._replace(score=hit.score * repeat_factor) if hit.path in seen else hit)
        seen.add(hit.path)
    return sorted(spread, key=_order)


def _order(hit: Hit | Candidate) -> tuple[float, str, int]:
    # Ties are broken by path and position: the order does not depend on when a file was indexed.
    return -hit.score, hit.path, hit.start


# -- choice


class Selection:
    """The hits of one answer, filled best first."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._texts = SeenTexts()
        self._hits_per_document: Counter[str] = Counter()
        self._ranges: dict[str, list[tuple[int, int]]] = {}
        self._tokens = 0
        self.hits: list[Hit] = []

    @property
    def is_full(self) -> bool:
        return len(self.hits) >= self._query.limit

    def accepts(self, hit: Hit) -> bool:
        """Whether a hit scores enough, is new, and is not one too many of its document."""
        query = self._query
        if query.min_score is not None and hit.score < query.min_score:
            return False
        if query.per_document and self._hits_per_document[hit.path] >= query.per_document:
            return False
        is_shown = any(start <= hit.start and hit.end <= end for start, end in self._ranges.get(hit.path, ()))
        return not is_shown and not self._texts.has(hit.text)

    def fits(self, hit: Hit) -> bool:
        """Whether the token budget allows the hit. The first hit always fits."""
        budget = self._query.budget
        return not budget or not self.hits or self._tokens + hit.tokens <= budget

    def add(self, hit: Hit) -> None:
        self.hits.append(hit)
        self._texts.add(hit.text)
        self._hits_per_document[hit.path] += 1
        self._ranges.setdefault(hit.path, []).append((hit.start, hit.end))
        self._tokens += hit.tokens


# -- duplicates


class SeenTexts:
    """Texts to compare with. Two texts are duplicates if they are equal but for whitespace, or nearly equal, like pages
    of two versions."""

    def __init__(self) -> None:
        self._entries: list[tuple[frozenset[str], str]] = []

    def has(self, text: str) -> bool:
        """Whether the text duplicates one of them."""
        words = frozenset(text.split())
        return any(
            _overlap(words, other_words, SHARED_WORDS) and _overlap(_runs(text), _runs(other), SHARED_RUNS)
            for other_words, other in self._entries
        )

    def add(self, text: str) -> None:
        self._entries.append((frozenset(text.split()), text))


def _runs(text: str) -> frozenset[str]:
    words = text.split()
    if len(words) <= RUN_LENGTH:
        return frozenset([" ".join(words)])
    return frozenset(" ".join(words[at : at + RUN_LENGTH]) for at in range(len(words) - RUN_LENGTH + 1))


def _overlap(one: frozenset[str], other: frozenset[str], least: float) -> bool:
    # Sets of very different sizes cannot overlap enough; that saves most comparisons.
    if min(len(one), len(other)) < least * max(len(one), len(other)):
        return False
    return len(one & other) >= least * len(one | other)

"""Of ranked hits those that are shown: each says something new, and together they are not too much. Pure."""

from __future__ import annotations

from collections import Counter

from headnote.model import Hit
from headnote.search.duplicates import SeenTexts
from headnote.search.query import Query


class Thinning:
    """Takes one hit after the other, best first."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._said = SeenTexts()
        self._of_document: Counter[str] = Counter()
        self._ranges: dict[str, list[tuple[int, int]]] = {}
        self._tokens = 0
        self.kept: list[Hit] = []

    @property
    def is_full(self) -> bool:
        return len(self.kept) >= self._query.limit

    def wants(self, hit: Hit) -> bool:
        """Whether a hit is good enough, and neither shown already nor one too many of its document."""
        query = self._query
        if query.min_score is not None and hit.score < query.min_score:
            return False
        if query.per_document and self._of_document[hit.path] >= query.per_document:
            return False
        within = any(start <= hit.start and hit.end <= end for start, end in self._ranges.get(hit.path, ()))
        return not within and not self._said.has(hit.text)

    def has_room_for(self, hit: Hit) -> bool:
        budget = self._query.budget
        return not budget or not self.kept or self._tokens + hit.tokens <= budget

    def take(self, hit: Hit) -> None:
        self.kept.append(hit)
        self._said.add(hit.text)
        self._of_document[hit.path] += 1
        self._ranges.setdefault(hit.path, []).append((hit.start, hit.end))
        self._tokens += hit.tokens

"""Ranked hits → the hits of the answer: spread over documents, without duplicates, within the limits of the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
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

MAX_MISFITS = 1000
"""Hits in a row that are too large for what is left of a budget. Then no smaller one is looked for."""


# -- order


class Candidate(NamedTuple):
    """A chunk before it is read. Candidates sort best first, ties by path and position: the order does not depend on
    when a file was indexed."""

    negative_score: float
    path: str
    chunk: int
    """Its id: chunks of a document are stored in their order."""

    @property
    def score(self) -> float:
        return -self.negative_score


Item = TypeVar("Item")


def best_first(candidates: Iterable[tuple[float, str, int]], repeat_factor: float) -> list[Candidate]:
    """By score, after those of the second and later ones of each document are multiplied by `repeat_factor`."""
    seen: set[str] = set()
    spread = []
    # As plain tuples, which are compared faster than named ones.
    for negative_score, path, chunk in sorted((score, path, chunk) for score, path, chunk in candidates):
        spread.append((negative_score * repeat_factor if path in seen else negative_score, path, chunk))
        seen.add(path)
    return list(map(Candidate._make, sorted(spread)))


# -- choice


class Selection:
    """The hits of one answer, filled best first."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self.most = query.limit
        """Hits at most."""
        self._texts = SeenTexts()
        self._hits_per_document: Counter[str] = Counter()
        self._ranges: dict[str, list[tuple[int, int]]] = {}
        self._tokens = 0
        self._misfits = 0
        self.hits: list[Hit] = []

    @property
    def is_full(self) -> bool:
        budget = self.query.budget
        has_spent = bool(budget and self.hits) and (self._tokens >= budget or self._misfits >= MAX_MISFITS)
        return len(self.hits) >= self.most or has_spent

    def takes_from(self, path: str) -> bool:
        """Whether another hit of a document may be accepted."""
        most = self.query.per_document
        return not most or self._hits_per_document[path] < most

    def accepts(self, hit: Hit) -> bool:
        """Whether a hit scores enough, has anything to show, is new, and is not one too many of its document. The hit
        that it is a copy of says where the copy is."""
        least = self.query.min_score
        if (least is not None and hit.score < least) or not hit.text.strip() or not self.takes_from(hit.path):
            return False
        is_shown = any(start <= hit.start and hit.end <= end for start, end in self._ranges.get(hit.path, ()))
        if is_shown:
            return False
        original = self._texts.original_of(hit.text)
        if original is not None:
            self._name_copy(original, hit)
        return original is None

    def _name_copy(self, original: str, copy: Hit) -> None:
        for hit in self.hits:
            if hit.key == original and hit.path != copy.path:
                hit.also_in += (f"{copy.path}:{copy.start_line}",)

    def fits(self, hit: Hit) -> bool:
        """Whether the token budget allows the hit. The first hit always fits."""
        budget = self.query.budget
        return not budget or not self.hits or self._tokens + hit.tokens <= budget

    def inside(self, section: Hit) -> list[Hit]:
        """The hits that are a part of it."""
        return [
            hit
            for hit in self.hits
            if hit.path == section.path and section.start <= hit.start and hit.end <= section.end
        ]

    def merges(self, inside: Sequence[Hit], section: Hit) -> bool:
        """Put a section in the place of the first of some hits, as that hit over more of its document, if the budget
        allows it."""
        first, budget = inside[0], self.query.budget
        tokens = self._tokens - sum(hit.tokens for hit in inside) + section.tokens
        if budget and tokens > budget:
            return False
        wide = replace(
            section,
            score=first.score,
            id=first.id,
            key=first.key,
            why=first.why,
            tags=first.tags,
            lead=section.lead,
            also_in=first.also_in,
        )
        self.hits[:] = [wide if hit is first else hit for hit in self.hits if hit is first or hit not in inside]
        self._hits_per_document[wide.path] -= len(inside) - 1
        self._ranges[wide.path].append((wide.start, wide.end))
        self._tokens = tokens
        return True

    def leave_out(self) -> None:
        """Count a hit that does not fit."""
        self._misfits += 1

    def add(self, hit: Hit) -> None:
        self._misfits = 0
        self.hits.append(hit)
        self._texts.add(hit.text, hit.key)
        self._hits_per_document[hit.path] += 1
        self._ranges.setdefault(hit.path, []).append((hit.start, hit.end))
        self._tokens += hit.tokens


# -- duplicates


class SeenTexts:
    """Texts to compare with. Two texts are duplicates if they are equal but for whitespace, or nearly equal, like pages
    of two versions.

    A text with words or runs that no other has, and more of them than a duplicate may have, is compared with none:
    the time for many texts grows with their length, not with the number of pairs.
    """

    def __init__(self) -> None:
        self._texts: list[_Text] = []
        self._keys: list[str] = []
        """Of the hits that have these texts."""
        self._latest = _Text("")
        """What was asked for last: it is often added next."""
        self._spellings: dict[tuple[str, ...], str] = {}
        self._words: set[str] = set()
        self._runs: set[int] = set()
        """As hashes. Should two be equal by chance, one more text is compared."""
        self._texts_in_runs = 0
        """How many texts have their runs in it. Few searches ever need them."""

    def original_of(self, text: str) -> str | None:
        """The key of the one that the text duplicates."""
        one = self._compared(text)
        if one.spelling in self._spellings:
            return self._spellings[one.spelling]
        if not self._may_have(one):
            return None
        return next((key for other, key in zip(self._texts, self._keys, strict=True) if one.resembles(other)), None)

    def add(self, text: str, key: str) -> None:
        one = self._compared(text)
        self._texts.append(one)
        self._keys.append(key)
        self._spellings.setdefault(one.spelling, key)
        self._words |= one.words

    def _compared(self, text: str) -> _Text:
        if self._latest.text is not text:
            self._latest = _Text(text)
        return self._latest

    def _may_have(self, one: _Text) -> bool:
        if not _is_covered(one.words, self._words, SHARED_WORDS):
            return False
        for other in self._texts[self._texts_in_runs :]:
            self._runs |= other.hashes()
        self._texts_in_runs = len(self._texts)
        return _is_covered(one.hashes(), self._runs, SHARED_RUNS)


class _Text:
    """A text as it is compared."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spelling = tuple(text.split())
        """Without whitespace."""
        self.words = frozenset(self.spelling)

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        return frozenset(self._each_run())

    def hashes(self) -> frozenset[int]:
        """Those of the runs, which take less room."""
        return frozenset(map(hash, self._each_run()))

    def _each_run(self) -> Iterable[tuple[str, ...]]:
        words = self.spelling
        if len(words) <= RUN_LENGTH:
            return [words]
        return zip(*(words[at:] for at in range(RUN_LENGTH)), strict=False)

    def resembles(self, other: _Text) -> bool:
        return _overlap(self.words, other.words, SHARED_WORDS) and _overlap(self.runs, other.runs, SHARED_RUNS)


def _is_covered(one: frozenset[Item], all_others: set[Item], least: float) -> bool:
    """Whether sets that make up `all_others` may overlap with this one."""
    return len(one & all_others) >= least * len(one)


def _overlap(one: frozenset[Item], other: frozenset[Item], least: float) -> bool:
    # Sets of very different sizes cannot overlap enough; that saves most comparisons.
    if min(len(one), len(other)) < least * max(len(one), len(other)):
        return False
    return len(one & other) >= least * len(one | other)

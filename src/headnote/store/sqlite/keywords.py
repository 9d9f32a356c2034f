"""Reading the keyword index: what each term of a query is worth in each chunk that has it.

The keyword index scores every chunk that has one of the terms, for every query again. What a term adds to the score of
a chunk does not depend on the other terms, so the index is asked for each term once, and queries add up known scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from headnote.extras import load_numpy
from headnote.store.codec import escaped
from headnote.store.filters import Filter
from headnote.store.rows import DEFAULT_WEIGHTS, KeywordHit, Weights
from headnote.store.sqlite.documents import ReadsDocuments
from headnote.store.sqlite.kept import Kept, Posting
from headnote.store.sqlite.sql import only_value, passing_chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def best_sums(postings: Sequence[Posting], limit: int, allowed: NDArray[np.int64] | None) -> list[tuple[int, float]]:
    """(chunk, sum of its scores), best first, of equals the chunk with the lower number. Without a list, all of them
    are allowed."""
    numpy = load_numpy()
    chunks = numpy.concatenate([posting.chunks for posting in postings])
    if not len(chunks):
        return []
    sums = numpy.bincount(chunks, numpy.concatenate([posting.scores for posting in postings]))
    has_any = _marked(chunks, len(sums))
    found = numpy.flatnonzero(has_any if allowed is None else has_any & _marked(allowed, len(sums)))
    if len(found) > limit:
        # The best ones in any order first, which is linear; only these are sorted.
        cut = len(found) - limit
        least = numpy.partition(sums[found], cut)[cut]
        found = found[sums[found] >= least]
    order = numpy.lexsort((found, -sums[found]))[:limit]
    return [(int(found[at]), float(sums[found[at]])) for at in order]


def _marked(numbers: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    numpy = load_numpy()
    marks: NDArray[np.bool_] = numpy.zeros(size, dtype=bool)
    marks[numbers[numbers < size]] = True
    return marks


MOST_TERMS = 64
"""A query that has more is a pasted text; its rarest terms say what it is about."""


class ReadsKeywords(ReadsDocuments):
    """The part of a reader that knows keywords."""

    kept: Kept

    def keyword(
        self,
        terms: Sequence[str],
        limit: int,
        weights: Weights = DEFAULT_WEIGHTS,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[KeywordHit]:
        wanted = self._worth_asking(terms)
        if not wanted or limit < 1:
            return []
        allowed = None if only.passes_all else _numbers(self.db.execute(*passing_chunks(only)))
        return [KeywordHit(*found) for found in best_sums(self._postings(wanted, weights), limit, allowed)]

    def _postings(self, terms: Sequence[str], weights: Weights) -> list[Posting]:
        def read(missing: list[tuple[str, Weights]]) -> dict[tuple[str, Weights], Posting]:
            return {key: self._posting(*key) for key in missing}

        found = self.kept.postings.get(self.generation(), [(term, weights) for term in terms], read)
        return [found[term, weights] for term in terms]

    def _posting(self, term: str, weights: Weights) -> Posting:
        numpy = load_numpy()
        rows = self.db.execute(
            "SELECT rowid, max(-bm25(keyword, ?, ?, ?, ?, ?), 0) FROM keyword WHERE keyword MATCH ?",
            (*weights, quoted(term)),
        )
        pairs = numpy.fromiter(rows, numpy.dtype([("chunk", numpy.int64), ("score", numpy.float64)]))
        chunks = pairs["chunk"]
        if len(chunks) and not (chunks.min() > 0 and chunks.max() <= self._last_chunk()):
            raise ValueError("the keyword index has chunks that do not exist")
        return Posting(chunks.copy(), pairs["score"].copy())

    def _last_chunk(self) -> int:
        return int(only_value(self.db, "SELECT coalesce(max(id), 0) FROM chunks"))

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        return self.kept.frequencies.get(self.generation(), terms, self._read_frequencies)

    def _read_frequencies(self, terms: list[str]) -> dict[str, int]:
        counts = dict.fromkeys(terms, 0)
        for term in counts:
            row = self.db.execute("SELECT doc FROM vocabulary WHERE term = ?", (escaped(term),)).fetchone()
            counts[term] = row[0] if row else 0
        return counts

    def _worth_asking(self, terms: Sequence[str]) -> list[str]:
        distinct = list(dict.fromkeys(filter(None, terms)))
        if len(distinct) <= MOST_TERMS:
            return distinct
        counts = self.term_frequencies(distinct)
        return sorted((term for term in distinct if counts[term]), key=lambda term: counts[term])[:MOST_TERMS]


def _numbers(rows: Iterable[tuple[int]]) -> NDArray[np.int64]:
    numbers: NDArray[np.int64] = load_numpy().fromiter((number for (number,) in rows), "int64")
    return numbers


def quoted(term: str) -> str:
    """A string of the query language: nothing in it has a meaning."""
    return '"' + escaped(term).replace('"', '""') + '"'

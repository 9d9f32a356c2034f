"""The keyword index: what each term of a query is worth in each chunk that has it.

FTS5 would score every chunk that has one of the terms, for every query again. What a term adds to the score of a chunk
does not depend on the other terms, so FTS5 is asked for each term once, and queries add up known scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from headnote.extras import np
from headnote.store.codec import escaped, unescaped
from headnote.store.filters import Filter
from headnote.store.rows import (
    BY_CHUNKS,
    DEFAULT_WEIGHTS,
    DOCUMENT_SATURATION,
    FULL_WEIGHTS,
    IN_DOCUMENT,
    SATURATION,
    KeywordHit,
    Weights,
)
from headnote.store.sqlite.connections import quoted
from headnote.store.sqlite.documents import AllOwners, Posting, SqliteDocuments
from headnote.words.terms import rarest_terms, tells_of_document
from headnote.words.vocabulary import past

if TYPE_CHECKING:
    from numpy.typing import NDArray


MIN_RARITY = 1e-6
"""Minimum rarity, of a word that most chunks have, as FTS5 has it."""

READ_PER_QUESTION = 20
"""How many chunks of a term are read in the time in which FTS5 tells of one chunk whether it has the term."""

INSERT_KEYWORDS = "INSERT INTO keyword (rowid, title, headings, text, aliases, tags) VALUES (?, ?, ?, ?, ?, ?)"


class SqliteKeywords(SqliteDocuments):
    """See `interface.Reader`."""

    def keyword(
        self,
        terms: Sequence[str],
        limit: int,
        weights: Weights = DEFAULT_WEIGHTS,
        only: Filter = Filter(),  # noqa: B008  immutable
        shares: Mapping[str, float] = FULL_WEIGHTS,
    ) -> list[KeywordHit]:
        distinct = rarest_terms(terms, self.term_frequencies)
        if not distinct or limit < 1:
            return []
        allowed = None if only.passes_all else self.passing(only)
        postings = self._postings(distinct, weights)
        counted = [posting.times(shares.get(term, 1.0)) for term, posting in zip(distinct, postings, strict=True)]
        return _best(counted, limit, allowed, self._all_owners())

    def having(self, terms: Sequence[str]) -> NDArray[np.int64]:
        distinct = rarest_terms(terms, self.term_frequencies)
        empty = np.empty(0, np.int64)
        postings = self._postings(distinct, DEFAULT_WEIGHTS)
        chunks = np.concatenate([empty, *(posting.chunks for posting in postings)])
        return np.flatnonzero(_mask(chunks, int(chunks.max(initial=0)) + 1))

    def terms_in(self, chunks: Sequence[int], terms: Sequence[str]) -> dict[int, set[str]]:
        counts = {term: count for term, count in self.term_frequencies(filter(None, terms)).items() if count}
        known = self._caches.postings.cached(self._generation, [(term, DEFAULT_WEIGHTS) for term in counts])
        few = [term for term, count in counts.items() if count <= READ_PER_QUESTION * len(chunks)]
        postings = {term: posting for (term, _), posting in known.items()}
        postings |= zip(few, self._postings(few, DEFAULT_WEIGHTS), strict=True)
        found: dict[int, set[str]] = {chunk: set() for chunk in chunks}
        for term in counts:
            posting = postings.get(term)
            for chunk in posting.among(chunks) if posting else self._having_among(term, chunks):
                found[chunk].add(term)
        return found

    def _having_among(self, term: str, chunks: Sequence[int]) -> list[int]:
        """The chunks among these that have a term, without reading all that have it."""
        query = "SELECT rowid FROM keyword WHERE keyword MATCH ? AND rowid = ?"
        return [chunk for chunk in chunks if self.db.execute(query, (quoted(term), chunk)).fetchone()]

    def _read_frequencies(self, terms: list[str]) -> dict[str, int]:
        counts = dict.fromkeys(terms, 0)
        for term in counts:
            row = self.db.execute("SELECT doc FROM vocabulary WHERE term = ?", (escaped(term),)).fetchone()
            counts[term] = row[0] if row else 0
        return counts

    def _read_vocabulary(self, beginning: str) -> dict[str, int]:
        query = "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?"
        return {unescaped(term): count for term, count in self.db.execute(query, (beginning, past(beginning)))}

    def _read_spread(self, terms: list[str]) -> dict[str, NDArray[np.int64]]:
        folders = self.folders()
        postings = self._postings(terms, DEFAULT_WEIGHTS)
        return {term: folders.counted(posting.documents) for term, posting in zip(terms, postings, strict=True)}

    def _postings(self, terms: Sequence[str], weights: Weights) -> list[Posting]:
        keys = [(term, weights) for term in terms]
        postings = self._caches.postings.get_many(
            self._generation, keys, lambda missing: {key: self._read_posting(*key) for key in missing}
        )
        return [postings[key] for key in keys]

    def _read_posting(self, term: str, weights: Weights) -> Posting:
        rows = self.db.execute(
            "SELECT rowid, max(-bm25(keyword, ?, ?, ?, ?, ?), 0) FROM keyword WHERE keyword MATCH ?",
            (*weights, quoted(term)),
        )
        pairs = np.fromiter(rows, np.dtype([("chunk", np.int64), ("score", np.float64)]))
        chunks, scores, owners = pairs["chunk"].copy(), pairs["score"].copy(), self._all_owners()
        if len(chunks) and not (chunks.min() > 0 and chunks.max() < len(owners.places)):
            raise ValueError("the keyword index has chunks that do not exist")
        if not np.isfinite(scores).all():
            raise ValueError("the keyword index contains NaN")
        spread = slice(None) if tells_of_document(term) else slice(0)
        return Posting(chunks, scores, *_of_documents(chunks[spread], scores[spread], owners))


def _of_documents(
    chunks: NDArray[np.int64], scores: NDArray[np.float64], owners: AllOwners
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The documents that have a term, and what it adds to the score of their chunks, from what it adds to the score of
    those that have it themselves."""
    total, own = int(owners.counts.sum()), len(chunks)
    rarity = max(math.log((total - own + 0.5) / (own + 0.5)), MIN_RARITY)
    of_most = scores / (rarity * (SATURATION + 1))
    # How often each chunk has it, for its length: FTS5 says only what comes of that.
    often = SATURATION * of_most / (1 - of_most)
    counts = np.bincount(owners.places[chunks], often, len(owners.counts))
    documents = np.flatnonzero(counts)
    sizes = owners.counts[documents] / owners.counts.mean() if total else owners.counts[documents]
    often = counts[documents] / (1 - BY_CHUNKS + BY_CHUNKS * sizes)
    most = IN_DOCUMENT * rarity * (DOCUMENT_SATURATION + 1)
    return documents, most * often / (often + DOCUMENT_SATURATION)


def _best(
    postings: Sequence[Posting], limit: int, allowed: NDArray[np.int64] | None, owners: AllOwners
) -> list[KeywordHit]:
    """The chunks with the highest sums, of equals the chunk with the lower id. With None, all chunks are allowed."""
    chunks = np.concatenate([posting.chunks for posting in postings])
    if not len(chunks):
        return []
    sums = np.bincount(chunks, np.concatenate([posting.scores for posting in postings]))
    has_any = _mask(chunks, len(sums))
    if allowed is not None:
        has_any &= _mask(allowed[allowed < len(sums)], len(sums))
    candidates = np.flatnonzero(has_any)
    documents = np.concatenate([posting.documents for posting in postings])
    of_documents = np.bincount(
        documents, np.concatenate([posting.document_scores for posting in postings]), len(owners.counts)
    )
    scores = sums[candidates]
    scores += of_documents[owners.places[candidates]]
    if len(candidates) > limit:
        # The best ones in any order first, which is linear; only these are sorted.
        cut = len(candidates) - limit
        best = scores >= np.partition(scores, cut)[cut]
        candidates, scores = candidates[best], scores[best]
    order = np.lexsort((candidates, -scores))[:limit]
    return list(map(KeywordHit, candidates[order].tolist(), scores[order].tolist()))


def _mask(ids: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=bool)
    mask[ids] = True
    return mask

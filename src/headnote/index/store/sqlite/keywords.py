"""Reading the keyword index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from headnote.index.store.filters import Filter
from headnote.index.store.rows import DEFAULT_WEIGHTS, KeywordHit, Weights
from headnote.index.store.sqlite.filtering import passing_chunks
from headnote.index.store.values import sealed

if TYPE_CHECKING:
    import apsw

MOST_TERMS = 64
"""A query that has more is a pasted text; its rarest terms say what it is about."""


class ReadsKeywords:
    """The part of a reader that knows keywords."""

    db: apsw.Connection

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
        condition, bindings = ("", []) if only.passes_all else passing_chunks(only)
        # The plus keeps SQLite from looking up one chunk after the other instead of reading the lists of the terms.
        restriction = f"AND +rowid IN ({condition})" if condition else ""
        rows = self.db.execute(
            f"""SELECT rowid, -bm25(keyword, ?, ?, ?, ?, ?) AS score FROM keyword
            WHERE keyword MATCH ? {restriction} ORDER BY score DESC, rowid LIMIT ?""",
            (*weights, " OR ".join(map(quoted, wanted)), *bindings, limit),
        )
        return [KeywordHit(chunk, max(score, 0.0)) for chunk, score in rows]

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        counts = dict.fromkeys(terms, 0)
        for term in counts:
            row = self.db.execute("SELECT doc FROM vocabulary WHERE term = ?", (sealed(term),)).fetchone()
            counts[term] = row[0] if row else 0
        return counts

    def _worth_asking(self, terms: Sequence[str]) -> list[str]:
        distinct = list(dict.fromkeys(filter(None, terms)))
        if len(distinct) <= MOST_TERMS:
            return distinct
        counts = self.term_frequencies(distinct)
        return sorted((term for term in distinct if counts[term]), key=lambda term: counts[term])[:MOST_TERMS]


def quoted(term: str) -> str:
    """A string of the query language: nothing in it has a meaning."""
    return '"' + sealed(term).replace('"', '""') + '"'

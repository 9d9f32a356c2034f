"""Reading the keyword index: BM25 over weighted fields, with the same terms and the same scores as in SQLite.

PostgreSQL's own text search cuts words in another way, knows four weights where we have five fields, and its ranking
does not know how rare a word is. So the words of a chunk come ready-made, an inverted index (GIN) finds the chunks that
have any of them, and for these the score is worked out from how often each word is in each field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headnote.index.store.filters import Filter
from headnote.index.store.postgres.asking import only_row, rows
from headnote.index.store.postgres.filtering import Filters
from headnote.index.store.postgres.remembered import Lengths
from headnote.index.store.rows import DEFAULT_WEIGHTS, KeywordHit, Weights
from headnote.index.store.values import sealed

MOST_TERMS = 64
"""A query that has more is a pasted text; its rarest terms say what it is about."""
SATURATION = 1.2
BY_LENGTH = 0.75
"""As FTS5 has them."""

_FREQUENCIES = """
SELECT w.place, (SELECT count(*) FROM terms t WHERE t.words @> ARRAY[w.word]) FROM unnest(%s::text[])
WITH ORDINALITY w (word, place)
"""


class ReadsKeywords(Filters):
    """The part of a reader that knows keywords."""

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
        words = list(map(sealed, wanted))
        lengths = self.remembered.value(self.generation(), "lengths", self._lengths)
        condition, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        query = _scoring(len(words), f"WHERE chunk IN ({condition})" if condition else "")
        numbers = {
            **{f"w{place}": float(weight) for place, weight in enumerate(weights)},
            **{f"t{place}": word for place, word in enumerate(words)},
            **{f"b{place}": value for place, value in enumerate(bindings)},
            "words": words,
            "chunks": float(lengths.chunks),
            "average": max(lengths.average, 1.0),
            "limit": limit,
        }
        found = rows(self.db, _named(query, len(bindings)), numbers)
        if found:
            counted = dict(zip(wanted, map(int, found[0][2:]), strict=True))
            self.remembered.add_frequencies(self.generation(), counted)
        return [KeywordHit(row[0], max(row[1], 0.0)) for row in found]

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        counts = dict.fromkeys(terms, 0)
        known = self.remembered.frequencies(self.generation())
        missing = [term for term in counts if term not in known]
        if missing:
            found = {
                missing[place - 1]: number
                for place, number in rows(self.db, _FREQUENCIES, (list(map(sealed, missing)),))
            }
            self.remembered.add_frequencies(self.generation(), found)
            known |= found
        return {term: known[term] for term in counts}

    def _lengths(self) -> Lengths:
        chunks, average = only_row(self.db, "SELECT count(*), coalesce(avg(length), 0) FROM terms")
        return Lengths(chunks, float(average))

    def _worth_asking(self, terms: Sequence[str]) -> list[str]:
        distinct = list(dict.fromkeys(filter(None, terms)))
        if len(distinct) <= MOST_TERMS:
            return distinct
        counts = self.term_frequencies(distinct)
        return sorted((term for term in distinct if counts[term]), key=lambda term: counts[term])[:MOST_TERMS]


def _scoring(number: int, restriction: str) -> str:
    """The query for so many words. What a filter leaves out still counts for how rare a word is."""
    every = range(number)
    places = ", ".join(f"array_position(t.words, %(t{n})s) AS p{n}" for n in every)
    weighted = ", ".join(
        "(" + " + ".join(f"%(w{field})s * t.counts[5 * p{n} - {4 - field}]" for field in range(5)) + f") AS f{n}"
        for n in every
    )
    numbers = ", ".join(f"count(f{n}) AS n{n}" for n in every)
    rarities = ", ".join(
        f"greatest(ln((%(chunks)s - n{n} + 0.5) / (n{n} + 0.5)), 1e-6)::float8 AS i{n}, n{n}" for n in every
    )
    parts = " + ".join(f"coalesce(i{n} * f{n} * {SATURATION + 1} / nullif(f{n} + norm, 0), 0)" for n in every)
    shown = ", ".join(f"n{n}" for n in every)
    # `OFFSET 0` keeps the places from being looked up anew for each field.
    return f"""
    WITH asked AS MATERIALIZED (
        SELECT chunk, {SATURATION} * ({1 - BY_LENGTH} + {BY_LENGTH} * length / %(average)s) AS norm, {weighted}
        FROM terms t CROSS JOIN LATERAL (SELECT {places} OFFSET 0) AS place
        WHERE t.words && %(words)s::text[]
    ), numbers AS (SELECT {numbers} FROM asked), rarities AS (SELECT {rarities} FROM numbers)
    SELECT chunk, ({parts})::float8 AS score, {shown} FROM asked CROSS JOIN rarities {restriction}
    ORDER BY score DESC, chunk LIMIT %(limit)s
    """


def _named(query: str, bindings: int) -> str:
    """The query with names in place of the signs of the condition, since the two do not go together."""
    for number in range(bindings):
        query = query.replace("%s", f"%(b{number})s", 1)
    return query


def word_counts(fields: Sequence[str]) -> Mapping[str, list[int]]:
    """Word → how often it is in each of the fields."""
    found: dict[str, list[int]] = {}
    for place, field in enumerate(fields):
        for word in field.split():
            counts = found.get(word)
            if counts is None:
                counts = found[word] = [0] * len(fields)
            counts[place] += 1
    return found

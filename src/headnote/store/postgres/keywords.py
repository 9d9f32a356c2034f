"""Reading the keyword index: BM25 over weighted fields, with the same terms and the same scores as in SQLite.

PostgreSQL's own text search cuts words in another way, knows four weights where we have five fields, and its ranking
does not know how rare a word is. So the words come ready-made, one row for each word of each chunk, and the server adds
up what they count. To look words up in an array for each chunk, behind a GIN index, takes a third of the room and four
times as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from headnote.store.codec import escaped, unescaped
from headnote.store.filters import Filter
from headnote.store.postgres.filtering import Filters
from headnote.store.postgres.remembered import Lengths
from headnote.store.postgres.sql import only_row, rows
from headnote.store.rows import DEFAULT_WEIGHTS, KeywordHit, Weights

MOST_TERMS = 64
"""A query that has more is a pasted text; its rarest terms say what it is about."""
SATURATION = 1.2
BY_LENGTH = 0.75
"""As FTS5 has them."""

_FREQUENCIES = "SELECT word, count(*) FROM postings WHERE word = ANY(%s) GROUP BY word"

# Rounded, so that equal texts are equal in whatever order their words were added up.
_SCORES = """
SELECT chunk, round(sum(
    (%(rarities)s::float8[])[array_position(%(words)s::text[], word)] * found / (found + norm)
) * {factor} * 1e9) / 1e9 AS score
FROM postings CROSS JOIN LATERAL (SELECT
    %(title)s * title + %(headings)s * headings + %(text)s * text + %(aliases)s * aliases + %(tags)s * tags AS found,
    {saturation} * ({rest} + {by_length} * length / %(average)s) AS norm
) AS counted
WHERE word = ANY(%(words)s) {restriction}
GROUP BY chunk ORDER BY score DESC, chunk LIMIT %(limit)s
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
        counts = self.term_frequencies(wanted)
        lengths = self.remembered.value(self.generation(), "lengths", self._lengths)
        condition, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        query = _SCORES.format(
            factor=SATURATION + 1,
            saturation=SATURATION,
            rest=1 - BY_LENGTH,
            by_length=BY_LENGTH,
            restriction=f"AND chunk IN ({_named(condition, len(bindings))})" if condition else "",
        )
        found = rows(
            self.db,
            query,
            {
                **{name: float(weight) for name, weight in weights._asdict().items()},
                **{f"b{place}": value for place, value in enumerate(bindings)},
                "words": list(map(escaped, wanted)),
                "rarities": [_rarity(counts[term], lengths.chunks) for term in wanted],
                "average": max(lengths.average, 1.0),
                "limit": limit,
            },
        )
        return [KeywordHit(chunk, max(score, 0.0)) for chunk, score in found]

    def term_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        counts = dict.fromkeys(terms, 0)
        known = self.remembered.frequencies(self.generation())
        missing = [term for term in counts if term not in known]
        if missing:
            found = dict.fromkeys(missing, 0)
            for word, number in rows(self.db, _FREQUENCIES, (list(map(escaped, missing)),)):
                found[unescaped(word)] = number
            self.remembered.add_frequencies(self.generation(), found)
            known |= found
        return {term: known[term] for term in counts}

    def _lengths(self) -> Lengths:
        chunks, average = only_row(self.db, "SELECT count(*), coalesce(avg(length), 0) FROM lengths")
        return Lengths(chunks, float(average))

    def _worth_asking(self, terms: Sequence[str]) -> list[str]:
        distinct = list(dict.fromkeys(filter(None, terms)))
        if len(distinct) <= MOST_TERMS:
            return distinct
        counts = self.term_frequencies(distinct)
        return sorted((term for term in distinct if counts[term]), key=lambda term: counts[term])[:MOST_TERMS]


def _rarity(chunks: int, total: int) -> float:
    """What a word counts that is in so many of all chunks."""
    return max(math.log((total - chunks + 0.5) / (chunks + 0.5)), 1e-6)


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

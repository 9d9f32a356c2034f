"""The keyword index: BM25 over weighted fields, with the same terms and the same scores as in SQLite.

PostgreSQL's own text search cuts words in another way, knows four weights where we have five fields, and its ranking
does not know how rare a word is. So the words come ready-made, one row for each word of each chunk, and the server adds
up what they count. An array of words for each chunk behind a GIN index takes a third of the space and four
times as long.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, groupby
from typing import TYPE_CHECKING, Any

from headnote.extras import np
from headnote.store.caching import ALL
from headnote.store.codec import escaped, unescaped
from headnote.store.filters import Filter
from headnote.store.postgres.documents import Lengths, PostgresDocuments
from headnote.store.postgres.sql import PostgresUpdate
from headnote.store.rows import (
    BY_CHUNKS,
    BY_LENGTH,
    DEFAULT_WEIGHTS,
    DOCUMENT_SATURATION,
    FULL_WEIGHTS,
    IN_DOCUMENT,
    SATURATION,
    KeywordFields,
    KeywordHit,
    Weights,
)
from headnote.store.sharing import rows
from headnote.words.terms import rarest_terms, tells_of_document
from headnote.words.vocabulary import past

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -- The words of chunks as rows of the table of postings, ready for the server.
#
# There are some sixty rows for each chunk, so they are made as arrays, and in the binary format of COPY.


COLUMNS = ("chunk", "length", *KeywordFields._fields, "word")
_TYPES = (">i8", ">i4", *[">i2"] * len(KeywordFields._fields))
"""Types of all columns but the last one."""
MAX_SMALLINT = 32_767
"""What a smallint holds. A word that occurs more often in one chunk counts no more."""


class Postings:
    """How often each word is in each field of each chunk."""

    def __init__(self, chunks: Sequence[int], fields: Sequence[KeywordFields]) -> None:
        width = len(KeywordFields._fields)
        texts = [field.split() for own in fields for field in own]
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        words = np.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), np.int64, sizes.sum())
        self._words, places = _in_order(numbers)
        chunk, field = np.divmod(np.repeat(np.arange(len(texts)), sizes), width)
        pairs, at = np.unique(places[words] * len(chunks) + chunk, return_inverse=True)
        counts = np.bincount(at * width + field, minlength=len(pairs) * width).reshape(-1, width)
        self._word, own = np.divmod(pairs, len(chunks))
        self.lengths: NDArray[np.int64] = sizes.reshape(-1, width).sum(axis=1)
        """Of each chunk, in words."""
        self._columns = [np.array(chunks, np.int64)[own], self.lengths[own], *np.minimum(counts, MAX_SMALLINT).T]

    def __len__(self) -> int:
        return len(self._word)

    def records(self) -> Iterator[bytes]:
        """The rows as the server reads them, those of a word together: a search then reads few pages."""
        first = 0
        for length, group in groupby(self._words, len):
            words = np.array(list(group), f"S{length}")
            start, end = np.searchsorted(self._word, [first, first + len(words)])
            own = words[self._word[start:end] - first]
            yield _record(length, [*(column[start:end] for column in self._columns), own])
            first += len(words)


def _record(length: int, columns: Sequence[NDArray[Any]]) -> bytes:
    """Rows whose words have this length: the number of columns, and each behind its size."""
    types = [np.dtype(kind) for kind in (*_TYPES, f"S{length}")]
    pairs = [(f"{place}{part}", kind) for place, own in enumerate(types) for part, kind in (("size", ">i4"), ("", own))]
    rows = np.empty(len(columns[0]), np.dtype([("columns", ">i2"), *pairs]))
    rows["columns"] = len(types)
    for place, (kind, column) in enumerate(zip(types, columns, strict=True)):
        rows[f"{place}size"] = kind.itemsize
        rows[f"{place}"] = column
    data: bytes = rows.tobytes()
    return data


def _in_order(words: Iterable[str]) -> tuple[list[bytes], NDArray[np.int64]]:
    """The words as they are stored, and the place of each among them. The shortest come first: rows of words of equal
    length are of equal length themselves."""
    numbers = {escaped(word).encode(): number for number, word in enumerate(words)}
    stored = sorted(sorted(numbers), key=len)
    places = np.empty(len(stored), np.int64)
    places[[numbers[word] for word in stored]] = np.arange(len(stored))
    return stored, places


# -- The keyword index


_HAVING = "SELECT DISTINCT chunk FROM postings WHERE word = ANY(%s) ORDER BY chunk"
_AMONG = "SELECT chunk, word FROM postings WHERE word = ANY(%s) AND chunk = ANY(%s)"
_FREQUENCIES = "SELECT word, count(*) FROM postings WHERE word = ANY(%s) GROUP BY word"
_SPREAD = """
SELECT word, coalesce(substring(path from '^(.*/)'), '') AS folder, count(*)
FROM (SELECT DISTINCT word, document FROM postings JOIN chunks ON id = chunk WHERE word = ANY(%s)) w
JOIN documents d ON d.id = document GROUP BY word, folder
"""
_VOCABULARY = "SELECT word, count(*) FROM postings WHERE word >= %s AND word < %s GROUP BY word"

# How often each chunk has each word, for its length; what that is worth in the chunk, and in its document, where an
# operator says nothing. Rounded, so that equal texts are equal in whatever order their words were added up.
_SCORES = f"""
WITH counted AS (
    SELECT chunk, document, word, (%(rarities)s::float8[])[array_position(%(words)s::text[], word)] AS rarity,
        (%(title)s * title + %(headings)s * p.headings + %(text)s * text + %(aliases)s * aliases + %(tags)s * p.tags)
        / ({1 - BY_LENGTH} + {BY_LENGTH} * length / %(average)s) AS often
    FROM postings p JOIN chunks c ON c.id = chunk WHERE word = ANY(%(words)s)
), sizes AS (
    SELECT document, {1 - BY_CHUNKS} + {BY_CHUNKS} * count(*) / %(average_chunks)s AS size FROM chunks GROUP BY document
), of_words AS (
    SELECT document, CASE WHEN word = ANY(%(of_chunks)s) THEN 0 ELSE rarity END AS rarity, sum(often) / size AS often
    FROM counted JOIN sizes USING (document) GROUP BY document, word, rarity, size
), of_documents AS (
    SELECT document, {IN_DOCUMENT * (DOCUMENT_SATURATION + 1)}
        * sum(rarity * often / (often + {DOCUMENT_SATURATION})) AS score
    FROM of_words GROUP BY document
)
SELECT chunk, round((
    {SATURATION + 1} * sum(rarity * often / (often + {SATURATION})) + of_documents.score
)::float8 * 1e9) / 1e9 AS score
FROM counted JOIN of_documents USING (document) WHERE true {{restriction}}
GROUP BY chunk, of_documents.score ORDER BY score DESC, chunk LIMIT %(limit)s
"""


class PostgresKeywords(PostgresDocuments):
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
        counts = self.term_frequencies(distinct)
        lengths = self._caches.lengths.get(self._generation, ALL, self._lengths)
        condition, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        query = _SCORES.format(restriction=f"AND chunk IN ({_named(condition)})" if condition else "")
        hits = rows(
            self.db,
            query,
            {
                **{name: float(weight) for name, weight in weights._asdict().items()},
                **{f"b{place}": value for place, value in enumerate(bindings)},
                "words": list(map(escaped, distinct)),
                "of_chunks": [escaped(term) for term in distinct if not tells_of_document(term)],
                "rarities": [shares.get(term, 1.0) * _rarity(counts[term], lengths.chunks) for term in distinct],
                "average": max(lengths.average, 1.0),
                "average_chunks": max(lengths.chunks_of_document, 1.0),
                "limit": limit,
            },
        )
        return [KeywordHit(chunk, max(score, 0.0)) for chunk, score in hits]

    def having(self, terms: Sequence[str]) -> NDArray[np.int64]:
        distinct = rarest_terms(terms, self.term_frequencies)
        ids = rows(self.db, _HAVING, (list(map(escaped, distinct)),)) if distinct else []
        return np.fromiter((chunk for (chunk,) in ids), np.int64)

    def terms_in(self, chunks: Sequence[int], terms: Sequence[str]) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {chunk: set() for chunk in chunks}
        words = [escaped(term) for term in terms if term]
        for chunk, word in rows(self.db, _AMONG, (words, list(chunks))) if words and chunks else ():
            found[chunk].add(unescaped(word))
        return found

    def _read_frequencies(self, terms: list[str]) -> dict[str, int]:
        counts = dict.fromkeys(terms, 0)
        for word, chunks in rows(self.db, _FREQUENCIES, (list(map(escaped, terms)),)):
            counts[unescaped(word)] = chunks
        return counts

    def _read_spread(self, terms: list[str]) -> dict[str, NDArray[np.int64]]:
        folders = self.folders()
        places = {name: place for place, name in enumerate(folders.names)}
        own = {term: np.zeros(len(places), np.int64) for term in terms}
        words = [escaped(term) for term in terms if tells_of_document(term)]
        for word, folder, documents in rows(self.db, _SPREAD, (words,)) if words else ():
            own[unescaped(word)][places[unescaped(folder)]] = documents
        return {term: folders.summed(counts) for term, counts in own.items()}

    def _read_vocabulary(self, beginning: str) -> dict[str, int]:
        return {unescaped(word): count for word, count in rows(self.db, _VOCABULARY, (beginning, past(beginning)))}

    def _lengths(self) -> Lengths:
        query = """SELECT (SELECT count(*) FROM lengths), (SELECT coalesce(avg(length), 0) FROM lengths),
        count(*) / greatest(count(DISTINCT document), 1)::float8 FROM chunks"""
        chunks, average, of_document = self._only_row(query)
        return Lengths(chunks, float(average), float(of_document))


def _rarity(chunks: int, total: int) -> float:
    """The weight of a word that this many of all chunks contain."""
    return max(math.log((total - chunks + 0.5) / (chunks + 0.5)), 1e-6)


def _named(query: str) -> str:
    """The query with named placeholders: the driver does not mix them with unnamed ones."""
    first, *rest = query.split("%s")
    return first + "".join(f"%(b{number})s{text}" for number, text in enumerate(rest))


def word_counts(fields: Sequence[str]) -> Mapping[str, list[int]]:
    """Word → how often it occurs in each of the fields."""
    words: dict[str, list[int]] = {}
    for place, field in enumerate(fields):
        for word in field.split():
            counts = words.get(word)
            if counts is None:
                counts = words[word] = [0] * len(fields)
            counts[place] += 1
    return words


def insert_keywords(update: PostgresUpdate, keywords: Iterable[tuple[int, Sequence[str]]]) -> None:
    """(chunk, its fields)."""
    pairs = list(keywords)
    if not pairs:
        return
    chunks, fields = zip(*pairs, strict=True)
    postings = Postings(chunks, fields)
    update.copy_records(f"postings ({', '.join(COLUMNS)})", postings.records(), len(postings))
    update.insert("lengths", zip(chunks, postings.lengths.tolist(), strict=True))

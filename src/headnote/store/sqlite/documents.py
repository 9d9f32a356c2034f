"""What SQLite says in its own words about documents, chunks and links.

What is shown is compared with the checksum of its row when it is read: SQLite notices a damaged page only where its
structure breaks, and a bit that turned over in a text is another text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.extras import np
from headnote.store.caching import ALL, Cache, Caches
from headnote.store.codec import CHUNK_COLUMNS, inflated, packed_strings, text_bytes, text_of, unescaped
from headnote.store.filters import Filter
from headnote.store.integrity import Damaged
from headnote.store.readers import DOCUMENT_COLUMNS, LINK_COLUMNS, DocumentReader
from headnote.store.rows import Owners, Row, Weights
from headnote.store.selecting import Condition
from headnote.store.sharing import generation_of
from headnote.store.sqlite.connections import quoted, size_of
from headnote.store.sqlite.matrix import Matrix, Patched, VectorFiles
from headnote.words.terms import LANGUAGE_MARKS, languages_marked

if TYPE_CHECKING:
    import apsw
    from numpy.typing import NDArray


_BETWEEN = "\x1f"

CHECKED_DOCUMENT = f"{DOCUMENT_COLUMNS}, d.checksum"
CHECKED_CHUNK = f"{CHUNK_COLUMNS}, c.checksum"
CHECKED_LINK = f"{LINK_COLUMNS}, l.checksum"
"""The columns that the checksum of a row is made of, and the checksum itself."""


def checksum_of(values: Iterable[str | int | bytes | None]) -> int:
    """The checksum of the columns of a row, in their order."""
    plain = [value.hex() if type(value) is bytes else str(value) for value in values]
    return zlib.crc32(_BETWEEN.join(plain).encode())


def with_checksum(row: Row) -> Row:
    return *row, checksum_of(row)


def document_checksum(number: int, row: Row) -> int:
    """The checksum of a row as `codec.document_row` makes it."""
    path, _, _, digest, title, metadata, tags, aliases, warning, mdx, comments, *_ = row
    return checksum_of((number, path, digest, title, metadata, tags, aliases, warning, mdx, comments))


def chunk_row(number: int, document: int, row: Row) -> Row:
    """A chunk, from a row as `codec.chunk_row` makes it."""
    whole = (number, document, *row)
    return *whole, checksum_of(whole[:-1])


def text_row(document: int, text: str) -> Row:
    data = text_bytes(text)
    return document, data, _text_checksum(document, data)


def _text_checksum(document: int, data: bytes) -> int:
    """The checksum of a text before it is compressed."""
    return zlib.crc32(data, document & 0xFFFFFFFF)


def sound(what: str, row: Sequence[Any]) -> Sequence[Any]:
    """The columns of a row whose last column is its checksum. Raises if they are not what was stored."""
    *columns, checksum = row
    if checksum is not None and checksum != checksum_of(columns):
        raise Damaged(f"{what} is not what was stored")
    return columns


def sound_text(document: int, stored: bytes, checksum: int | None) -> str:
    """The text of a document, from the columns of its row."""
    data = inflated(stored)
    if checksum is not None and checksum != _text_checksum(document, data):
        raise Damaged("the text of a document is not what was stored")
    return text_of(data)


# -- What SQLite says in its own words about documents, chunks and links.


class Posting(NamedTuple):
    """The chunks that have a term, and what it adds to the score of each."""

    chunks: NDArray[np.int64]
    """Sorted."""
    scores: NDArray[np.float64]
    documents: NDArray[np.int64]
    """Places of the documents that have it, sorted."""
    document_scores: NDArray[np.float64]
    """What it adds to the score of each chunk of them."""

    @property
    def bytes(self) -> int:
        return sum(column.nbytes for column in self)

    def among(self, chunks: Sequence[int]) -> list[int]:
        """Those of the chunks that have the term."""
        if not len(self.chunks):
            return []
        places = self.chunks.searchsorted(chunks).clip(max=len(self.chunks) - 1)
        return [chunk for chunk, found in zip(chunks, self.chunks[places].tolist(), strict=True) if chunk == found]

    def times(self, share: float) -> Posting:
        """The posting of a term that counts only this share."""
        if share == 1.0:
            return self
        return self._replace(scores=self.scores * share, document_scores=self.document_scores * share)


class AllOwners(NamedTuple):
    """The document of each chunk of an index."""

    places: NDArray[np.int64]
    """Id of a chunk → the place of its document; -1 where there is no such chunk."""
    counts: NDArray[np.int64]
    """Place of a document → how many chunks it has."""


class SqliteCaches(Caches):
    """The caches of the readers of one file."""

    def __init__(self, *, enabled: bool = True, vector_files: VectorFiles | None = None) -> None:
        super().__init__(enabled=enabled)
        self.vector_files = vector_files
        """Where readers of a file find vectors in memory that they share with other processes."""
        self.matrices: Cache[str, Matrix | Patched] = self.of_number(2)
        """Model → all its vectors, of the two models that were searched last: an index has an instant and a deep one.
        The generation is that of the model."""
        self.postings: Cache[tuple[str, Weights], Posting] = self.of_size(lambda posting: posting.bytes)
        self.owners: Cache[str, AllOwners] = self.of_number(1)
        self.slots: Cache[tuple[str, Filter], NDArray[np.int64]] = self.of_size(lambda slots: slots.nbytes)
        """(model, filter) → the slots of their vectors."""
        self.chunks_of_slots: Cache[tuple[int, int], list[int]] = self.of_size(lambda chunks: 40 * len(chunks))
        """(model, slot) → the chunks whose vector it is, sorted."""


class SqliteDocuments(DocumentReader):
    """Rows have checksums, texts have a table, and JSON stands for the arrays that SQLite does not have."""

    IDS = "json_each(?) w"
    JOIN = "CROSS JOIN"
    """In SQLite, this fixes the order."""
    TEXT = "t.text, t.checksum"
    WITH_TEXT = "CROSS JOIN texts t ON t.document = d.id"
    DOCUMENT, CHUNK, LINK = CHECKED_DOCUMENT, CHECKED_CHUNK, CHECKED_LINK
    _caches: SqliteCaches

    def __init__(self, db: apsw.Connection, caches: SqliteCaches, max_text: int | None = None) -> None:
        self.db = db
        self.max_text = max_text
        super().__init__(caches, generation_of(db))  # the view begins with this first read

    def select(self, query: str, bindings: Sequence[Any] = ()) -> Iterable[tuple[Any, ...]]:
        return self.db.execute(query, bindings)

    def array(self, numbers: Iterable[int]) -> str:
        return json.dumps(list(map(int, numbers)))

    def among(self, column: str, numbers: Collection[int]) -> Condition:
        return f"{column} IN (SELECT value FROM json_each(?))", [self.array(numbers)]

    def among_texts(self, column: str, texts: Collection[str]) -> Condition:
        return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(list(texts))]

    def fitting(self, globs: tuple[str, ...]) -> Condition:
        """`path_fits` is a function of ours."""
        return "path_fits(?, path)", [packed_strings(globs)]

    def owners(self, ids: Sequence[int]) -> Owners:
        everything = self._all_owners()
        places = everything.places[np.asarray(ids, np.int64)]
        return Owners(places, everything.counts[places])

    def _all_owners(self) -> AllOwners:
        return self._caches.owners.get(self._generation, ALL, self._read_owners)

    def _read_owners(self) -> AllOwners:
        # The chunks of a document are written together, so their ids are consecutive.
        query = "SELECT min(id), count(*) FROM chunks GROUP BY document ORDER BY document"
        rows = np.array(list(self.select(query)), np.int64).reshape(-1, 2)
        firsts, counts = rows[:, 0], rows[:, 1]
        before = np.cumsum(counts) - counts
        ids = np.repeat(firsts - before, counts) + np.arange(counts.sum())
        places = np.full(int(ids.max(initial=0)) + 1, -1, np.int64)
        places[ids] = np.repeat(np.arange(len(counts)), counts)
        return AllOwners(places, counts)

    def with_terms(self, terms: Sequence[str]) -> Condition:
        match = " OR ".join(map(quoted, terms))
        return "id IN (SELECT rowid FROM keyword WHERE keyword MATCH ?)", [match]

    def languages(self) -> list[str]:
        query = "SELECT term FROM vocabulary WHERE term >= ? AND term < ?"
        return languages_marked(unescaped(term) for (term,) in self.db.execute(query, LANGUAGE_MARKS))

    def sound(self, what: str, row: Sequence[Any]) -> Sequence[Any]:
        return sound(what, row)

    def text_of(self, document: int, text: Any, checksum: int | None) -> str:
        return sound_text(document, text, checksum)

    def check_documents(self) -> None:
        """Once for each generation."""
        self._caches.numbers.get(
            self._generation, ("sound documents", ""), lambda: sum(1 for _ in self.sound_documents())
        )

    def bytes_on_disk(self) -> int:
        file = Path(self.db.filename)
        return sum(map(size_of, file.parent.glob(f"{file.name}*")))

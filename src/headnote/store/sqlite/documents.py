"""What SQLite says in its own words about documents, chunks and links."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.store.caching import Cache, Caches
from headnote.store.codec import packed_strings, unescaped
from headnote.store.document_reader import DocumentReader
from headnote.store.filters import Filter
from headnote.store.rows import Weights
from headnote.store.selecting import Condition
from headnote.store.sqlite.checksums import CHECKED_CHUNK, CHECKED_DOCUMENT, CHECKED_LINK, sound, sound_text
from headnote.store.sqlite.connections import size_of
from headnote.store.sqlite.matrix import Matrix, Patched, VectorFiles
from headnote.store.sqlite.sql import generation_of, quoted
from headnote.words.terms import LANGUAGE_MARKS, languages_marked

if TYPE_CHECKING:
    import apsw
    import numpy as np
    from numpy.typing import NDArray


class Posting(NamedTuple):
    """The chunks that have a term, and what it adds to the score of each."""

    chunks: NDArray[np.int64]
    """Sorted."""
    scores: NDArray[np.float64]

    @property
    def bytes(self) -> int:
        return self.chunks.nbytes + self.scores.nbytes

    def among(self, chunks: Sequence[int]) -> list[int]:
        """Those of the chunks that have the term."""
        if not len(self.chunks):
            return []
        places = self.chunks.searchsorted(chunks).clip(max=len(self.chunks) - 1)
        return [chunk for chunk, found in zip(chunks, self.chunks[places].tolist(), strict=True) if chunk == found]

    def times(self, share: float) -> Posting:
        """What a share of the term adds."""
        return self if share == 1.0 else Posting(self.chunks, self.scores * share)


class SqliteCaches(Caches):
    """Of the readers of one file."""

    def __init__(self, *, enabled: bool = True, vector_files: VectorFiles | None = None) -> None:
        super().__init__(enabled=enabled)
        self.vector_files = vector_files
        """Where readers of a file find vectors in memory that they share with other processes."""
        self.matrices: Cache[str, Matrix | Patched] = self.of_number(2)
        """Model → all its vectors, of the two models that were searched last: an index has an instant and a deep one.
        The generation is that of the model."""
        self.postings: Cache[tuple[str, Weights], Posting] = self.of_size(lambda posting: posting.bytes)
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

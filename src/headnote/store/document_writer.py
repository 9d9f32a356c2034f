"""Changing the index, inside the transactions of an update: the half that both databases say in the same words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from headnote.model import file_name
from headnote.store.codec import columns_of, escaped, link_row, names, non_text_row
from headnote.store.integrity import decoding
from headnote.store.interface import DOCUMENT_BATCH
from headnote.store.keyword_fields import keyword_fields_of
from headnote.store.quantized import name_rows, vector_rows
from headnote.store.readers import DocumentReader
from headnote.store.rows import Columns, DateOrigin, DocumentEntry, KeywordFields, LinkRow, NonText, PackedVectors, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Update(ABC):
    """The transactions of a writer, one after the other. It goes on after a step that failed, and knows whether
    anything has changed."""

    concurrent = False
    """Whether others may be writing at the same time."""

    @abstractmethod
    def begin(self) -> None: ...

    @abstractmethod
    def step(self) -> AbstractContextManager[None]:
        """Run the block as a whole or not at all."""

    @abstractmethod
    def change(self, query: str, bindings: Sequence[Any] = ()) -> int:
        """Runs a statement with `?` for each binding; how many rows it has changed."""

    @abstractmethod
    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Inserts many rows at once."""


class DocumentWriter(DocumentReader):
    """One update. After an error that leaves it, nothing of it is stored but what was committed."""

    LINKS: ClassVar[str]
    """The table of links and the columns of `link_rows`."""
    update: Update

    # -- what each database says in its own words

    @abstractmethod
    def finish(self) -> None:
        """Ends the update."""

    @abstractmethod
    def _end(self) -> None:
        """Ends the transaction. One that changed nothing leaves the generation as it was."""

    @abstractmethod
    def _put(self, batch: list[Columns]) -> None:
        """Replaces documents of different paths."""

    @abstractmethod
    def _delete(self, paths: Collection[str]) -> None: ...

    @abstractmethod
    def _set_path(self, old: str, new: str) -> None: ...

    @abstractmethod
    def _lose_links_to(self, paths: Iterable[str]) -> None: ...

    @abstractmethod
    def _insert_keywords(self, chunks: Sequence[int], keywords: Sequence[KeywordFields]) -> None: ...

    @abstractmethod
    def _delete_keywords(self, chunks: Sequence[int] | None = None) -> None:
        """Delete the keywords of these chunks; of all chunks with None."""

    @abstractmethod
    def add_packed(self, vectors: Iterable[PackedVectors]) -> None: ...

    def _lock_paths(self, paths: Iterable[str]) -> None:
        """Where others write too, each document belongs to one writer until it is done."""

    def _link_row(self, row: Row) -> Row:
        """A link as the table has it, from the number of its document and the rest."""
        return row

    # -- the same for both

    def commit(self) -> None:
        self._end()
        self.update.begin()
        self._generation = self._read_generation()

    @decoding
    def _read_generation(self) -> int:
        return int(self._only_value("SELECT generation FROM state"))

    def put(self, entries: Iterable[DocumentEntry | Columns]) -> None:
        source = map(columns_of, entries)
        vectors: list[PackedVectors] = []
        with self.update.step():
            while batch := list(islice(source, DOCUMENT_BATCH)):
                # Of several entries with one path, the last one counts.
                batch = list({own.path: own for own in batch}.values())
                self._lock_paths(own.path for own in batch)
                self._put(batch)
                vectors += (own.vectors for own in batch if own.vectors)
                # Writers who write together take all hashes in one order, so they take them all at once.
                if not self.update.concurrent:
                    self.add_packed(vectors)
                    vectors = []
            self.add_packed(vectors)

    def remove(self, paths: Iterable[str]) -> None:
        removed = list(paths)
        with self.update.step():
            self._lock_paths(removed)
            self._lose_links_to(removed)
            self._delete(removed)

    def rename(self, old: str, new: str) -> None:
        if old == new:
            return
        with self.update.step():
            self._lock_paths([old, new])
            self.remove([new])
            self._lose_links_to([old])
            self._set_path(old, new)
            if file_name(old) != file_name(new):
                self._renew_names(new)

    def _renew_names(self, path: str) -> None:
        """After the file name has changed, which is one of the names a document is found by."""
        chunks = self.chunks_of(path)
        ids = [chunk.id for chunk in chunks]
        self._delete_keywords(ids)
        self._insert_keywords(ids, keyword_fields_of(chunks))
        for number in self._numbers_of([path]).values():
            self.update.change("DELETE FROM names WHERE document = ?", (number,))
            found = names(chunks[0].document, (chunk.row for chunk in chunks)) if chunks else []
            self.update.insert("names", ((number, *name) for name in found))

    def touch(self, path: str, size: int, mtime_ns: int) -> None:
        with self.update.step():
            query = "UPDATE documents SET size = ?, mtime_ns = ? WHERE path = ?"
            self.update.change(query, (size, mtime_ns, escaped(path)))

    def set_committed(self, times: Mapping[str, int | None]) -> None:
        known = dict(self.select("SELECT path, git_ns FROM documents"))
        paths = {escaped(path): time_ns for path, time_ns in times.items()}
        self._set_dates("git_ns", {path: one for path, one in paths.items() if path in known and known[path] != one})

    def set_name_date(self, path: str, time_ns: int | None) -> None:
        self._set_dates("name_ns", {escaped(path): time_ns})

    def _set_dates(self, column: str, times: Mapping[str, int | None]) -> None:
        with self.update.step():
            for path, time_ns in times.items():
                self.update.change(f"UPDATE documents SET {column} = ? WHERE path = ?", (time_ns, path))

    def choose_dates(self, order: Sequence[DateOrigin]) -> None:
        columns = [f"{origin}_ns" for origin in order]
        time_ns = f"coalesce({', '.join(columns)}, mtime_ns)"
        known = " ".join(f"WHEN {origin}_ns IS NOT NULL THEN '{origin}'" for origin in order)
        origin = f"CASE {known} ELSE 'mtime' END"
        with self.update.step():
            self.update.change(
                f"""UPDATE documents SET dated_ns = {time_ns}, dated_by = {origin}
                WHERE dated_ns <> {time_ns} OR dated_by <> {origin}"""
            )

    def set_links(self, links: Mapping[str, Iterable[LinkRow]]) -> None:
        with self.update.step():
            numbers = self._numbers_of(links)
            condition, bindings = self.among("document", numbers.values())
            self.update.change(f"DELETE FROM links WHERE {condition}", bindings)
            new = ((number, *link_row(link)) for path, number in numbers.items() for link in links[path])
            self.update.insert(self.LINKS, map(self._link_row, new))

    def _numbers_of(self, paths: Collection[str]) -> dict[str, int]:
        """Path → number, of those among them that are documents, in this order."""
        condition, bindings = self.among_texts("path", list(map(escaped, paths)))
        found = dict(self.select(f"SELECT path, id FROM documents WHERE {condition}", bindings))
        return {path: found[escaped(path)] for path in paths if escaped(path) in found}

    def set_non_texts(self, files: Iterable[NonText]) -> None:
        by_path = {file.path: file for file in files}
        if by_path == self.non_texts():
            return
        with self.update.step():
            self.update.change("DELETE FROM non_texts")
            self.update.insert("non_texts", map(non_text_row, by_path.values()))

    def set_manifest(self, values: Mapping[str, str]) -> None:
        if values == self.manifest():
            return
        with self.update.step():
            self.update.change("DELETE FROM manifest")
            self.update.insert("manifest", ((escaped(key), escaped(value)) for key, value in values.items()))

    def clear(self) -> None:
        with self.update.step():
            self._delete_keywords()
            self.update.change("DELETE FROM documents")
            self.update.change("DELETE FROM non_texts")

    # -- vectors

    @abstractmethod
    def put_vectors(self, model: str, dims: int, vectors: Mapping[bytes, tuple[bytes, bytes]]) -> None:
        """Hash → a vector and its parts, as they are stored."""

    @abstractmethod
    def put_names(self, model: str, dims: int, names: Mapping[bytes, bytes]) -> None:
        """Hash of a name → its vector, as it is stored."""

    def add_vectors(
        self,
        model: str,
        hashes: Sequence[str],
        matrix: NDArray[np.floating],
        parts: Sequence[NDArray[np.floating]] | None = None,
    ) -> None:
        vectors = vector_rows(hashes, matrix, parts)
        if vectors:
            data = {digest: (row.tobytes(), own_parts) for digest, (row, own_parts) in vectors.items()}
            self.put_vectors(model, matrix.shape[1], data)

    def add_names(self, model: str, names: Sequence[str], matrix: NDArray[np.floating]) -> None:
        self.put_names(model, matrix.shape[1], name_rows(names, matrix))

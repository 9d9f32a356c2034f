"""Checks of what the tables say of one document, which every database has alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from headnote.store import table_rows as rows_of
from headnote.store.document_checks import SomeReader
from headnote.store.names import name_hash, names_of
from headnote.store.rows import DocumentRow, StoredChunk
from headnote.store.values import escaped

_NAMES = "SELECT d.name, c.name FROM chunks c JOIN documents d ON d.id = c.document WHERE d.path = ? ORDER BY c.number"


@dataclass(frozen=True, slots=True)
class TableChecks(Generic[SomeReader]):
    """The checks of one database."""

    ask: Callable[[SomeReader, str, Sequence[Any]], list[tuple[Any, ...]]]
    """Rows for a query that has `?` for what is bound."""

    def named(self, reader: SomeReader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
        """Documents that were read before there were names have none, until they are read again."""
        for found, chunk in zip(self.ask(reader, _NAMES, (escaped(document.path),)), chunks, strict=True):
            wanted = tuple(map(name_hash, names_of(document.title, chunk.row.heading_path)))
            if found not in {wanted, (None, None)}:
                return "names that its title and headings do not say"
        return ""

    def filtered(self, reader: SomeReader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
        ((number,),) = self.ask(reader, "SELECT id FROM documents WHERE path = ?", (escaped(document.path),))
        own_tags = rows_of.chunk_tag_rows(document, [(chunk.id, chunk.row) for chunk in chunks])
        expected = {
            "document_tags WHERE document = ?": rows_of.document_tag_rows(number, document),
            "fields WHERE document = ?": rows_of.field_rows(number, document),
            "chunk_tags WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)": own_tags,
        }
        for table, wanted in expected.items():
            if set(self.ask(reader, f"SELECT * FROM {table}", (number,))) != set(wanted):
                return "what filters ask for differs from tags and frontmatter"
        return ""

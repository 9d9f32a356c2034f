"""What must hold for each document of an index, in whatever database it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from headnote.model import text_hash
from headnote.store import codec
from headnote.store.base import Reader
from headnote.store.codec import escaped
from headnote.store.damage import Damaged
from headnote.store.names import name_hash, names_of
from headnote.store.rows import DocumentRow, StoredChunk

SomeReader = TypeVar("SomeReader", bound=Reader)

Check = Callable[[SomeReader, DocumentRow, list[StoredChunk]], str]
"""A complaint about one document, or nothing."""


def bad_documents(reader: SomeReader, checks: Sequence[Check[SomeReader]]) -> dict[str, str]:
    """Path → the first complaint about what is kept of this document."""
    found = {}
    for path in reader.document_paths():
        if complaint := _complaint(reader, path, checks):
            found[path] = f"{path}: {complaint}"
    return found


def _complaint(reader: SomeReader, path: str, checks: Sequence[Check[SomeReader]]) -> str:
    try:
        document = reader.document(path)
        chunks = reader.chunks_of(path) if document else []
    except Damaged as error:
        return f"unreadable: {error}"
    if document is None:
        return "no text"
    return next(filter(None, (check(reader, document, chunks) for check in checks)), "")


def _numbers(_: Reader, __: DocumentRow, chunks: list[StoredChunk]) -> str:
    return "" if [chunk.row.number for chunk in chunks] == list(range(len(chunks))) else "a chunk is missing"


def _ids(_: Reader, __: DocumentRow, chunks: list[StoredChunk]) -> str:
    for tails in ([chunk.row.id_tail for chunk in chunks], [chunk.row.key_tail for chunk in chunks]):
        if len(set(tails)) < len(tails):
            return f"several chunks have the id {Counter(tails).most_common(1)[0][0]}"
    return ""


def _places(_: Reader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    size = len(document.text)
    for chunk in chunks:
        if not 0 <= chunk.row.start <= chunk.row.end <= size or chunk.row.start_line > chunk.row.end_line:
            return f"chunk {chunk.row.number} lies outside of the text"
    return ""


def _hashes(_: Reader, __: DocumentRow, chunks: list[StoredChunk]) -> str:
    for chunk in chunks:
        if text_hash(chunk.embed_text) != chunk.row.hash:
            return f"chunk {chunk.row.number} is not the text that was hashed"
    return ""


def _links(reader: Reader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    known = {chunk.row.number for chunk in chunks}
    lost = any(link.chunk not in known for link in reader.links_from(document.path))
    return "a link belongs to a chunk that does not exist" if lost else ""


KEPT: tuple[Check[Reader], ...] = (_numbers, _ids, _places, _hashes, _links)
"""Of what is not derived: a document that does not pass has to be read again."""


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
        own_tags = codec.chunk_tag_rows(document, [(chunk.id, chunk.row) for chunk in chunks])
        expected = {
            "document_tags WHERE document = ?": codec.document_tag_rows(number, document),
            "fields WHERE document = ?": codec.field_rows(number, document),
            "chunk_tags WHERE chunk IN (SELECT id FROM chunks WHERE document = ?)": own_tags,
        }
        for table, wanted in expected.items():
            if set(self.ask(reader, f"SELECT * FROM {table}", (number,))) != set(wanted):
                return "what filters ask for differs from tags and frontmatter"
        return ""

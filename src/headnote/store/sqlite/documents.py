"""Reading documents, chunks and the links between them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headnote.store.codec import (
    PARENT_COLUMNS,
    escaped,
    parent,
    stored_chunk,
    stored_link,
    unescaped,
    unpacked,
    unpacked_strings,
)
from headnote.store.queries import LINKS, LINKS_IN_ORDER, ORPHANS, TARGETS_FROM_TOP
from headnote.store.rows import (
    DocumentHead,
    DocumentRow,
    DocumentSummary,
    LinkRow,
    NonText,
    Parent,
    StoredChunk,
    StoredFile,
)
from headnote.store.sqlite.sql import only_row, only_value

if TYPE_CHECKING:
    import apsw

_CHUNK_COLUMNS = """
    c.id, c.document, c.number, c.start, c."end", c.start_line, c.end_line, c.block_start, c.block_end, c.section,
    c.part, c.tokens, c.hash, c.id_tail, c.key_tail, c.heading_path, c.tags, c.carried
"""


def read_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


class ReadsDocuments:
    """The part of a reader that knows documents and chunks."""

    db: apsw.Connection

    def generation(self) -> int:
        return int(only_value(self.db, "SELECT generation FROM state"))

    def files(self) -> dict[str, StoredFile]:
        rows = self.db.execute("SELECT path, size, mtime_ns, hash FROM documents ORDER BY path")
        files = (StoredFile(unescaped(path), *rest) for path, *rest in rows)
        return {file.path: file for file in files}

    def non_texts(self) -> dict[str, NonText]:
        found = self.db.execute("SELECT path, size, mtime_ns, reason FROM non_texts ORDER BY path")
        files = (NonText(unescaped(path), size, mtime_ns, unescaped(reason)) for path, size, mtime_ns, reason in found)
        return {file.path: file for file in files}

    def document(self, path: str) -> DocumentRow | None:
        row = self.db.execute(
            """SELECT d.path, size, mtime_ns, hash, title, t.text, metadata, tags, aliases, warning, mdx
            FROM documents d JOIN texts t ON t.document = d.id WHERE d.path = ?""",
            (escaped(path),),
        ).fetchone()
        if row is None:
            return None
        _, size, mtime_ns, digest, title, text, metadata, tags, aliases, warning, mdx = row
        return DocumentRow(
            *(path, size, mtime_ns, digest, unescaped(title), read_text(text), unpacked(metadata)),
            *(unpacked_strings(tags), unpacked_strings(aliases), unescaped(warning), bool(mdx)),
        )

    def document_paths(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in self.db.execute("SELECT path FROM documents"))

    def heads(self) -> list[DocumentHead]:
        found = self.db.execute("SELECT path, title, metadata, aliases FROM documents")
        heads = (
            DocumentHead(unescaped(path), unescaped(title), unpacked(metadata), unpacked_strings(aliases))
            for path, title, metadata, aliases in found
        )
        return sorted(heads, key=lambda head: head.path)

    def summaries(self) -> list[DocumentSummary]:
        rows = self.db.execute(
            "SELECT path, title, (SELECT count(*) FROM chunks c WHERE c.document = d.id) FROM documents d"
        )
        return sorted(DocumentSummary(unescaped(path), unescaped(title), chunks) for path, title, chunks in rows)

    def chunks_of(self, path: str) -> list[StoredChunk]:
        return self._stored(
            self.db.execute(
                f"""SELECT {_CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document
                WHERE d.path = ? ORDER BY c.number""",
                (escaped(path),),
            )
        )

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        return self._stored(
            self.db.execute(
                f"SELECT {_CHUNK_COLUMNS} FROM json_each(?) w JOIN chunks c ON c.id = w.value ORDER BY w.key",
                (json.dumps(list(map(int, ids))),),
            )
        )

    def _stored(self, rows: Iterable[tuple[Any, ...]]) -> list[StoredChunk]:
        found = list(rows)
        parents = {number: self._parent(number) for number in {row[1] for row in found}}
        return [stored_chunk(row, parents[row[1]]) for row in found]

    def _parent(self, document: int) -> Parent:
        *columns, text = only_row(
            self.db,
            f"SELECT {PARENT_COLUMNS}, t.text FROM documents d JOIN texts t ON t.document = d.id WHERE d.id = ?",
            (document,),
        )
        return parent(columns, read_text(text))


_LINKED = """
SELECT f.id, t.id FROM json_each(?) w CROSS JOIN chunks f ON f.id = w.value
CROSS JOIN links l ON l.document = f.document AND l.chunk = f.number
CROSS JOIN documents d ON d.path = l.resolved
CROSS JOIN chunks t ON t.document = d.id AND t.number = coalesce(l.resolved_chunk, 0)
WHERE d.id <> f.document ORDER BY w.key, l.id
"""
_LINKING = """
SELECT t.id, f.id FROM json_each(?) w CROSS JOIN chunks t ON t.id = w.value
CROSS JOIN documents d ON d.id = t.document
CROSS JOIN links l ON l.resolved = d.path AND coalesce(l.resolved_chunk, t.number) = t.number
CROSS JOIN chunks f ON f.document = l.document AND f.number = l.chunk
WHERE l.document <> t.document ORDER BY w.key, l.id
"""


class ReadsLinks:
    """The part of a reader that knows links."""

    db: apsw.Connection

    def links(self) -> list[LinkRow]:
        return self._links("", ())

    def links_from(self, path: str) -> list[LinkRow]:
        return self._links("WHERE d.path = ?", (escaped(path),))

    def links_to(self, path: str) -> list[LinkRow]:
        return self._links("WHERE l.resolved = ?", (escaped(path),))

    def targets_from_top(self) -> dict[str, int]:
        return {unescaped(target): int(count) for target, count in self.db.execute(TARGETS_FROM_TOP)}

    def orphans(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in self.db.execute(ORPHANS))

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKED, chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKING, chunks)

    def _pairs(self, query: str, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return list(dict.fromkeys(self.db.execute(query, (json.dumps(list(map(int, chunks))),))))

    def _links(self, condition: str, bindings: tuple[str, ...]) -> list[LinkRow]:
        return [stored_link(row) for row in self.db.execute(LINKS + condition + LINKS_IN_ORDER, bindings)]

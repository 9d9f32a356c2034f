"""Reading documents, chunks and the links between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

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
from headnote.store.postgres.sql import Connection, rows
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

_CHUNK_COLUMNS = """
    c.id, c.document, c.number, c.start, c."end", c.start_line, c.end_line, c.block_start, c.block_end, c.section,
    c.part, c.tokens, c.hash, c.id_tail, c.key_tail, c.heading_path, c.tags, c.carried
"""


class ReadsDocuments:
    """The part of a reader that knows documents and chunks."""

    db: Connection

    def files(self) -> dict[str, StoredFile]:
        found = rows(self.db, "SELECT path, size, mtime_ns, hash FROM documents ORDER BY path")
        files = (StoredFile(unescaped(path), size, mtime_ns, digest) for path, size, mtime_ns, digest in found)
        return {file.path: file for file in files}

    def non_texts(self) -> dict[str, NonText]:
        found = rows(self.db, "SELECT path, size, mtime_ns, reason FROM non_texts ORDER BY path")
        files = (NonText(unescaped(path), size, mtime_ns, unescaped(reason)) for path, size, mtime_ns, reason in found)
        return {file.path: file for file in files}

    def document(self, path: str) -> DocumentRow | None:
        row = self.db.execute(
            """SELECT size, mtime_ns, hash, title, text, metadata, tags, aliases, warning, mdx
            FROM documents WHERE path = %s""",
            (escaped(path),),
        ).fetchone()
        if row is None:
            return None
        size, mtime_ns, digest, title, text, metadata, tags, aliases, warning, mdx = row
        return DocumentRow(
            *(path, size, mtime_ns, digest, unescaped(title), unescaped(text), unpacked(metadata)),
            *(unpacked_strings(tags), unpacked_strings(aliases), unescaped(warning), mdx),
        )

    def document_paths(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in rows(self.db, "SELECT path FROM documents"))

    def heads(self) -> list[DocumentHead]:
        found = rows(self.db, "SELECT path, title, metadata, aliases FROM documents")
        heads = (
            DocumentHead(unescaped(path), unescaped(title), unpacked(metadata), unpacked_strings(aliases))
            for path, title, metadata, aliases in found
        )
        return sorted(heads, key=lambda head: head.path)

    def summaries(self) -> list[DocumentSummary]:
        found = rows(
            self.db, "SELECT path, title, (SELECT count(*) FROM chunks c WHERE c.document = d.id) FROM documents d"
        )
        return sorted(DocumentSummary(unescaped(path), unescaped(title), chunks) for path, title, chunks in found)

    def chunks_of(self, path: str) -> list[StoredChunk]:
        return self._stored(
            rows(
                self.db,
                f"""SELECT {_CHUNK_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document
                WHERE d.path = %s ORDER BY c.number""",
                (escaped(path),),
            )
        )

    def chunks(self, ids: Sequence[int]) -> list[StoredChunk]:
        return self._stored(
            rows(
                self.db,
                f"""SELECT {_CHUNK_COLUMNS} FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place)
                JOIN chunks c USING (id) ORDER BY w.place""",
                (list(map(int, ids)),),
            )
        )

    def _stored(self, found: list[tuple[Any, ...]]) -> list[StoredChunk]:
        parents = self._parents({row[1] for row in found})
        return [stored_chunk(row, parents[row[1]]) for row in found]

    def _parents(self, documents: Iterable[int]) -> dict[int, Parent]:
        found = rows(
            self.db,
            f"SELECT d.id, {PARENT_COLUMNS}, d.text FROM documents d WHERE d.id = ANY(%s)",
            (list(documents),),
        )
        return {number: parent(columns, unescaped(text)) for number, *columns, text in found}


_LINKED = """
SELECT f.id, t.id FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place) JOIN chunks f ON f.id = w.id
JOIN links l ON l.document = f.document AND l.chunk = f.number
JOIN documents d ON d.path = l.resolved
JOIN chunks t ON t.document = d.id AND t.number = coalesce(l.resolved_chunk, 0)
WHERE d.id <> f.document ORDER BY w.place, l.id
"""
_LINKING = """
SELECT t.id, f.id FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place) JOIN chunks t ON t.id = w.id
JOIN documents d ON d.id = t.document
JOIN links l ON l.resolved = d.path AND coalesce(l.resolved_chunk, t.number) = t.number
JOIN chunks f ON f.document = l.document AND f.number = l.chunk
WHERE l.document <> t.document ORDER BY w.place, l.id
"""


class ReadsLinks:
    """The part of a reader that knows links."""

    db: Connection

    def links(self) -> list[LinkRow]:
        return self._links("", ())

    def links_from(self, path: str) -> list[LinkRow]:
        return self._links("WHERE d.path = %s", (escaped(path),))

    def links_to(self, path: str) -> list[LinkRow]:
        return self._links("WHERE l.resolved = %s", (escaped(path),))

    def targets_from_top(self) -> dict[str, int]:
        return {unescaped(target): int(count) for target, count in rows(self.db, TARGETS_FROM_TOP)}

    def orphans(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in rows(self.db, ORPHANS))

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKED, chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKING, chunks)

    def _pairs(self, query: str, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return list(dict.fromkeys(rows(self.db, query, (list(map(int, chunks)),))))

    def _links(self, condition: str, bindings: tuple[str, ...]) -> list[LinkRow]:
        return [stored_link(row) for row in rows(self.db, LINKS + condition + LINKS_IN_ORDER, bindings)]

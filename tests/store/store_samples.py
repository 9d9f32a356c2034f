"""Documents as an update hands them to a store, and questions to a store in one line."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

import headnote
from headnote.chunking.records import comments_left_out
from headnote.index.entries import chunk_row
from headnote.markdown.frontmatter import aliases, tags, title
from headnote.store.interface import Reader, Store
from headnote.store.postgres.store import PostgresReader
from headnote.store.rows import Columns, DocumentEntry, DocumentRow, LinkRow
from headnote.store.sqlite import store
from headnote.store.sqlite.writer import SqliteReader
from headnote.words.terms import query_terms


def entry(path: str, text: str, preset: str = "default", mtime_ns: int = 1, **settings: Any) -> DocumentEntry:
    chunks = headnote.chunk(text, path=path, preset=preset, **settings)
    data = chunks[0].metadata if chunks else {}
    raw = text.encode("utf-8", "surrogatepass")
    document = DocumentRow(
        *(path, len(raw), mtime_ns, hashlib.sha256(raw).hexdigest(), title(data), text, data),
        *(tuple(tags(data)), tuple(aliases(data)), "", path.endswith(".mdx"), comments_left_out(chunks)),
    )
    links = [
        LinkRow(
            path, chunk.index, chunk.start_line, link.kind, link.target, link.fragment, link.text, ":" in link.target
        )
        for chunk in chunks
        for link in chunk.links
    ]
    return DocumentEntry(document, list(map(chunk_row, chunks)), links)


def link(path: str, target: str, resolved: str | None = None, **more: Any) -> LinkRow:
    columns = {"chunk": 0, "line": 1, "kind": "link", "fragment": "", "text": target, "external": False, **more}
    return LinkRow(path=path, target=target, resolved=resolved, **columns)


def put(store: Store, *entries: DocumentEntry | Columns) -> None:
    with store.writing() as writer:
        writer.put(entries)


def paths(store: Store) -> list[str]:
    with store.reading() as reader:
        return reader.document_paths()


def search_paths(store: Store, query: str, limit: int = 10) -> list[str]:
    """Paths of the documents that a query finds, best first."""
    with store.reading() as reader:
        hits = reader.keyword(query_terms(query), limit)
        return list(dict.fromkeys(chunk.path for chunk in reader.chunks([hit.chunk for hit in hits])))


def stored_vectors(reader: Reader, model: str) -> dict[str, NDArray[np.float32]]:
    """Hash of a text → its vector, straight from the tables."""
    if isinstance(reader, SqliteReader):
        return {
            digest.hex(): np.frombuffer(row, "<f2").astype(np.float32)
            for stored in store.models(reader.db)
            if stored.name == model
            for block in store.blocks(reader.db, stored)
            for digest, (row, _) in store.sound_vectors(reader.db, stored, block).items()
        }
    assert isinstance(reader, PostgresReader)
    rows = reader.db.execute(
        "SELECT v.hash, v.embedding::text FROM vectors v JOIN models m ON m.id = v.model WHERE m.name = %s", (model,)
    )
    return {digest.hex(): np.array(json.loads(text), np.float32) for digest, text in rows}

"""Checks every invariant that the server does not hold itself, and rebuilds derived data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from headnote.store.codec import columns_of, unescaped
from headnote.store.integrity import INSTANT
from headnote.store.invariants import (
    COUNTED,
    Check,
    bad_documents,
    filter_check,
    missing_vectors,
    relations,
    source_checks,
)
from headnote.store.keyword_fields import keyword_fields
from headnote.store.postgres.keywords import word_counts
from headnote.store.postgres.sql import Connection, rows
from headnote.store.postgres.vectors import index_of
from headnote.store.postgres.writer import PostgresReader, PostgresWriter
from headnote.store.quantized import SCALE_BYTES
from headnote.store.rows import DocumentEntry, DocumentRow, StoredChunk

_COUNTED: dict[str, str] = COUNTED | {
    "chunks that the keyword index does not have": "SELECT id FROM chunks EXCEPT SELECT chunk FROM lengths",
    "words of the keyword index without a chunk": "SELECT DISTINCT chunk FROM postings EXCEPT SELECT id FROM chunks",
    "vectors of the wrong length": """
        SELECT v.id FROM vectors v JOIN models m ON m.id = v.model WHERE vector_dims(v.embedding) <> m.dims""",
    "parts of vectors of the wrong size": f"""
        SELECT v.id FROM vectors v JOIN models m ON m.id = v.model
        WHERE length(v.parts) = 0 OR length(v.parts) %% ({SCALE_BYTES} + m.dims) <> 0""",
    "indexes of vectors that are broken or missing": """
        SELECT m.id FROM models m LEFT JOIN pg_index i ON i.indexrelid = to_regclass('vectors_of_model_' || m.id)
        WHERE m.indexed AND i.indisvalid IS NOT TRUE""",
}


_POSTINGS = """
SELECT chunk, word, length, title, headings, text, aliases, tags FROM postings WHERE chunk = ANY(%s)
"""


def complaints(reader: PostgresReader) -> list[str]:
    run = partial(_run, reader.db)
    checks: list[Check] = [*source_checks(reader, run), partial(filter_check, run), partial(_terms, reader.db)]
    return [*relations(run, _COUNTED), *missing_vectors(reader), *bad_documents(reader, checks).values()]


def _run(db: Connection, query: str, bindings: Sequence[Any]) -> list[tuple[Any, ...]]:
    return rows(db, query.replace("?", "%s"), bindings)


def _terms(db: Connection, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    ids = [chunk.id for chunk in chunks]
    lengths = dict(rows(db, "SELECT chunk, length FROM lengths WHERE chunk = ANY(%s)", (ids,)))
    postings: dict[int, dict[str, list[int]]] = {identity: {} for identity in ids}
    for chunk, word, *counts in rows(db, _POSTINGS, (ids,)):
        postings[chunk][unescaped(word)] = counts
    for chunk, fields in zip(chunks, keyword_fields(document, (chunk.row for chunk in chunks)), strict=True):
        if chunk.id not in lengths:
            return "a chunk is not in the keyword index"
        length = sum(len(field.split()) for field in fields)
        expected = {word: [length, *counts] for word, counts in word_counts(fields).items()}
        if postings[chunk.id] != expected or lengths[chunk.id] != length:
            return "the keyword index has other terms than the text"
    return ""


_DANGLING = """
UPDATE links SET resolved_chunk = NULL WHERE resolved_chunk IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM documents d JOIN chunks c ON c.document = d.id
    WHERE d.path = links.resolved AND c.number = links.resolved_chunk
)
"""
_WRONG_LENGTH = f"""
DELETE FROM vectors v USING models m WHERE m.id = v.model AND (
    vector_dims(v.embedding) <> m.dims OR length(v.parts) = 0 OR length(v.parts) %% ({SCALE_BYTES} + m.dims) <> 0
)
"""
_WRONG_NAMES = f"""
DELETE FROM name_vectors n USING models m WHERE m.id = n.model AND length(n.data) <> {SCALE_BYTES} + m.dims
"""


def repair(writer: PostgresWriter) -> list[str]:
    """Removes what is damaged and rebuilds derived data; says what it did."""
    update = writer.update
    actions = []
    removed = update.change(_WRONG_LENGTH) + update.change(_WRONG_NAMES)
    if removed:
        actions.append(f"vectors: {removed} of the wrong length removed")
        # Without this entry, the next update makes what is missing.
        writer.set_manifest({key: entry for key, entry in writer.manifest().items() if key != INSTANT})
    bad = bad_documents(writer, source_checks(writer, partial(_run, writer.db)))
    writer.remove(bad)
    actions += [f"{complaint}: removed, to be read again" for complaint in bad.values()]
    update.change(_DANGLING)
    for number, indexed in rows(writer.db, "SELECT id, indexed FROM models"):
        update.changed_models.add(number)
        if indexed:  # it is built again when the update ends
            writer.db.execute(f"DROP INDEX IF EXISTS {index_of(number)}")
            update.change("UPDATE models SET indexed = false WHERE id = %s", (number,))
            actions.append("index of vectors rebuilt")
    _derive(writer)
    actions.append("keyword index, tags and fields rebuilt")
    return actions


def _derive(writer: PostgresWriter) -> None:
    for table in ("postings", "lengths", "document_tags", "fields"):
        writer.update.change(f"DELETE FROM {table}")
    for number, path in rows(writer.db, "SELECT id, path FROM documents ORDER BY id"):
        document = writer.document(unescaped(path))
        assert document is not None
        chunks = writer.chunks_of(document.path)
        columns = columns_of(DocumentEntry(document, [chunk.row for chunk in chunks]))
        writer.insert_derived([(number, [chunk.id for chunk in chunks], columns)])

"""What is derived, made anew; what belongs to nothing, removed."""

from __future__ import annotations

from headnote.index.store.document_checks import KEPT, bad_documents
from headnote.index.store.part_bytes import SCALE_BYTES
from headnote.index.store.sqlite.asking import rows
from headnote.index.store.sqlite.checking import TABLES
from headnote.index.store.sqlite.vectors import BLOCK, BYTES
from headnote.index.store.sqlite.writer import SqliteWriter
from headnote.index.store.values import unsealed

# Parents before children, so that one round is enough.
_ORPHANS = {
    "texts": "document NOT IN (SELECT id FROM documents)",
    "chunks": "document NOT IN (SELECT id FROM documents)",
    "links": "document NOT IN (SELECT id FROM documents)",
    "document_tags": "document NOT IN (SELECT id FROM documents)",
    "fields": "document NOT IN (SELECT id FROM documents)",
    "chunk_tags": "chunk NOT IN (SELECT id FROM chunks)",
    "vector_blocks": f"""NOT EXISTS (
        SELECT 1 FROM models m WHERE m.id = model AND length(data) = {BLOCK * BYTES} * m.dims)""",
    "vector_parts": f"""NOT EXISTS (
        SELECT 1 FROM vectors v JOIN models m ON m.id = v.model
        WHERE v.model = vector_parts.model AND v.slot = vector_parts.slot
        AND length(data) > 0 AND length(data) % ({SCALE_BYTES} + m.dims) = 0)""",
    "name_vectors": f"""NOT EXISTS (
        SELECT 1 FROM models m WHERE m.id = model AND length(data) = {SCALE_BYTES} + m.dims)""",
    "vectors": f"""slot < 0 OR NOT EXISTS (
        SELECT 1 FROM vector_blocks b WHERE b.model = vectors.model AND b.number = slot / {BLOCK})
        OR NOT EXISTS (SELECT 1 FROM vector_parts p WHERE p.model = vectors.model AND p.slot = vectors.slot)""",
}


_DANGLING = """
UPDATE links SET resolved_chunk = NULL WHERE resolved_chunk IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM documents d JOIN chunks c ON c.document = d.id
    WHERE d.path = links.resolved AND c.number = links.resolved_chunk
)
"""


def repaired(writer: SqliteWriter) -> list[str]:
    """What was done, one line each."""
    db = writer.db
    done = []
    db.execute("REINDEX")
    db.execute("INSERT OR IGNORE INTO state VALUES (1, 0, NULL)")
    for table, condition in _ORPHANS.items():
        db.execute(f"DELETE FROM {table} WHERE {condition}")
        if db.changes():
            done.append(f"{table}: {db.changes()} rows that belonged to nothing removed")
    bad = bad_documents(writer, (*KEPT, TABLES.named))
    writer.remove(bad)
    done += [f"{complaint}: removed, to be read again" for complaint in bad.values()]
    db.execute(_DANGLING)
    db.execute("UPDATE models SET changed = (SELECT generation + 1 FROM state)")
    _derive(writer)
    done.append("keyword index, tags and fields made anew")
    return done


def _derive(writer: SqliteWriter) -> None:
    db = writer.db
    db.execute("INSERT INTO keyword (keyword) VALUES ('delete-all')")
    for table in ("document_tags", "chunk_tags", "fields"):
        db.execute(f"DELETE FROM {table}")
    for number, path in rows(db, "SELECT id, path FROM documents ORDER BY id"):
        document = writer.document(unsealed(path))
        assert document is not None
        chunks = [(chunk.id, chunk.row) for chunk in writer.chunks_of(document.path)]
        writer.insert_derived(number, document, chunks)

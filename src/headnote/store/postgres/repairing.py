"""What is derived, made anew; what belongs to nothing, removed."""

from __future__ import annotations

from headnote.store.document_checks import KEPT, bad_documents
from headnote.store.part_bytes import SCALE_BYTES
from headnote.store.postgres.asking import rows
from headnote.store.postgres.checking import TABLES
from headnote.store.postgres.writer import PostgresWriter
from headnote.store.values import unescaped

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


def repaired(writer: PostgresWriter) -> list[str]:
    """What was done, one line each."""
    done = []
    removed = writer.change(_WRONG_LENGTH) + writer.change(_WRONG_NAMES)
    if removed:
        done.append(f"vectors: {removed} of the wrong length removed")
    bad = bad_documents(writer, (*KEPT, TABLES.named))
    writer.remove(bad)
    done += [f"{complaint}: removed, to be read again" for complaint in bad.values()]
    writer.change(_DANGLING)
    for number, indexed in rows(writer.db, "SELECT id, indexed FROM models"):
        writer.changed_models.add(number)
        if indexed:
            writer.db.execute(f"DROP INDEX IF EXISTS vectors_of_model_{number}")
            writer.change("UPDATE models SET indexed = false WHERE id = %s", (number,))
            done.append("index of vectors made anew")
    _derive(writer)
    done.append("keyword index, tags and fields made anew")
    return done


def _derive(writer: PostgresWriter) -> None:
    for table in ("postings", "lengths", "document_tags", "chunk_tags", "fields"):
        writer.change(f"DELETE FROM {table}")
    for number, path in rows(writer.db, "SELECT id, path FROM documents ORDER BY id"):
        document = writer.document(unescaped(path))
        assert document is not None
        chunks = [(chunk.id, chunk.row) for chunk in writer.chunks_of(document.path)]
        writer.insert_derived([(number, document, chunks, None)])

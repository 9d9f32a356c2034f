"""Every invariant of the index, checked: what is derived fits what it is derived from, and nothing is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headnote.store.damage import decoding
from headnote.store.document_checks import KEPT, Check, bad_documents
from headnote.store.keyword_fields import keyword_fields
from headnote.store.part_bytes import SCALE_BYTES
from headnote.store.rows import DocumentRow, StoredChunk
from headnote.store.sqlite.asking import only_value, rows
from headnote.store.sqlite.reader import SqliteReader
from headnote.store.sqlite.stored_vectors import blocks, models, name_vectors_of, vectors_of
from headnote.store.sqlite.vectors import BLOCK, BYTES
from headnote.store.table_checks import TableChecks

if TYPE_CHECKING:
    import apsw

_MOST = 20
"""Complaints of one kind: more say nothing new."""

_COUNTED: dict[str, str] = {
    "chunks that the keyword index does not have": "SELECT id FROM chunks EXCEPT SELECT id FROM keyword_docsize",
    "rows of the keyword index without a chunk": "SELECT id FROM keyword_docsize EXCEPT SELECT id FROM chunks",
    "documents without text": "SELECT id FROM documents EXCEPT SELECT document FROM texts",
    "links to a chunk that does not exist": """
        SELECT l.id FROM links l LEFT JOIN documents d ON d.path = l.resolved
        LEFT JOIN chunks c ON c.document = d.id AND c.number = l.resolved_chunk
        WHERE l.resolved_chunk IS NOT NULL AND c.id IS NULL""",
    "vectors outside of the blocks": f"""
        SELECT v.slot FROM vectors v LEFT JOIN vector_blocks b ON b.model = v.model AND b.number = v.slot / {BLOCK}
        WHERE b.id IS NULL OR v.slot < 0""",
    "blocks of vectors of the wrong size": f"""
        SELECT b.id FROM vector_blocks b JOIN models m ON m.id = b.model
        WHERE length(b.data) <> {BLOCK * BYTES} * m.dims""",
    "vectors without parts": "SELECT model, slot FROM vectors EXCEPT SELECT model, slot FROM vector_parts",
    "parts of vectors of the wrong size": f"""
        SELECT p.slot FROM vector_parts p JOIN models m ON m.id = p.model
        WHERE length(p.data) = 0 OR length(p.data) % ({SCALE_BYTES} + m.dims) <> 0""",
    "vectors of names of the wrong size": f"""
        SELECT n.hash FROM name_vectors n JOIN models m ON m.id = n.model
        WHERE length(n.data) <> {SCALE_BYTES} + m.dims""",
    "models from a generation to come": """
        SELECT id FROM models WHERE changed > (SELECT generation FROM state)""",
}


@decoding
def complaints(reader: SqliteReader) -> list[str]:
    documents = bad_documents(reader, (*KEPT, TABLES.named, *DERIVED))
    return [*_structure(reader.db), *_relations(reader.db), *_vectors(reader.db), *documents.values()]


def _structure(db: apsw.Connection) -> list[str]:
    # Only a query makes FTS5 notice that others have written; its check alone would look for what is gone.
    db.execute("SELECT rowid FROM keyword WHERE keyword MATCH 'a' LIMIT 1").fetchall()
    found = [f"file: {row[0]}" for row in db.execute(f"PRAGMA integrity_check({_MOST})") if row[0] != "ok"]
    for table, _, parent, _ in db.execute("PRAGMA foreign_key_check").fetchall()[:_MOST]:
        found.append(f"{table}: a row belongs to {parent} that do not exist")
    states = rows(db, "SELECT generation FROM state")
    if len(states) != 1 or states[0][0] < 0:
        found.append("state: no generation")
    return found


def _relations(db: apsw.Connection) -> Iterator[str]:
    for what, query in _COUNTED.items():
        number = only_value(db, f"SELECT count(*) FROM ({query})")
        if number:
            yield f"{number} {what}"


def _vectors(db: apsw.Connection) -> Iterator[str]:
    for model in models(db):
        stored = only_value(db, "SELECT count(*) FROM vectors WHERE model = ?", (model.number,))
        sound = sum(len(vectors_of(db, model, block)) for block in blocks(db, model))
        if stored != sound:
            yield f"{stored - sound} vectors of {model.name} are not what was stored"
        names = only_value(db, "SELECT count(*) FROM name_vectors WHERE model = ?", (model.number,))
        sound_names = len(name_vectors_of(db, model))
        if names != sound_names:
            yield f"{names - sound_names} vectors of names of {model.name} are not what was stored"


def _terms(reader: SqliteReader, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    """As many terms in each field as there should be; which ones, only the integrity check of the file can tell."""
    for chunk, fields in zip(chunks, keyword_fields(document, (chunk.row for chunk in chunks)), strict=True):
        row = reader.db.execute("SELECT sz FROM keyword_docsize WHERE id = ?", (chunk.id,)).fetchone()
        if row is None:
            return "a chunk is not in the keyword index"
        if _numbers_in(row[0]) != [len(field.split()) for field in fields]:
            return "the keyword index has other terms than the text"
    return ""


def _numbers_in(data: bytes) -> list[int]:
    """Numbers of seven bits a byte, the first ones highest, as SQLite writes them."""
    numbers, current = [], 0
    for byte in data:
        current = current << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(current)
            current = 0
    return numbers


TABLES: TableChecks[SqliteReader] = TableChecks(lambda reader, query, bound: rows(reader.db, query, bound))
DERIVED: tuple[Check[SqliteReader], ...] = (TABLES.filtered, _terms)

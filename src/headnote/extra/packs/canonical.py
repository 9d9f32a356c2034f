"""An index copied into a file of its own whose bytes depend on its content alone.

Ids, slots and pages of an index tell in which order its files were read. Here they follow from the paths, as in an
index that was read at once, so whatever is found is found in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from headnote.extras import load
from headnote.sources.repository import by_parts
from headnote.store.codec import compressed, escaped
from headnote.store.rows import DocumentEntry
from headnote.store.sqlite.matrix import BLOCK
from headnote.store.sqlite.opened_files import opened_as_database
from headnote.store.sqlite.schema import create_tables
from headnote.store.sqlite.sql import rows
from headnote.store.sqlite.vectors import BYTES
from headnote.store.sqlite.writer import SqliteReader, SqliteWriter

if TYPE_CHECKING:
    import apsw

PAGE = 8_192
"""Bytes of a page. The vectors of the parts of a chunk are about a thousand bytes, and few fit on a smaller page."""
_LEVEL = 9
_VECTORS_TOGETHER = 4096


def write_canonical(
    source: SqliteReader,
    file: Path,
    scratch: Path,
    models: Sequence[str],
    manifest: Mapping[str, str],
    adapted: Callable[[DocumentEntry], DocumentEntry],
) -> None:
    """Copies documents, links, words and the vectors of these models. `adapted` says what is stored of a document.
    Files that are no documents, and everything about the machine, stay behind. What is copied is put in order in
    `scratch`, which keeps its name for a moment only, where the system can do without."""
    apsw = load("apsw", "an index")
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(str(scratch), flags=flags)) as db:
            with suppress(PermissionError):  # Windows keeps the names of open files
                scratch.unlink()
            for setting, value in (("page_size", PAGE), ("journal_mode", "off"), ("synchronous", "off")):
                db.pragma(setting, value)
            create_tables(db, scratch)
            writer = SqliteWriter(db)
            hashes = _copy_documents(source, writer, adapted)
            for model in models:
                _copy_vectors(source, writer, model, hashes)
            writer.sweep(models)
            writer.set_manifest(manifest)
            writer.finish()
            _forget_history(db)
            with file.open("r+b", buffering=0) as opened, opened_as_database(opened) as address:
                db.execute("VACUUM INTO ?", (address,))
    finally:
        scratch.unlink(missing_ok=True)


def _forget_history(db: apsw.Connection) -> None:
    """Removes what tells when and how often the index was changed."""
    db.execute("UPDATE state SET generation = 1, updated_ns = NULL")
    db.execute("UPDATE models SET changed = 1, stamp = 0")
    # By their content: equal vectors have equal stamps, and others have others.
    for model, number, data in rows(db, "SELECT model, number, data FROM vector_blocks"):
        stamp = int.from_bytes(blake2b(data, digest_size=8).digest(), "little", signed=True)
        db.execute("UPDATE block_stamps SET stamp = ? WHERE model = ? AND number = ?", (stamp, model, number))
    db.execute("INSERT INTO keyword (keyword) VALUES ('optimize')")


def _copy_documents(
    source: SqliteReader, writer: SqliteWriter, adapted: Callable[[DocumentEntry], DocumentEntry]
) -> dict[bytes, None]:
    """The hashes of all chunks, in their order."""
    hashes: dict[bytes, None] = {}

    def entries() -> Iterator[DocumentEntry]:
        for path in sorted(source.document_paths(), key=by_parts):
            document = source.document(path)
            assert document is not None
            chunks = [chunk.row for chunk in source.chunks_of(path)]
            hashes.update(dict.fromkeys(bytes.fromhex(chunk.hash) for chunk in chunks))
            yield adapted(DocumentEntry(document, chunks))

    writer.put(entries())
    # In the order in which they are resolved, which decides whose link counts first.
    writer.set_links({path: source.links_from(path) for path in source.document_paths()})
    texts = rows(writer.db, "SELECT document FROM texts")
    for (document,) in texts:
        ((text,),) = rows(writer.db, "SELECT text FROM texts WHERE document = ?", (document,))
        packed = compressed(text, _LEVEL)
        if packed != text:
            writer.db.execute("UPDATE texts SET text = ? WHERE document = ?", (packed, document))
    return hashes


def _copy_vectors(source: SqliteReader, writer: SqliteWriter, model: str, hashes: Mapping[bytes, None]) -> None:
    """In the order of the chunks. What no chunk has any more is swept away afterwards."""
    found = rows(source.db, "SELECT id, dims FROM models WHERE name = ?", (escaped(model),))
    if not found:
        return
    number, dims = found[0]
    width = dims * BYTES
    blocks = dict(rows(source.db, "SELECT number, data FROM vector_blocks WHERE model = ?", (number,)))
    query = """SELECT v.slot, p.data FROM vectors v JOIN vector_parts p ON p.model = v.model AND p.slot = v.slot
    WHERE v.model = ? AND v.hash = ?"""
    remaining = iter(hashes)
    while batch := list(islice(remaining, _VECTORS_TOGETHER)):
        vectors = {}
        for digest in batch:
            for slot, parts in rows(source.db, query, (number, digest)):
                at = slot % BLOCK * width
                vectors[digest] = blocks[slot // BLOCK][at : at + width], parts
        writer.put_vectors(model, dims, vectors)
    names = rows(source.db, "SELECT hash, data FROM name_vectors WHERE model = ? ORDER BY hash", (number,))
    writer.put_names(model, dims, dict(names))

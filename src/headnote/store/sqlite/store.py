"""The index in one SQLite file, `.headnote/index.db` below the root: how it is checked, repaired and opened.

Only vectors are worth saving: everything else is read from the documents again. So nothing is mended in place, where
damage may lie beneath data that looks sound. A repair writes a new file with the vectors that still match their
checksums, and the next update brings the rest.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from headnote.errors import CorruptIndex, UnwritableIndex
from headnote.extras import load
from headnote.store.codec import unescaped
from headnote.store.integrity import READER, UNFINISHED, Damaged, decoding, integer, without_damage
from headnote.store.invariants import COUNTED, bad_documents, filter_check, missing_vectors, relations, source_checks
from headnote.store.keyword_fields import keyword_fields
from headnote.store.quantized import SCALE_BYTES
from headnote.store.rows import DocumentRow, StoredChunk
from headnote.store.sharing import generation_of, only_value, rows, writer_lock
from headnote.store.sqlite.connections import Identity, SqliteConnections, companions_of, lock_of, reported
from headnote.store.sqlite.documents import SqliteCaches
from headnote.store.sqlite.matrix import BLOCK, VectorFiles
from headnote.store.sqlite.schema import APPLICATION, create_tables, is_older
from headnote.store.sqlite.vectors import BYTES, checksum
from headnote.store.sqlite.writer import SqliteReader, SqliteWriter

if TYPE_CHECKING:
    import apsw


_MAX_SHOWN = 20
"""Maximum complaints of one kind: more would say nothing new."""
_WAIT = 10.0
"""Seconds to wait for another writer."""
_MAGIC = b"SQLite format 3\0"
_APPLICATION_AT = 68

_ABOUT_DOCUMENTS = (UNFINISHED,)
"""What the manifest says about documents: without them, the next read is a first one."""

Result = TypeVar("Result")

_COUNTED: dict[str, str] = COUNTED | {
    "chunks that the keyword index does not have": "SELECT id FROM chunks EXCEPT SELECT id FROM keyword_docsize",
    "rows of the keyword index without a chunk": "SELECT id FROM keyword_docsize EXCEPT SELECT id FROM chunks",
    "documents without text": "SELECT id FROM documents EXCEPT SELECT document FROM texts",
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
}


@decoding
def complaints(reader: SqliteReader) -> list[str]:
    db = reader.db
    documents = bad_documents(reader, (*source_checks(reader), partial(filter_check, reader), partial(_terms, db)))
    relations_of_rows = relations(reader, _COUNTED)
    return [*_structure(db), *relations_of_rows, *_vectors(db), *missing_vectors(reader), *documents.values()]


def _structure(db: apsw.Connection) -> list[str]:
    # Only a query makes FTS5 notice what others have written; its own check would look for rows that are gone.
    db.execute("SELECT rowid FROM keyword WHERE keyword MATCH 'a' LIMIT 1").fetchall()
    found = [" ".join(row[0].split()) for row in db.execute(f"PRAGMA integrity_check({_MAX_SHOWN})")]
    complaints = [f"file: {one}" for one in found if one != "ok"]
    for table, _, parent, _ in db.execute("PRAGMA foreign_key_check").fetchall()[:_MAX_SHOWN]:
        complaints.append(f"{table}: a row belongs to {parent} that do not exist")
    states = rows(db, "SELECT generation FROM state")
    if len(states) != 1 or states[0][0] < 0:
        complaints.append("state: no generation")
    return complaints


def _vectors(db: apsw.Connection) -> Iterator[str]:
    for model in models(db):
        stored = only_value(db, "SELECT count(*) FROM vectors WHERE model = ?", (model.number,))
        damaged = stored - sum(len(sound_vectors(db, model, block)) for block in blocks(db, model))
        if damaged:
            yield f"{damaged} vectors of {model.name} are not what was stored"
        names = only_value(db, "SELECT count(*) FROM name_vectors WHERE model = ?", (model.number,))
        damaged = names - len(sound_names(db, model))
        if damaged:
            yield f"{damaged} vectors of names of {model.name} are not what was stored"


def _terms(db: apsw.Connection, document: DocumentRow, chunks: list[StoredChunk]) -> str:
    """Each field has as many terms as it should. Only the integrity check of the file can tell which ones."""
    for chunk, fields in zip(chunks, keyword_fields(document, (chunk.row for chunk in chunks)), strict=True):
        row = db.execute("SELECT sz FROM keyword_docsize WHERE id = ?", (chunk.id,)).fetchone()
        if row is None:
            return "a chunk is not in the keyword index"
        if _numbers_in(row[0]) != [len(field.split()) for field in fields]:
            return "the keyword index has other terms than the text"
    return ""


def _numbers_in(data: bytes) -> list[int]:
    """Variable-length integers as SQLite writes them: seven bits a byte, the highest first."""
    numbers, current = [], 0
    for byte in data:
        current = current << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(current)
            current = 0
    return numbers


class StoredModel(NamedTuple):
    """A model that has vectors."""

    number: int
    name: str
    dims: int


def models(db: apsw.Connection) -> list[StoredModel]:
    columns = rows(db, "SELECT id, name, dims FROM models")
    return [StoredModel(number, unescaped(name), integer(dims)) for number, name, dims in columns]


def blocks(db: apsw.Connection, model: StoredModel) -> list[int]:
    return [number for (number,) in rows(db, "SELECT number FROM vector_blocks WHERE model = ?", (model.number,))]


def sound_vectors(db: apsw.Connection, model: StoredModel, block: int) -> dict[bytes, tuple[bytes, bytes]]:
    """Hash → a vector of this block and its parts, as they are stored."""
    data = only_value(db, "SELECT data FROM vector_blocks WHERE model = ? AND number = ?", (model.number, block))
    width = model.dims * BYTES
    columns = rows(
        db,
        """SELECT v.hash, v.slot, v.checksum, p.data FROM vectors v
        JOIN vector_parts p ON p.model = v.model AND p.slot = v.slot
        WHERE v.model = ? AND v.slot BETWEEN ? AND ?""",
        (model.number, block * BLOCK, block * BLOCK + BLOCK - 1),
    )
    sound = {}
    for digest, slot, stored_checksum, parts in columns:
        at = slot % BLOCK * width
        row = data[at : at + width]
        fits = len(row) == width and len(parts) > 0 and len(parts) % (SCALE_BYTES + model.dims) == 0
        if fits and stored_checksum in (None, checksum(digest, row, parts)):
            sound[digest] = (row, parts)
    return sound


def sound_names(db: apsw.Connection, model: StoredModel) -> dict[bytes, bytes]:
    """Hash of a name → its vector, as it is stored."""
    columns = rows(db, "SELECT hash, data, checksum FROM name_vectors WHERE model = ?", (model.number,))
    return {
        digest: data
        for digest, data, stored_checksum in columns
        if len(data) == SCALE_BYTES + model.dims and stored_checksum in (None, checksum(digest, data))
    }


def renew(file: Path) -> None:
    """Rebuild an index with the tables of an earlier version, with its manifest and the vectors that can be read."""
    repair(file, is_older, [*_ABOUT_DOCUMENTS, READER])


def repair(
    file: Path, is_due: Callable[[Path], bool] = lambda _: True, forgotten: Collection[str] = _ABOUT_DOCUMENTS
) -> list[str]:
    """Puts a new file in the place of this one; says what it did. Nobody in this process may have it open. `is_due` is
    asked when nobody else writes any more, and entries of the manifest that are `forgotten` are left out."""
    from shutil import rmtree  # late: only a repair needs it

    workshop = file.with_name("repair")
    try:
        with reported(file), writer_lock(lock_of(file), _WAIT):
            if not is_due(file):
                return []
            rmtree(workshop, ignore_errors=True)  # of a repair that was killed
            workshop.mkdir()
            vectors = _write_new(workshop / file.name, file if _is_ours(file) else None, forgotten)
            actions = [f"file rebuilt: {vectors} vectors kept, documents are read again"]
            actions += _replace(file, workshop / file.name)
            workshop.joinpath(lock_of(file).name).unlink()
            workshop.rmdir()
    except OSError as error:
        remedy = "stop all programs that use the index, then try again"
        raise UnwritableIndex(f"cannot be replaced: {error.strerror}", path=str(file), remedy=remedy) from error
    return actions


def _is_ours(file: Path) -> bool:
    with file.open("rb") as opened:
        header = opened.read(100)
    application = header[_APPLICATION_AT : _APPLICATION_AT + 4]
    return header.startswith(_MAGIC) and application == APPLICATION.to_bytes(4, "big")


def _replace(file: Path, new: Path) -> Iterator[str]:
    if not _is_ours(file):
        moved = file.with_name(f"{file.name}.moved")
        file.replace(moved)
        yield f"the old file was not a headnote index: moved to {moved.name}"
    # A log belongs to the file it was written for. Beside another file, SQLite would take it for newer pages.
    for companion in companions_of(file):
        companion.unlink(missing_ok=True)
    new.replace(file)


def _write_new(new: Path, old: Path | None, forgotten: Collection[str]) -> int:
    """Writes a new file with the manifest and the sound vectors of the old one; how many vectors."""
    vectors = 0
    with SqliteConnections(new).writer(wait=0) as db:
        writer = SqliteWriter(db)
        if old is not None:
            with contextlib.closing(load("apsw", "an index").Connection(str(old))) as damaged:
                manifest = without_damage(_readable(partial(_manifest, damaged)) or {})
                writer.set_manifest({key: entry for key, entry in manifest.items() if key not in forgotten})
                stored_models = _readable(partial(models, damaged)) or []
                vectors = sum(_copy_vectors(writer, damaged, model) for model in stored_models)
        writer.finish()
    return vectors


def _manifest(damaged: apsw.Connection) -> dict[str, str]:
    entries = rows(damaged, "SELECT key, value FROM manifest")
    return {unescaped(key): unescaped(value) for key, value in entries}


def _copy_vectors(writer: SqliteWriter, damaged: apsw.Connection, model: StoredModel) -> int:
    count = 0
    for block in _readable(partial(blocks, damaged, model)) or []:
        vectors = _readable(partial(sound_vectors, damaged, model, block)) or {}
        writer.put_vectors(model.name, model.dims, vectors)
        count += len(vectors)
    writer.put_names(model.name, model.dims, _readable(partial(sound_names, damaged, model)) or {})
    return count


def _readable(read: Callable[[], Result]) -> Result | None:
    """The rows that can be read; None for what cannot, which is rebuilt."""
    try:
        return decoding(read)()
    except (Damaged, load("apsw", "an index").Error):
        return None


# -- The index in one SQLite file, `.headnote/index.db` below the root.

FOLDER = ".headnote"
FILE = "index.db"


class SqliteStore:
    """Safe for threads; a fork makes connections of its own."""

    is_shared = False
    may_write = True
    max_text: int | None = None
    """Characters that are read for one answer; None for any number."""

    def __init__(self, connections: SqliteConnections) -> None:
        self._connections = connections
        self.file = connections.file
        self.folder: Path | None = connections.file.parent
        self.place = str(connections.file.parent)
        self._caches: dict[tuple[int, ...], SqliteCaches] = {}
        """Caches of the file that was read last."""

    @classmethod
    def exists(cls, root: str | os.PathLike[str]) -> bool:
        return os.path.isfile(file_of(root))  # a method of Path raises where nobody may look

    @classmethod
    def open(cls, root: str | os.PathLike[str], *, read_only: bool = False) -> SqliteStore:
        """The index of a folder, created if there is none, and made anew if its tables are those of an earlier version:
        the next update reads all documents and says why. With `read_only` it must exist, and stays as it is."""
        file = file_of(root)
        load("apsw", "an index")  # first: without it, no empty folder may be left behind
        if not read_only:
            _make_folder(file.parent)
        store = cls(SqliteConnections(file, read_only))
        try:
            store.generation()  # reports a bad file now, not later
        except UnwritableIndex:
            if read_only or not is_older(file):
                raise
            renew(file)
            store.generation()
        return store

    def reading(self) -> contextlib.AbstractContextManager[SqliteReader]:
        return self._reading()

    @contextlib.contextmanager
    def _reading(self, caches: SqliteCaches | None = None) -> Iterator[SqliteReader]:
        """A reader; with None, readers share what they have in memory."""
        with reported(self.file), self._connections.reader() as (identity, db):
            db.execute("BEGIN")
            yield SqliteReader(db, caches or self._caches_of(identity), self.max_text)
            if db.in_transaction:  # after an error the connection is closed
                db.execute("ROLLBACK")

    @contextlib.contextmanager
    def writing(self, wait: float = 10.0, *, concurrent: bool = False) -> Iterator[SqliteWriter]:  # noqa: ARG002
        """SQLite has one writer at a time, so `concurrent` has no effect."""
        with reported(self.file), self._connections.writer(wait) as db:
            writer = SqliteWriter(db)
            yield writer
            writer.finish()

    def generation(self) -> int:
        with reported(self.file), self._connections.reader() as (_, db):
            return generation_of(db)

    def check(self) -> list[str]:
        try:
            with self._reading(SqliteCaches(enabled=False)) as reader:  # what the file has, not what memory has
                return complaints(reader)
        except CorruptIndex as error:
            return [error.message]

    def repair(self) -> list[str]:
        self._connections.require_writing()
        self._connections.close()
        return repair(self.file)

    def close(self) -> None:
        self._connections.close()

    def _caches_of(self, identity: Identity) -> SqliteCaches:
        """Generations count from 0 in each file, so another file of the same name needs caches of its own."""
        caches = self._caches.get(identity.seen)
        if caches is None:
            caches = SqliteCaches(vector_files=VectorFiles(self.file, read_only=self._connections.read_only))
            self._caches = {identity.seen: caches}
        return caches


def file_of(root: str | os.PathLike[str]) -> Path:
    return Path(root) / FOLDER / FILE


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists() and not (folder / FILE).exists():
            ignore.write_text("*\n", encoding="utf-8")  # an index is rebuilt, not passed on
    except OSError as error:
        raise UnwritableIndex(
            f"cannot be created: {error.strerror}", path=str(folder), remedy="check the permissions of the folder"
        ) from error


# -- An index in memory, for texts that are searched and forgotten.


_NOWHERE = Path(":memory:")


class MemoryStore:
    """The tables of the file, in memory: what is found in them, and how it scores, is the same.

    It has one connection. Threads take turns, readers and writers alike."""

    def __init__(self) -> None:
        self._db = load("apsw", "an index").Connection(str(_NOWHERE))
        create_tables(self._db, _NOWHERE)
        self._caches = SqliteCaches()
        self._turn = Lock()

    @contextlib.contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        with self._turn, reported(_NOWHERE):
            yield SqliteReader(self._db, self._caches)

    @contextlib.contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        with self._turn, reported(_NOWHERE):
            try:
                writer = SqliteWriter(self._db)
                yield writer
                writer.finish()
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

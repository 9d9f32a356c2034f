"""A file made anew, with what is worth keeping of the one before.

All but the vectors says what files say, and is read from them again. So nothing has to be mended in place, where damage
may lie beneath what looks well: a new file takes over the vectors that are still what was stored, and the rest comes
with the next update.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from headnote.errors import UnwritableIndex
from headnote.extras import load
from headnote.store.damage import Damaged, decoding
from headnote.store.lock import writer_lock
from headnote.store.signed import without_damage
from headnote.store.sqlite.connections import Connections, companions_of, lock_of, reported
from headnote.store.sqlite.reader import SqliteReader
from headnote.store.sqlite.schema import APPLICATION
from headnote.store.sqlite.stored_vectors import Model, blocks, models, name_vectors_of, vectors_of
from headnote.store.sqlite.writer import SqliteWriter

if TYPE_CHECKING:
    import apsw

_WAIT = 10.0
"""Seconds for another writer to end."""
_MAGIC = b"SQLite format 3\0"
_APPLICATION_AT = 68

Part = TypeVar("Part")


def repaired(file: Path) -> list[str]:
    """Puts a new file in the place of this one; what was done, one line each. Nobody here may have it open."""
    workshop = file.with_name("repair")
    try:
        with reported(file), writer_lock(lock_of(file), _WAIT):
            shutil.rmtree(workshop, ignore_errors=True)  # of a repair that was killed
            workshop.mkdir()
            kept = _made(workshop / file.name, file if _is_ours(file) else None)
            done = [f"file made anew: {kept} vectors taken over, documents are read again"]
            done += _replaced(file, workshop / file.name)
            workshop.joinpath(lock_of(file).name).unlink()
            workshop.rmdir()
    except OSError as error:
        remedy = "end all programs that use the index, then try again"
        raise UnwritableIndex(f"cannot be replaced: {error.strerror}", path=str(file), remedy=remedy) from error
    return done


def _is_ours(file: Path) -> bool:
    with file.open("rb") as opened:
        header = opened.read(100)
    application = header[_APPLICATION_AT : _APPLICATION_AT + 4]
    return header.startswith(_MAGIC) and application == APPLICATION.to_bytes(4, "big")


def _replaced(file: Path, new: Path) -> Iterator[str]:
    if not _is_ours(file):
        stranger = file.with_name(f"{file.name}.moved")
        file.replace(stranger)
        yield f"what was there does not look like an index of headnote: moved to {stranger.name}"
    # A log belongs to the file it was written for: beside another one, it would be taken for newer pages.
    for companion in companions_of(file):
        companion.unlink(missing_ok=True)
    new.replace(file)


def _made(new: Path, old: Path | None) -> int:
    """A new file with the vectors of the old one that are sound; how many."""
    kept = 0
    with Connections(new).writer(wait=0) as db:
        db.execute("BEGIN IMMEDIATE")
        writer = SqliteWriter(db)
        if old is not None:
            with contextlib.closing(load("apsw", "an index").Connection(str(old))) as damaged:
                writer.set_manifest(without_damage(_readable(SqliteReader(damaged).manifest) or {}))
                found = _readable(partial(models, damaged)) or []
                kept = sum(_take_over(writer, damaged, model) for model in found)
        writer.commit()
    return kept


def _take_over(writer: SqliteWriter, damaged: apsw.Connection, model: Model) -> int:
    kept = 0
    for block in _readable(partial(blocks, damaged, model)) or []:
        vectors = _readable(partial(vectors_of, damaged, model, block)) or {}
        writer.put_vectors(model.name, model.dims, vectors)
        kept += len(vectors)
    writer.put_names(model.name, model.dims, _readable(partial(name_vectors_of, damaged, model)) or {})
    return kept


def _readable(read: Callable[[], Part]) -> Part | None:
    """What can be read: whatever cannot is made again."""
    try:
        return decoding(read)()
    except (Damaged, load("apsw", "an index").Error):
        return None

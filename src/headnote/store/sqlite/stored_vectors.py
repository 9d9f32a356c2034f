"""Vectors as they lie in a file that may be damaged: those that are still what was stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from headnote.store.damage import integer
from headnote.store.part_bytes import SCALE_BYTES
from headnote.store.sqlite.asking import only_value, rows
from headnote.store.sqlite.vectors import BLOCK, BYTES, checksum
from headnote.store.values import unescaped

if TYPE_CHECKING:
    import apsw


class Model(NamedTuple):
    """A model that has vectors."""

    number: int
    name: str
    dims: int


def models(db: apsw.Connection) -> list[Model]:
    found = rows(db, "SELECT id, name, dims FROM models")
    return [Model(number, unescaped(name), integer(dims)) for number, name, dims in found]


def blocks(db: apsw.Connection, model: Model) -> list[int]:
    return [number for (number,) in rows(db, "SELECT number FROM vector_blocks WHERE model = ?", (model.number,))]


def vectors_of(db: apsw.Connection, model: Model, block: int) -> dict[bytes, tuple[bytes, bytes]]:
    """Hash → a vector of this block and its parts, as they are stored."""
    data = only_value(db, "SELECT data FROM vector_blocks WHERE model = ? AND number = ?", (model.number, block))
    width = model.dims * BYTES
    found = rows(
        db,
        """SELECT v.hash, v.slot, v.checksum, p.data FROM vectors v
        JOIN vector_parts p ON p.model = v.model AND p.slot = v.slot
        WHERE v.model = ? AND v.slot BETWEEN ? AND ?""",
        (model.number, block * BLOCK, block * BLOCK + BLOCK - 1),
    )
    sound = {}
    for digest, slot, known, parts in found:
        at = slot % BLOCK * width
        row = data[at : at + width]
        fits = len(row) == width and len(parts) > 0 and len(parts) % (SCALE_BYTES + model.dims) == 0
        if fits and known in (None, checksum(digest, row, parts)):
            sound[digest] = (row, parts)
    return sound


def name_vectors_of(db: apsw.Connection, model: Model) -> dict[bytes, bytes]:
    """Hash of a name → its vector, as it is stored."""
    return {
        digest: data
        for digest, data, known in rows(
            db, "SELECT hash, data, checksum FROM name_vectors WHERE model = ?", (model.number,)
        )
        if len(data) == SCALE_BYTES + model.dims and known in (None, checksum(digest, data))
    }

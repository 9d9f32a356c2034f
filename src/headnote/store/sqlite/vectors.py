"""Vectors: rows of half-precision numbers in blocks, so that a whole matrix is a few reads.

A vector has a slot, its row among all vectors of the model. Only the slot of each hash is stored; a slot is free if no
hash has it. Joins are crossed, which in SQLite fixes their order: left to itself, it may read all vectors for every
chunk.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING

from headnote.extras import np
from headnote.store.codec import escaped, unescaped
from headnote.store.document_writer import DocumentWriter
from headnote.store.filters import Filter
from headnote.store.integrity import Damaged, decoding
from headnote.store.readers import VectorReader
from headnote.store.rows import PackedVectors, merged
from headnote.store.sharing import only_row, only_value, rows
from headnote.store.sqlite.connections import SqliteUpdate
from headnote.store.sqlite.documents import SqliteDocuments
from headnote.store.sqlite.matrix import BLOCK, Matrix, Patched, StoredVectors, matrix_of, nearest

if TYPE_CHECKING:
    import apsw
    from numpy.typing import NDArray

BYTES = 2
"""Bytes of one number."""

_CLAIM = """
INSERT INTO claims SELECT ?2, ?5, ?3, ?4 WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE model = ?1 AND hash = ?5)
ON CONFLICT (model, hash) DO UPDATE SET until = excluded.until WHERE owner = excluded.owner RETURNING 1
"""
_PARTS = """
SELECT c.id, p.data, t.data, n.data FROM json_each(?) w
CROSS JOIN chunks c ON c.id = w.value CROSS JOIN documents d ON d.id = c.document
CROSS JOIN models m ON m.id = ? CROSS JOIN vectors v ON v.model = m.id AND v.hash = c.hash
CROSS JOIN vector_parts p ON p.model = v.model AND p.slot = v.slot
LEFT JOIN name_vectors t ON t.model = m.id AND t.hash = d.name
LEFT JOIN name_vectors n ON n.model = m.id AND n.hash = c.name
"""


class SqliteVectors(SqliteDocuments, VectorReader):
    """See `interface.Reader`."""

    PARTS = _PARTS
    SECONDS_LEFT = "max(until) - unixepoch('subsec')"

    def models(self) -> dict[str, int]:
        return {unescaped(name): dims for name, dims in self.db.execute("SELECT name, dims FROM models ORDER BY id")}

    # -- search

    def nearest(
        self,
        model: str,
        query: NDArray[np.float32],
        depth: int,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[tuple[int, float]]:
        matrix = self._matrix(model)
        if matrix is None:
            return []
        allowed = None
        if not only.passes_all:
            allowed = np.zeros(matrix.size, dtype=bool)
            read_slots = partial(self._slots, model, only)
            allowed[self._caches.slots.get(self._generation, (model, only), read_slots)] = True
        best = nearest(matrix, query, depth, allowed)
        chunks = self._chunks_of_slots(model, [slot for slot, _ in best], only)
        return [(chunk, similarity) for slot, similarity in best for chunk in chunks.get(slot, ())]

    def _matrix(self, model: str) -> Matrix | Patched | None:
        """None if the model has no vectors."""
        query = "SELECT id, dims, changed, stamp FROM models WHERE name = ?"
        row = self.db.execute(query, (escaped(model),)).fetchone()
        if row is None:
            return None
        number, dims, changed, stamp = row
        files = self._caches.vector_files

        def read() -> Matrix | Patched:
            made = partial(self._read_matrix, number, dims)
            return files.matrix(self._stored(number, dims, stamp, made)) if files else made()

        return self._caches.matrices.get(changed, model, read)

    def _stored(self, model: int, dims: int, stamp: int, read_all: Callable[[], Matrix]) -> StoredVectors:
        query = "SELECT number, stamp FROM block_stamps WHERE model = ? ORDER BY number"
        return StoredVectors(
            model=model,
            stamp=stamp,
            size=only_value(self.db, "SELECT coalesce(max(slot), -1) + 1 FROM vectors WHERE model = ?", (model,)),
            dimensions=dims,
            blocks=dict(rows(self.db, query, (model,))),
            read_all=read_all,
            read_blocks=partial(self._read_blocks, model, dims),
        )

    def _read_matrix(self, model: int, dims: int) -> Matrix:
        size, free = _slots_in_use(self.db, model)
        lengths = rows(self.db, "SELECT DISTINCT length(data) FROM vector_blocks WHERE model = ?", (model,))
        if size and lengths != [(BLOCK * BYTES * dims,)]:
            raise ValueError(f"blocks of vectors that have other lengths than {dims} numbers need")
        blocks = self.db.execute("SELECT number, data FROM vector_blocks WHERE model = ? ORDER BY number", (model,))
        return matrix_of(size, dims, ((number * BLOCK, data) for number, data in blocks), free)

    def _read_blocks(self, model: int, dims: int, numbers: Sequence[int], slots: NDArray[np.int64]) -> Matrix:
        """The rows of these slots, which are those of these blocks."""
        in_use: set[int] = set()
        blocks = []
        for place, number in enumerate(numbers):
            first = number * BLOCK
            query = "SELECT slot FROM vectors WHERE model = ? AND slot BETWEEN ? AND ?"
            in_use.update(slot for (slot,) in self.db.execute(query, (model, first, first + BLOCK - 1)))
            query = "SELECT data FROM vector_blocks WHERE model = ? AND number = ?"
            blocks.append((place * BLOCK, only_value(self.db, query, (model, number))))
        if any(len(data) != BLOCK * BYTES * dims for _, data in blocks):
            raise ValueError(f"blocks of vectors that have other lengths than {dims} numbers need")
        free = [place for place, slot in enumerate(slots.tolist()) if slot not in in_use]
        return matrix_of(len(slots), dims, blocks, free)

    def _slots(self, model: str, only: Filter) -> NDArray[np.int64]:
        """Slots of the chunks that pass."""
        condition, bindings = self.passing_chunks(only)
        slots = self.db.execute(
            f"""SELECT v.slot FROM chunks c CROSS JOIN vectors v ON v.model = ? AND v.hash = c.hash
            WHERE c.id IN ({condition})""",
            (self._number(model), *bindings),
        )
        return np.fromiter((slot for (slot,) in slots), np.int64)

    def _chunks_of_slots(self, model: str, slots: Sequence[int], only: Filter) -> Mapping[int, Sequence[int]]:
        """Slot → the chunks whose vector it is and that pass: equal texts share a slot, wherever they stand."""
        number = self._number(model)
        keys = [(number, slot) for slot in slots]
        found = self._caches.chunks_of_slots.get_many(self._generation, keys, self._read_chunks_of_slots)
        chunks = {slot: own for (_, slot), own in found.items()}
        if only.passes_all:
            return chunks
        ids = [chunk for own in chunks.values() for chunk in own]
        passing = self._passing_among(ids, only)
        return {slot: [chunk for chunk in own if chunk in passing] for slot, own in chunks.items()}

    def _passing_among(self, chunks: Sequence[int], only: Filter) -> set[int]:
        passing = self.passing(only)
        if not len(passing):
            return set()
        ids = np.asarray(chunks, "int64")
        places = passing.searchsorted(ids).clip(max=len(passing) - 1)
        return set(ids[passing[places] == ids].tolist())

    def _read_chunks_of_slots(self, keys: list[tuple[int, int]]) -> dict[tuple[int, int], list[int]]:
        chunks: dict[tuple[int, int], list[int]] = {key: [] for key in keys}
        query = """SELECT v.model, v.slot, c.id FROM json_each(?) w
            CROSS JOIN vectors v ON v.model = ? AND v.slot = w.value CROSS JOIN chunks c ON c.hash = v.hash
            ORDER BY c.id"""
        for model, slot, chunk in self.db.execute(query, (self.array(slot for _, slot in keys), keys[0][0])):
            chunks[model, slot].append(chunk)
        return chunks

    def _number(self, model: str) -> int:
        row = self.db.execute("SELECT id FROM models WHERE name = ?", (escaped(model),)).fetchone()
        return row[0] if row else -1


def _slots_in_use(db: apsw.Connection, model: int) -> tuple[int, list[int]]:
    """How many slots there are, and which of them are free."""
    first, last, used = only_row(db, "SELECT min(slot), max(slot), count(*) FROM vectors WHERE model = ?", (model,))
    if not used:
        return 0, []
    size = last + 1
    capacity = BLOCK * only_value(db, "SELECT count(*) FROM vector_blocks WHERE model = ?", (model,))
    if first < 0 or size > capacity:
        raise ValueError(f"vectors {first} to {last} lie outside of the blocks")
    if used == size:
        return size, []
    taken = {slot for (slot,) in db.execute("SELECT slot FROM vectors WHERE model = ?", (model,))}
    return size, [slot for slot in range(size) if slot not in taken]


class _Slots:
    """The slots of a model that new vectors take."""

    def __init__(self, size: int, free: list[int], undone: int) -> None:
        self._size = size
        self._free = free[::-1]
        self.undone = undone
        """Steps of the update that were undone when these were counted."""

    def take(self) -> int:
        if self._free:
            return self._free.pop()
        self._size += 1
        return self._size - 1


class SqliteVectorWriter(SqliteVectors, DocumentWriter):
    """The vectors of a writer."""

    update: SqliteUpdate
    _slots_of: dict[int, _Slots]
    """Of each model that has been written to; counting them takes a look at every vector."""

    def add_packed(self, vectors: Iterable[PackedVectors]) -> None:
        for model, dims, texts, names in merged(vectors):
            with self.update.step():
                number = self._number(model)
                known = self._known_slots(number, texts)
                new = {digest: data for digest, data in texts.items() if digest not in known}
                if new or number < 0:
                    number = self._ensure_model(model, dims)
                    self._put_rows(number, dims, new, self._give_slots(number, new, {}))
                self._insert_names(number, names, "IGNORE")

    def put_vectors(self, model: str, dims: int, vectors: Mapping[bytes, tuple[bytes, bytes]]) -> None:
        """Hash → a vector and its parts, as they are stored."""
        with self.update.step():
            number = self._ensure_model(model, dims)
            self._put_rows(number, dims, vectors, self._give_slots(number, vectors, self._known_slots(number, vectors)))

    def _put_rows(
        self, model: int, dims: int, vectors: Mapping[bytes, tuple[bytes, bytes]], slots: Mapping[bytes, int]
    ) -> None:
        self.db.executemany(
            """INSERT INTO vectors (model, hash, slot, checksum) VALUES (?, ?, ?, ?)
            ON CONFLICT (model, hash) DO UPDATE SET checksum = excluded.checksum""",
            ((model, digest, slots[digest], checksum(digest, *data)) for digest, data in vectors.items()),
        )
        self._write_rows(model, dims, {slots[digest]: row for digest, (row, _) in vectors.items()})
        self.db.executemany(
            "INSERT OR REPLACE INTO vector_parts VALUES (?, ?, ?)",
            ((model, slots[digest], parts) for digest, (_, parts) in vectors.items()),
        )

    def put_names(self, model: str, dims: int, names: Mapping[bytes, bytes]) -> None:
        """Hash of a name → its vector, as it is stored."""
        with self.update.step():
            self._insert_names(self._ensure_model(model, dims), names, "REPLACE")

    def _insert_names(self, model: int, names: Mapping[bytes, bytes], if_known: str) -> None:
        self.db.executemany(
            f"INSERT OR {if_known} INTO name_vectors (model, hash, data, checksum) VALUES (?, ?, ?, ?)",
            ((model, digest, data, checksum(digest, data)) for digest, data in names.items()),
        )

    @decoding
    def claim(self, model: str, hashes: Sequence[str], owner: str, seconds: float, *, names: bool = False) -> set[str]:
        query = _CLAIM.format(table="name_vectors" if names else "vectors")
        fixed = self._number(model), escaped(model), escaped(owner), time.time() + seconds
        with self.update.step(), self.update.unnoticed():
            return {digest for digest in hashes if self.db.execute(query, (*fixed, bytes.fromhex(digest))).fetchone()}

    def release(self, owner: str) -> None:
        with self.update.step(), self.update.unnoticed():
            self.db.execute("DELETE FROM claims WHERE owner = ?", (escaped(owner),))

    def sweep(self, models: Collection[str] | None = None) -> int:
        before = self._count_vectors()
        self._slots_of.clear()
        with self.update.step():
            for number, name in rows(self.db, "SELECT id, name FROM models"):
                if models is None or unescaped(name) in models:
                    self._sweep(number)
                else:
                    self.db.execute("DELETE FROM models WHERE id = ?", (number,))
        return before - self._count_vectors()

    def _sweep(self, model: int) -> None:
        freed = rows(
            self.db,
            """DELETE FROM vectors WHERE model = ?
            AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = vectors.hash) RETURNING slot""",
            (model,),
        )
        if freed:
            self._stamp_blocks(model, {slot // BLOCK for (slot,) in freed})
            query = "UPDATE models SET changed = (SELECT generation + 1 FROM state), stamp = random() WHERE id = ?"
            self.db.execute(query, (model,))
        # As a float: integer division would take -1, a model without vectors, for block 0.
        for table in ("vector_blocks", "block_stamps"):
            self.db.execute(
                f"""DELETE FROM {table} WHERE model = ?1
                AND number > (SELECT coalesce(max(slot), -1) FROM vectors WHERE model = ?1) / ?2""",
                (model, float(BLOCK)),
            )
        self.db.execute(
            """DELETE FROM name_vectors WHERE model = ?
            AND hash NOT IN (SELECT name FROM chunks WHERE name IS NOT NULL UNION SELECT name FROM documents
            WHERE name IS NOT NULL)""",
            (model,),
        )

    def _count_vectors(self) -> int:
        return int(only_value(self.db, "SELECT count(*) FROM vectors"))

    def _ensure_model(self, name: str, dims: int) -> int:
        number, stored_dims = only_row(
            self.db,
            """INSERT INTO models (name, dims, changed, stamp)
            SELECT ?, ?, generation + 1, random() FROM state WHERE TRUE
            ON CONFLICT (name) DO UPDATE SET changed = excluded.changed, stamp = random() RETURNING id, dims""",
            (escaped(name), dims),
        )
        if stored_dims != dims:
            raise Damaged(f"vectors of length {dims} for {name!r}, which has vectors of length {stored_dims}")
        return int(number)

    @decoding
    def _give_slots(self, model: int, hashes: Collection[bytes], known: Mapping[bytes, int]) -> dict[bytes, int]:
        """The slot of each hash: the one it has, else a free one, else the next after the last."""
        slots = dict(known)
        for digest in hashes:
            if digest not in slots:
                slots[digest] = self._free_slots(model).take()
        return slots

    def _known_slots(self, model: int, hashes: Iterable[bytes]) -> dict[bytes, int]:
        slots: dict[bytes, int] = {}
        for digest in hashes if model >= 0 else ():
            row = self.db.execute("SELECT slot FROM vectors WHERE model = ? AND hash = ?", (model, digest)).fetchone()
            if row:
                slots[digest] = row[0]
        return slots

    def _free_slots(self, model: int) -> _Slots:
        slots = self._slots_of.get(model)
        if slots is None or slots.undone != self.update.undone:
            slots = self._slots_of[model] = _Slots(*_slots_in_use(self.db, model), self.update.undone)
        return slots

    def _write_rows(self, model: int, dims: int, data: dict[int, bytes]) -> None:
        """Writes only the pages that the rows lie on, not whole blocks."""
        width = dims * BYTES
        numbers = sorted({slot // BLOCK for slot in data})
        self._stamp_blocks(model, numbers)
        for number in numbers:
            self.db.execute(
                "INSERT INTO vector_blocks (model, number, data) VALUES (?, ?, zeroblob(?)) ON CONFLICT DO NOTHING",
                (model, number, BLOCK * width),
            )
            block = only_value(self.db, "SELECT id FROM vector_blocks WHERE model = ? AND number = ?", (model, number))
            with self.db.blob_open("main", "vector_blocks", "data", block, True) as blob:
                for slot in sorted(slot for slot in data if slot // BLOCK == number):
                    blob.seek(slot % BLOCK * width)
                    blob.write(data[slot])

    def _stamp_blocks(self, model: int, numbers: Iterable[int]) -> None:
        query = "INSERT OR REPLACE INTO block_stamps VALUES (?, ?, random())"
        self.db.executemany(query, ((model, number) for number in numbers))


def checksum(*data: bytes) -> int:
    """The checksum of a hash and its data. Without it, a damaged vector looks like any other."""
    return reduce(lambda checked, more: zlib.crc32(more, checked), data, 0)

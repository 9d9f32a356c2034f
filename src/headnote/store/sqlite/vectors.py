"""Vectors: rows of half-precision numbers in blocks, so that a whole matrix is a few reads.

Which hash has which slot is the only thing that is kept; that a slot is free means that no hash has it.
Joins are crossed, which in SQLite fixes their order: left to itself, it may read all vectors for every chunk.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Collection, Mapping, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING

from headnote.extras import load_numpy
from headnote.store.codec import escaped, unescaped, unpacked_strings
from headnote.store.damage import decoding
from headnote.store.filters import Filter
from headnote.store.names import name_hash, names_of
from headnote.store.quantized import name_rows, part_set, vector_rows, with_names
from headnote.store.queries import PENDING_NAMES
from headnote.store.rows import Claim, PartSet, PendingText, VectorSet
from headnote.store.sqlite.documents import ReadsDocuments
from headnote.store.sqlite.kept import Kept
from headnote.store.sqlite.sql import Steps, only_row, only_value, passing_chunks, rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1024
"""Vectors in a block."""
BYTES = 2
"""Of one number."""

_WITHOUT_VECTOR = """
SELECT id FROM chunks c
WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = ? AND v.hash = c.hash)
AND NOT EXISTS (SELECT 1 FROM claims m WHERE m.model = ? AND m.hash = c.hash)
ORDER BY id LIMIT ?
"""


class ReadsVectors(ReadsDocuments):
    """The part of a reader that knows vectors."""

    kept: Kept

    def models(self) -> dict[str, int]:
        return {unescaped(name): dims for name, dims in self.db.execute("SELECT name, dims FROM models ORDER BY id")}

    def pending(self, model: str, limit: int) -> list[PendingText]:
        number = self._model(model)
        ids = [row[0] for row in self.db.execute(_WITHOUT_VECTOR, (number, escaped(model), limit))]
        return [PendingText(*pair) for pair in {chunk.row.hash: chunk.embed_text for chunk in self.chunks(ids)}.items()]

    def pending_names(self, model: str) -> list[str]:
        found = rows(self.db, PENDING_NAMES.format(model=self._model(model)))
        names = {names_of(unescaped(title), unpacked_strings(path))[-1] for title, path in found}
        claimed = {row[0] for row in rows(self.db, "SELECT hash FROM claims WHERE model = ?", (escaped(model),))}
        return sorted(name for name in names if name_hash(name) not in claimed)

    def claims(self, model: str) -> list[Claim]:
        query = "SELECT owner, max(until) FROM claims WHERE model = ? GROUP BY owner ORDER BY owner"
        now = time.time()
        return [Claim(unescaped(owner), until - now) for owner, until in rows(self.db, query, (escaped(model),))]

    def nearest(
        self,
        model: str,
        query: NDArray[np.float32],
        depth: int,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[tuple[int, float]]:
        vectors = self.kept.matrices.current(partial(self.vectors, model))
        if vectors is None:
            return []
        numpy = load_numpy()
        similarities = vectors.matrix @ query
        if not numpy.isfinite(similarities).all():
            raise ValueError("a vector has a number that is none")
        if not only.passes_all:
            allowed = numpy.zeros(len(similarities), dtype=bool)
            allowed[self.slots(model, only)] = True
            similarities = numpy.where(allowed, similarities, -1.0)
        depth = min(depth, len(similarities))
        # The best ones in any order first, which is linear; only these are sorted.
        best = numpy.argpartition(-similarities, depth - 1)[:depth] if depth else numpy.empty(0, dtype=numpy.int64)
        best = best[numpy.lexsort((best, -similarities[best]))]
        slots = [int(slot) for slot in best if similarities[slot] > 0]
        chunks = self.chunks_of_slots(model, slots, only)
        return [(chunk, float(similarities[slot])) for slot in slots for chunk in chunks.get(slot, ())]

    def vectors(self, model: str, known: VectorSet | None = None) -> VectorSet | None:
        numpy = load_numpy()
        row = self.db.execute("SELECT id, dims, changed FROM models WHERE name = ?", (escaped(model),)).fetchone()
        if row is None:
            return None
        number, dims, changed = row
        if known is not None and (known.model, known.changed) == (model, changed):
            return known
        size, free = self._slots_in_use(number)
        lengths = rows(self.db, "SELECT DISTINCT length(data) FROM vector_blocks WHERE model = ?", (number,))
        if size and lengths != [(BLOCK * BYTES * dims,)]:
            raise ValueError(f"blocks of vectors that have other lengths than {dims} numbers need")
        matrix = numpy.zeros((size, dims), numpy.float32)
        blocks = self.db.execute("SELECT number, data FROM vector_blocks WHERE model = ? ORDER BY number", (number,))
        for block, data in blocks:
            at = block * BLOCK
            matrix[at : at + BLOCK] = numpy.frombuffer(data, numpy.float16).reshape(-1, dims)[: max(size - at, 0)]
        matrix[free] = 0
        return VectorSet(model, matrix, changed)

    def chunks_of_slots(
        self,
        model: str,
        slots: Sequence[int],
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        condition, bindings = ("", []) if only.passes_all else passing_chunks(only)
        restriction = f"WHERE +c.id IN ({condition})" if condition else ""
        pairs = self.db.execute(
            f"""SELECT v.slot, c.id FROM json_each(?) w
            CROSS JOIN vectors v ON v.model = ? AND v.slot = w.value CROSS JOIN chunks c ON c.hash = v.hash
            {restriction} ORDER BY w.key, c.id""",
            (json.dumps(list(map(int, slots))), self._model(model), *bindings),
        )
        for slot, chunk in pairs:
            found.setdefault(slot, []).append(chunk)
        return found

    def slots(self, model: str, only: Filter) -> NDArray[np.int64]:
        numpy = load_numpy()
        condition, bindings = passing_chunks(only)
        found = self.db.execute(
            f"""SELECT v.slot FROM chunks c CROSS JOIN vectors v ON v.model = ? AND v.hash = c.hash
            WHERE c.id IN ({condition})""",
            (self._model(model), *bindings),
        )
        slots: NDArray[np.int64] = numpy.unique(numpy.fromiter((row[0] for row in found), numpy.int64))
        return slots

    def parts(self, model: str, chunks: Sequence[int]) -> PartSet:
        number = self._model(model)
        wanted = [(number, int(chunk)) for chunk in chunks]
        found = self.kept.parts.get(self.generation(), wanted, self._read_parts)
        return part_set([(key[1], found[key]) for key in wanted if found[key]], self.models().get(model, 0))

    def _read_parts(self, keys: list[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        """(model, chunk) → its names and parts; empty for those that have no parts."""
        found = rows(
            self.db,
            """SELECT m.id, c.id, m.dims, p.data, t.data, n.data FROM json_each(?) w
            CROSS JOIN chunks c ON c.id = w.value CROSS JOIN documents d ON d.id = c.document
            CROSS JOIN models m ON m.id = ? CROSS JOIN vectors v ON v.model = m.id AND v.hash = c.hash
            CROSS JOIN vector_parts p ON p.model = v.model AND p.slot = v.slot
            LEFT JOIN name_vectors t ON t.model = m.id AND t.hash = d.name
            LEFT JOIN name_vectors n ON n.model = m.id AND n.hash = c.name""",
            (json.dumps([chunk for _, chunk in keys]), keys[0][0]),
        )
        return dict.fromkeys(keys, b"") | {
            (model, chunk): with_names(parts, names, dims) for model, chunk, dims, parts, *names in found
        }

    def _slots_in_use(self, model: int) -> tuple[int, list[int]]:
        """How many slots there are, and which of them are free."""
        first, last, used = only_row(
            self.db, "SELECT min(slot), max(slot), count(*) FROM vectors WHERE model = ?", (model,)
        )
        if not used:
            return 0, []
        size = last + 1
        room = BLOCK * only_value(self.db, "SELECT count(*) FROM vector_blocks WHERE model = ?", (model,))
        if first < 0 or size > room:
            raise ValueError(f"vectors {first} to {last} lie outside of the blocks")
        if used == size:
            return size, []
        taken = {slot for (slot,) in self.db.execute("SELECT slot FROM vectors WHERE model = ?", (model,))}
        return size, [slot for slot in range(size) if slot not in taken]

    def _model(self, name: str) -> int:
        """Its number, or one that no model has."""
        row = self.db.execute("SELECT id FROM models WHERE name = ?", (escaped(name),)).fetchone()
        return row[0] if row else -1


class WritesVectors(ReadsVectors, Steps):
    """The part of a writer that knows vectors."""

    def add_vectors(
        self,
        model: str,
        hashes: Sequence[str],
        matrix: NDArray[np.floating],
        parts: Sequence[NDArray[np.floating]] | None = None,
    ) -> None:
        wanted = vector_rows(hashes, matrix, parts)
        if not wanted:
            return
        self.put_vectors(
            model, matrix.shape[1], {digest: (row.tobytes(), cut) for digest, (row, cut) in wanted.items()}
        )

    def put_vectors(self, model: str, dims: int, vectors: Mapping[bytes, tuple[bytes, bytes]]) -> None:
        """Hash → a vector and its parts, as they are stored."""
        with self.step():
            number = self._ensure_model(model, dims)
            slots = self._give_slots(number, vectors)
            self.db.executemany(
                """INSERT INTO vectors (model, hash, slot, checksum) VALUES (?, ?, ?, ?)
                ON CONFLICT (model, hash) DO UPDATE SET checksum = excluded.checksum""",
                ((number, digest, slots[digest], checksum(digest, *data)) for digest, data in vectors.items()),
            )
            self._write_rows(number, dims, {slots[digest]: row for digest, (row, _) in vectors.items()})
            self.db.executemany(
                "INSERT OR REPLACE INTO vector_parts VALUES (?, ?, ?)",
                ((number, slots[digest], cut) for digest, (_, cut) in vectors.items()),
            )

    def add_names(self, model: str, names: Sequence[str], matrix: NDArray[np.floating]) -> None:
        self.put_names(model, matrix.shape[1], name_rows(names, matrix))

    def put_names(self, model: str, dims: int, names: Mapping[bytes, bytes]) -> None:
        """Hash of a name → its vector, as it is stored."""
        with self.step():
            number = self._ensure_model(model, dims)
            self.db.executemany(
                "INSERT OR REPLACE INTO name_vectors (model, hash, data, checksum) VALUES (?, ?, ?, ?)",
                ((number, digest, data, checksum(digest, data)) for digest, data in names.items()),
            )

    @decoding
    def claim(self, model: str, hashes: Sequence[str], owner: str, seconds: float) -> None:
        until = time.time() + seconds
        with self.step(), self.no_news():
            self.db.executemany(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?)",
                [(escaped(model), bytes.fromhex(digest), escaped(owner), until) for digest in hashes],
            )

    def release(self, owner: str) -> None:
        with self.step(), self.no_news():
            self.db.execute("DELETE FROM claims WHERE owner = ?", (escaped(owner),))

    def sweep(self, models: Collection[str] | None = None) -> int:
        before = self._count_vectors()
        with self.step():
            for number, name in rows(self.db, "SELECT id, name FROM models"):
                if models is None or unescaped(name) in models:
                    self._sweep(number)
                else:
                    self.db.execute("DELETE FROM models WHERE id = ?", (number,))
        return before - self._count_vectors()

    def _sweep(self, model: int) -> None:
        self.db.execute(
            """DELETE FROM vectors WHERE model = ?
            AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = vectors.hash)""",
            (model,),
        )
        if self.db.changes():
            self.db.execute("UPDATE models SET changed = (SELECT generation + 1 FROM state) WHERE id = ?", (model,))
        # Not the division of integers, which would take the last block of a model without vectors for the first.
        self.db.execute(
            """DELETE FROM vector_blocks WHERE model = ?1
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
        number, known = only_row(
            self.db,
            """INSERT INTO models (name, dims, changed) SELECT ?, ?, generation + 1 FROM state WHERE TRUE
            ON CONFLICT (name) DO UPDATE SET changed = excluded.changed RETURNING id, dims""",
            (escaped(name), dims),
        )
        if known != dims:
            raise ValueError(f"vectors of length {dims} for {name!r}, which has vectors of length {known}")
        return int(number)

    @decoding
    def _give_slots(self, model: int, wanted: Collection[bytes]) -> dict[bytes, int]:
        """The slot that a hash has, else a free one, else one behind the last."""
        slots: dict[bytes, int] = {}
        for digest in wanted:
            row = self.db.execute("SELECT slot FROM vectors WHERE model = ? AND hash = ?", (model, digest)).fetchone()
            if row:
                slots[digest] = row[0]
        new = [digest for digest in wanted if digest not in slots]
        size, free = self._slots_in_use(model)
        given = [*free, *range(size, size + max(len(new) - len(free), 0))]
        slots.update(zip(new, given, strict=False))
        return slots

    def _write_rows(self, model: int, dims: int, data: dict[int, bytes]) -> None:
        """Writes only the pages that the rows lie on, not whole blocks."""
        width = dims * BYTES
        for number in sorted({slot // BLOCK for slot in data}):
            self.db.execute(
                "INSERT INTO vector_blocks (model, number, data) VALUES (?, ?, zeroblob(?)) ON CONFLICT DO NOTHING",
                (model, number, BLOCK * width),
            )
            block = only_value(self.db, "SELECT id FROM vector_blocks WHERE model = ? AND number = ?", (model, number))
            with self.db.blob_open("main", "vector_blocks", "data", block, True) as blob:
                for slot in sorted(slot for slot in data if slot // BLOCK == number):
                    blob.seek(slot % BLOCK * width)
                    blob.write(data[slot])


def checksum(*data: bytes) -> int:
    """Of a hash and what is kept for it: a damaged vector looks like any other."""
    return reduce(lambda known, more: zlib.crc32(more, known), data, 0)

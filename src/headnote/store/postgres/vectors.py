"""Vectors: numbers of half precision, as in SQLite, compared by the server.

Some ten thousand are compared one by one, which is exact and fast enough. Where a model has more, it gets an HNSW index
of its own (vectors of several lengths share a table, so it is an index of a part). Behind a filter that few chunks
pass, these few are compared one by one all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from headnote.extras import load_numpy
from headnote.store.codec import escaped, unescaped, unpacked_strings
from headnote.store.filters import Filter
from headnote.store.names import name_hash, names_of
from headnote.store.postgres.documents import ReadsDocuments
from headnote.store.postgres.filtering import Filters
from headnote.store.postgres.sql import Steps, only_row, only_value, rows
from headnote.store.quantized import name_rows, part_set, vector_rows, with_names
from headnote.store.queries import PENDING_NAMES
from headnote.store.rows import Claim, PartSet, PendingText, VectorSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

EXACT = 12_000_000
"""Numbers that are compared one by one, such as 30,000 vectors of 384; with more, an index decides which."""
MOST_DIMENSIONS = 2000
"""Of a vector that an index takes; longer ones are compared one by one, however many there are."""
LOOKED_AT = 800
"""Candidates that a search through the index keeps, of 1000 at most: four times what the fusion takes. Of vectors that
an index finds hard to tell apart, half as many lose one in ten of the best."""

_WITHOUT_VECTOR = """
SELECT c.id FROM chunks c
WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model = %s AND v.hash = c.hash)
AND NOT EXISTS (SELECT 1 FROM claims m WHERE m.model = %s AND m.hash = c.hash)
ORDER BY c.id LIMIT %s
"""
_SLOTS = "SELECT row_number() OVER (ORDER BY id) - 1 AS slot, hash FROM vectors WHERE model = %s"
"""Vectors in the order in which they came have numbers without gaps, for those who want the whole matrix."""


class Model(NamedTuple):
    number: int
    dims: int
    changed: int
    indexed: bool


_NONE = Model(-1, 0, 0, False)


class ReadsVectors(ReadsDocuments, Filters):
    """The part of a reader that knows vectors."""

    exact = EXACT

    def models(self) -> dict[str, int]:
        return {unescaped(name): dims for name, dims in rows(self.db, "SELECT name, dims FROM models ORDER BY id")}

    def pending(self, model: str, limit: int) -> list[PendingText]:
        ids = [row[0] for row in rows(self.db, _WITHOUT_VECTOR, (self._model(model).number, escaped(model), limit))]
        return [PendingText(*pair) for pair in {chunk.row.hash: chunk.embed_text for chunk in self.chunks(ids)}.items()]

    def pending_names(self, model: str) -> list[str]:
        found = rows(self.db, PENDING_NAMES.format(model=self._model(model).number))
        names = {names_of(unescaped(title), unpacked_strings(path))[-1] for title, path in found}
        claimed = {
            bytes(row[0]) for row in rows(self.db, "SELECT hash FROM claims WHERE model = %s", (escaped(model),))
        }
        return sorted(name for name in names if name_hash(name) not in claimed)

    def claims(self, model: str) -> list[Claim]:
        # By the clock of the server: those of the machines may differ.
        query = """SELECT owner, extract(epoch FROM max(until) - clock_timestamp())::float8 FROM claims
        WHERE model = %s GROUP BY owner ORDER BY owner"""
        return [Claim(unescaped(owner), left) for owner, left in rows(self.db, query, (escaped(model),))]

    def nearest(
        self,
        model: str,
        query: NDArray[np.float32],
        depth: int,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[tuple[int, float]]:
        known = self._model(model)
        if known is _NONE or depth < 1:
            return []
        passing, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        order = "v.embedding <#> q.vector"
        through_index = known.indexed and not (passing and self._are_few(passing, bindings, known.dims))
        if through_index:
            order = f"v.embedding::vector({known.dims}) <#> q.vector::vector({known.dims})"
            # What the server estimates of a part of a table is too rough to let it choose.
            self.db.execute(
                f"""SET LOCAL hnsw.ef_search = {max(LOOKED_AT, min(depth, 1000))};
                SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL enable_sort = off"""
            )
        restriction = f"WHERE c.id IN ({passing})" if passing else ""
        allowed = f"AND EXISTS (SELECT 1 FROM chunks c {restriction} AND c.hash = v.hash)" if passing else ""
        vector = _written(query.tolist())
        found = rows(
            self.db,
            f"""WITH q AS (SELECT %s::vector AS vector), best AS MATERIALIZED (
                SELECT v.id, v.hash, {order.replace("q.vector", "(SELECT vector FROM q)")} AS distance FROM vectors v
                WHERE v.model = {known.number} {allowed}
                ORDER BY {order.replace("q.vector", "(SELECT vector FROM q)")} LIMIT {int(depth)}
            ) SELECT c.id, -b.distance FROM best b JOIN chunks c USING (hash) {restriction}
            ORDER BY b.distance, b.id, c.id""",
            (vector, *bindings, *bindings),
        )
        if through_index:
            self.db.execute("SET LOCAL enable_sort = on")
        return [(chunk, similarity) for chunk, similarity in found if similarity > 0]

    def vectors(self, model: str, known: VectorSet | None = None) -> VectorSet | None:
        numpy = load_numpy()
        found = self._model(model)
        if found is _NONE:
            return None
        if known is not None and (known.model, known.changed) == (model, found.changed):
            return known
        data = rows(self.db, "SELECT vector_send(embedding) FROM vectors WHERE model = %s ORDER BY id", (found.number,))
        # Each begins with its length, and with two bytes that mean nothing yet.
        joined = b"".join(row[0][4:] for row in data)
        matrix = numpy.frombuffer(joined, ">f4").astype(numpy.float32).reshape(-1, found.dims)
        return VectorSet(model, matrix, found.changed)

    def chunks_of_slots(
        self,
        model: str,
        slots: Sequence[int],
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        passing, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        pairs = rows(
            self.db,
            f"""SELECT s.slot, c.id FROM unnest(%s::bigint[]) WITH ORDINALITY w (slot, place)
            JOIN ({_SLOTS}) s USING (slot) JOIN chunks c USING (hash)
            {f"WHERE c.id IN ({passing})" if passing else ""} ORDER BY w.place, c.id""",
            (list(map(int, slots)), self._model(model).number, *bindings),
        )
        for slot, chunk in pairs:
            found.setdefault(slot, []).append(chunk)
        return found

    def slots(self, model: str, only: Filter) -> NDArray[np.int64]:
        numpy = load_numpy()
        passing, bindings = self.passing_chunks(only)
        found = rows(
            self.db,
            f"""SELECT DISTINCT s.slot FROM ({_SLOTS}) s JOIN chunks c USING (hash)
            WHERE c.id IN ({passing}) ORDER BY s.slot""",
            (self._model(model).number, *bindings),
        )
        slots: NDArray[np.int64] = numpy.fromiter((row[0] for row in found), numpy.int64)
        return slots

    def parts(self, model: str, chunks: Sequence[int]) -> PartSet:
        known = self._model(model)
        found = rows(
            self.db,
            """SELECT c.id, v.parts, t.data, n.data FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place)
            JOIN chunks c ON c.id = w.id JOIN documents d ON d.id = c.document
            JOIN vectors v ON v.model = %s AND v.hash = c.hash
            LEFT JOIN name_vectors t ON t.model = v.model AND t.hash = d.name
            LEFT JOIN name_vectors n ON n.model = v.model AND n.hash = c.name ORDER BY w.place""",
            (list(map(int, chunks)), known.number),
        )
        together = [(chunk, with_names(parts, names, known.dims)) for chunk, parts, *names in found]
        return part_set(together, known.dims)

    def _are_few(self, passing: str, bindings: list[object], dims: int) -> bool:
        most = self.exact // dims
        query = f"SELECT count(*) FROM (SELECT 1 FROM ({passing}) p LIMIT {most + 1}) few"
        return int(only_value(self.db, query, bindings)) <= most

    def _model(self, name: str) -> Model:
        query = "SELECT id, dims, changed, indexed FROM models WHERE name = %s"
        row = self.db.execute(query, (escaped(name),)).fetchone()
        return Model(*row) if row else _NONE


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
        with self.step():
            number = self._ensure_model(model, matrix.shape[1])
            # In one order, so that two who add the same do not wait for each other in a circle.
            in_order = sorted(wanted.items(), key=lambda item: item[0]) if self.together else wanted.items()
            self.change_many(
                """INSERT INTO vectors (model, hash, embedding, parts) VALUES (%s, %s, %s::vector, %s)
                ON CONFLICT (model, hash) DO UPDATE SET embedding = excluded.embedding, parts = excluded.parts""",
                [(number, digest, _written(row.tolist()), cut) for digest, (row, cut) in in_order],
            )
            self.changed_models.add(number)

    def add_names(self, model: str, names: Sequence[str], matrix: NDArray[np.floating]) -> None:
        with self.step():
            number = self._ensure_model(model, matrix.shape[1])
            self.change_many(
                """INSERT INTO name_vectors (model, hash, data) VALUES (%s, %s, %s)
                ON CONFLICT (model, hash) DO UPDATE SET data = excluded.data""",
                # In one order, so that two who add the same do not wait for each other in a circle.
                [(number, digest, data) for digest, data in sorted(name_rows(names, matrix).items())],
            )

    def claim(self, model: str, hashes: Sequence[str], owner: str, seconds: float) -> None:
        with self.step(), self.db.cursor() as cursor:
            cursor.executemany(
                """INSERT INTO claims VALUES (%s, %s, %s, clock_timestamp() + %s * interval '1 second')
                ON CONFLICT (model, hash) DO UPDATE SET owner = excluded.owner, until = excluded.until""",
                [(escaped(model), bytes.fromhex(digest), escaped(owner), seconds) for digest in hashes],
            )

    def release(self, owner: str) -> None:
        with self.step():
            self.db.execute("DELETE FROM claims WHERE owner = %s", (escaped(owner),))

    def sweep(self, models: Collection[str] | None = None) -> int:
        dropped = 0
        with self.step():
            for number, name in rows(self.db, "SELECT id, name FROM models ORDER BY id"):
                if models is None or unescaped(name) in models:
                    dropped += self._sweep(number)
                else:
                    dropped += self.change("DELETE FROM vectors WHERE model = %s", (number,))
                    self.change("DELETE FROM models WHERE id = %s", (number,))
                    # Small as it is now, but every vector to come would be compared with its condition.
                    self.db.execute(f"DROP INDEX IF EXISTS {_index_of(number)}")
        return dropped

    def make_indexes(self) -> None:
        """For models that have become too large to be compared one by one. Others who write have to wait for it."""
        for number in sorted(self.changed_models):
            name, dims, indexed = only_row(self.db, "SELECT name, dims, indexed FROM models WHERE id = %s", (number,))
            if indexed or dims > MOST_DIMENSIONS:
                continue
            if only_value(self.db, "SELECT count(*) FROM vectors WHERE model = %s", (number,)) * dims > self.exact:
                # By one process: it is made when it is small and takes seconds, and not every build of pgvector
                # bears several of them.
                self.db.execute("SET LOCAL max_parallel_maintenance_workers = 0")
                self.db.execute("SET LOCAL maintenance_work_mem = '512MB'")
                self.db.execute(
                    f"""CREATE INDEX IF NOT EXISTS {_index_of(number)} ON vectors
                    USING hnsw ((embedding::vector({dims})) vector_ip_ops) WHERE model = {number}"""
                )
                self.change("UPDATE models SET indexed = true WHERE name = %s", (name,))

    def _sweep(self, model: int) -> int:
        dropped = self.change(
            """DELETE FROM vectors v WHERE v.model = %s
            AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = v.hash)""",
            (model,),
        )
        if dropped:
            self.changed_models.add(model)
        self.change(
            """DELETE FROM name_vectors v WHERE v.model = %s
            AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.name = v.hash)
            AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.name = v.hash)""",
            (model,),
        )
        return dropped

    def _ensure_model(self, name: str, dims: int) -> int:
        self.db.execute(
            """INSERT INTO models (name, dims, changed) SELECT %s, %s, generation + 1 FROM state
            ON CONFLICT (name) DO NOTHING""",
            (escaped(name), dims),
        )
        found = self._model(name)
        if found.dims != dims:
            raise ValueError(f"vectors of length {dims} for {name!r}, which has vectors of length {found.dims}")
        return found.number


def _index_of(model: int) -> str:
    return f"vectors_of_model_{int(model)}"


def _written(numbers: Sequence[float]) -> str:
    return f"[{','.join(map(repr, numbers))}]"

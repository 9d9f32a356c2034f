"""Vectors: numbers of half precision, as in SQLite, compared by the server.

Some ten thousand are compared one by one, which is exact and fast enough. A model with more gets an HNSW index of its
own, a partial one, since vectors of several lengths share a table. If few chunks pass a filter, these few are compared
one by one all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from headnote.extras import np
from headnote.store.caching import ALL
from headnote.store.codec import escaped, unescaped
from headnote.store.document_writer import DocumentWriter
from headnote.store.filters import Filter
from headnote.store.integrity import Damaged
from headnote.store.postgres.documents import CachedModel, PostgresDocuments
from headnote.store.postgres.sql import PostgresUpdate
from headnote.store.readers import VectorReader
from headnote.store.rows import PackedVectors, merged
from headnote.store.sharing import Connection, only_value, rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT = 12_000_000
"""Numbers that are compared one by one, such as 30,000 vectors of 384. Beyond that, an index is used."""
MAX_DIMENSIONS = 4000
"""The limit of an HNSW index; longer vectors are compared one by one, however many there are."""
CANDIDATES = 800
"""Candidates of a search through the index, at most 1000: four times what the fusion takes. With half as many, vectors
that are hard to tell apart lose one in ten of the best."""
MARGIN = 32
"""Vectors that are compared once more beyond those that are asked for. The first comparison rounds the query to half
precision, so the last places may be taken by the wrong ones."""

_INCOMING = {"vectors": "hash bytea, embedding halfvec, parts bytea", "name_vectors": "hash bytea, data bytea"}
"""Columns of the tables that vectors wait in until it is known which of them are new."""
_CLAIM = """
INSERT INTO claims SELECT %s, h.hash, %s, clock_timestamp() + %s * interval '1 second'
FROM (SELECT DISTINCT hash FROM unnest(%s::bytea[]) hash) h
WHERE NOT EXISTS (SELECT 1 FROM {table} v WHERE v.model = {model} AND v.hash = h.hash)
ON CONFLICT (model, hash) DO UPDATE SET until = excluded.until WHERE claims.owner = excluded.owner RETURNING hash
"""
_PARTS = """
SELECT c.id, v.parts, t.data, n.data FROM unnest(%s::bigint[]) w (id)
JOIN chunks c ON c.id = w.id JOIN documents d ON d.id = c.document
JOIN vectors v ON v.model = %s AND v.hash = c.hash
LEFT JOIN name_vectors t ON t.model = v.model AND t.hash = d.name
LEFT JOIN name_vectors n ON n.model = v.model AND n.hash = c.name
"""


_NONE = CachedModel(number=-1, dims=0, indexed=False)


class PostgresVectors(PostgresDocuments, VectorReader):
    """See `interface.Reader`."""

    PARTS = _PARTS
    # By the clock of the server: machines may disagree.
    SECONDS_LEFT = "extract(epoch FROM max(until) - clock_timestamp())::float8"

    def models(self) -> dict[str, int]:
        return {name: model.dims for name, model in self._models().items()}

    def _models(self) -> dict[str, CachedModel]:
        return self._caches.models.get(self._generation, ALL, lambda: _models(self.db))

    def _model(self, name: str) -> CachedModel:
        return self._models().get(name, _NONE)

    # -- search

    def nearest(
        self,
        model: str,
        query: NDArray[np.float32],
        depth: int,
        only: Filter = Filter(),  # noqa: B008  immutable
    ) -> list[tuple[int, float]]:
        stored = self._model(model)
        if stored is _NONE or depth < 1:
            return []
        passing, bindings = ("", []) if only.passes_all else self.passing_chunks(only)
        restriction = f"WHERE c.id IN ({passing})" if passing else ""
        allowed = f"AND EXISTS (SELECT 1 FROM chunks c {restriction} AND c.hash = v.hash)" if passing else ""
        through_index = stored.indexed and not (passing and self._are_few(passing, bindings, stored.dims))
        if through_index:
            half = f"halfvec({stored.dims})"
            distance = f"v.embedding::{half} <#> (SELECT vector FROM q)::{half}"
            self._prefer_index(depth)
        else:
            distance = "v.embedding <#> (SELECT vector FROM q)::halfvec"
        text = f"[{','.join(map(repr, query.tolist()))}]"
        pairs = rows(
            self.db,
            f"""WITH q AS (SELECT %s::vector AS vector), near AS MATERIALIZED (
                SELECT v.id, v.hash, v.embedding FROM vectors v
                WHERE v.model = {stored.number} {allowed} ORDER BY {distance} LIMIT {int(depth) + MARGIN}
            ), best AS MATERIALIZED (
                SELECT id, hash, embedding::vector <#> (SELECT vector FROM q) AS distance FROM near
                ORDER BY distance, id LIMIT {int(depth)}
            ) SELECT c.id, -b.distance FROM best b JOIN chunks c USING (hash) {restriction}
            ORDER BY b.distance, b.id, c.id""",
            (text, *bindings, *bindings),
        )
        if through_index:
            self.db.execute("SET LOCAL enable_sort = on")
        return [(chunk, similarity) for chunk, similarity in pairs if similarity > 0]

    def _prefer_index(self, depth: int) -> None:
        """The server's estimates for a partial index are too rough to let it choose the plan."""
        self.db.execute(
            f"""SET LOCAL hnsw.ef_search = {max(CANDIDATES, min(depth, 1000))};
            SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL enable_sort = off"""
        )

    def _are_few(self, passing: str, bindings: list[object], dims: int) -> bool:
        """Whether so few chunks pass that comparing all of them is fast enough."""
        most = self._exact // dims
        query = f"SELECT count(*) FROM (SELECT 1 FROM ({passing}) p LIMIT {most + 1}) few"
        return int(only_value(self.db, query, bindings)) <= most

    def _number(self, model: str) -> int:
        return self._model(model).number


def _models(db: Connection) -> dict[str, CachedModel]:
    columns = rows(db, "SELECT name, id, dims, indexed FROM models ORDER BY id")
    return {unescaped(name): CachedModel(*rest) for name, *rest in columns}


class PostgresVectorWriter(PostgresVectors, DocumentWriter):
    """The vectors of a writer."""

    update: PostgresUpdate

    def add_packed(self, vectors: Iterable[PackedVectors]) -> None:
        for model, dims, texts, names in merged(vectors):
            with self.update.step():
                number = self._ensure_model(model, dims)
                self._insert_vectors("vectors", number, _vector_columns(texts), "NOTHING")
                self._insert_vectors("name_vectors", number, list(names.items()), "NOTHING")
                self.update.changed_models.add(number)

    def put_vectors(self, model: str, dims: int, vectors: Mapping[bytes, tuple[bytes, bytes]]) -> None:
        with self.update.step():
            number = self._ensure_model(model, dims)
            new = "UPDATE SET embedding = excluded.embedding, parts = excluded.parts"
            self._insert_vectors("vectors", number, _vector_columns(vectors), new)
            self.update.changed_models.add(number)

    def put_names(self, model: str, dims: int, names: Mapping[bytes, bytes]) -> None:
        with self.update.step():
            number = self._ensure_model(model, dims)
            self._insert_vectors("name_vectors", number, list(names.items()), "UPDATE SET data = excluded.data")

    def _insert_vectors(self, table: str, model: int, columns: Sequence[Sequence[bytes]], if_known: str) -> None:
        """Rows of one hash each, through a table of our own: COPY is many times as fast as single statements, but
        cannot leave rows out."""
        if not columns:
            return
        incoming = f"incoming_{table}"
        self.db.execute(f"CREATE TEMPORARY TABLE {incoming} ({_INCOMING[table]}) ON COMMIT DROP")
        self.update.copy_bytes(incoming, columns)
        names = ", ".join(column.split()[0] for column in _INCOMING[table].split(", "))
        # In one order, so that two writers of the same vectors cannot deadlock.
        order = "ORDER BY hash" if self.update.concurrent else ""
        self.update.change(
            f"""INSERT INTO {table} (model, {names}) SELECT {model}, {names} FROM {incoming} {order}
            ON CONFLICT (model, hash) DO {if_known}"""
        )
        self.db.execute(f"DROP TABLE {incoming}")

    def claim(self, model: str, hashes: Sequence[str], owner: str, seconds: float, *, names: bool = False) -> set[str]:
        table = "name_vectors" if names else "vectors"
        query = _CLAIM.format(model=_models(self.db).get(model, _NONE).number, table=table)
        bindings = (escaped(model), escaped(owner), seconds, [bytes.fromhex(digest) for digest in hashes])
        with self.update.step():
            return {digest.hex() for (digest,) in rows(self.db, query, bindings)}

    def release(self, owner: str) -> None:
        with self.update.step():
            self.db.execute("DELETE FROM claims WHERE owner = %s", (escaped(owner),))

    def sweep(self, models: Collection[str] | None = None) -> int:
        dropped = 0
        with self.update.step():
            for number, name in rows(self.db, "SELECT id, name FROM models ORDER BY id"):
                if models is None or unescaped(name) in models:
                    dropped += self._sweep(number)
                else:
                    dropped += self.update.change("DELETE FROM vectors WHERE model = %s", (number,))
                    self.update.change("DELETE FROM models WHERE id = %s", (number,))
                    # An index without rows still costs: every new vector would be tested against its condition.
                    self.db.execute(f"DROP INDEX IF EXISTS {index_of(number)}")
        return dropped

    def build_indexes(self) -> None:
        """Build indexes for models that are too large now to compare vector by vector. Other writers wait for it."""
        if not self.update.changed_models:
            return
        for number, dims, indexed in rows(self.db, "SELECT id, dims, indexed FROM models ORDER BY id"):
            if indexed or dims > MAX_DIMENSIONS:
                continue
            if only_value(self.db, "SELECT count(*) FROM vectors WHERE model = %s", (number,)) * dims > self._exact:
                # By one process: the index is small when it is built, which takes seconds, and not every build
                # of pgvector survives several.
                self.db.execute("SET LOCAL max_parallel_maintenance_workers = 0")
                self.db.execute("SET LOCAL maintenance_work_mem = '1GB'")
                self.db.execute(
                    f"""CREATE INDEX IF NOT EXISTS {index_of(number)} ON vectors
                    USING hnsw ((embedding::halfvec({dims})) halfvec_ip_ops) WHERE model = {number}"""
                )
                self.update.change("UPDATE models SET indexed = true WHERE id = %s", (number,))

    def _sweep(self, model: int) -> int:
        dropped = self.update.change(
            """DELETE FROM vectors v WHERE v.model = %s
            AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = v.hash)""",
            (model,),
        )
        if dropped:
            self.update.changed_models.add(model)
        self.update.change(
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
        stored = _models(self.db)[name]
        if stored.dims != dims:
            raise Damaged(f"vectors of length {dims} for {name!r}, which has vectors of length {stored.dims}")
        return stored.number


def index_of(model: int) -> str:
    return f"vectors_of_model_{int(model)}"


def _vector_columns(vectors: Mapping[bytes, tuple[bytes, bytes]]) -> list[tuple[bytes, bytes, bytes]]:
    """Hash → a vector and its parts, as they are stored; the vector as the server reads it: its length, two bytes
    without meaning, and its numbers, the first byte of each first."""
    swapped = {digest: np.frombuffer(row, "<u2").astype(">u2") for digest, (row, _) in vectors.items()}
    return [
        (digest, len(row).to_bytes(2, "big") + bytes(2) + row.tobytes(), vectors[digest][1])
        for digest, row in swapped.items()
    ]

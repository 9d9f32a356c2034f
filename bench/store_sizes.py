"""Both stores with a given number of chunks: writing, searching, the index of vectors and what it finds, memory."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psycopg

from headnote.embedding.registry import Models
from headnote.search.engine import DEPTH, Engine
from headnote.search.query import MODES, Mode, Query
from headnote.store.base import Store
from headnote.store.postgres.store import PostgresStore
from headnote.store.postgres.vectors import EXACT
from headnote.store.sqlite.store import SqliteStore
from made_chunks import MODEL, MadeChunks
from report import Figure, Table, show

COMMIT_EVERY = 25_000
"""Chunks."""
NEVER = 1 << 60
"""Numbers that are compared one by one: all."""
SQLITE, ONE_BY_ONE, BY_HNSW = "SQLite", "PostgreSQL, one by one", "PostgreSQL, HNSW"
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Server(NamedTuple):
    """The processes of a PostgreSQL on this machine."""

    process: int

    @classmethod
    def at(cls, url: str) -> Server:
        with psycopg.connect(url) as connection:
            (backend,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        return cls(int(_stat(backend)[1]))

    def cores(self) -> float:
        """Seconds of all cores that its processes used, those that have ended included."""
        own = sum(map(int, _stat(self.process)[11:15]))
        return (own + sum(sum(map(int, _stat(child)[11:13])) for child in self._children())) / _TICK

    def memory(self) -> int:
        """Bytes of all its processes; pages they share count once."""
        return sum(map(_own_memory, (self.process, *self._children())))

    def _children(self) -> list[int]:
        return [int(child) for child in Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()]


def _stat(process: int) -> list[str]:
    """The fields after the name: state, parent, …"""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended, and counts among those of its parent
        return ["0"] * 20


def _own_memory(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024


class Spent(NamedTuple):
    seconds: float
    """By the clock."""
    cores: float
    """Seconds of all cores, ours and the server's."""


class Meter:
    """How long something takes, here and in the server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._left_out = Spent(0.0, 0.0)

    @contextmanager
    def measured(self) -> Iterator[list[Spent]]:
        spent: list[Spent] = []
        self._left_out = Spent(0.0, 0.0)
        begin = self._now()
        yield spent
        end = self._now()
        spent.append(Spent(*(b - a - left for a, b, left in zip(begin, end, self._left_out, strict=True))))

    @contextmanager
    def left_out(self) -> Iterator[None]:
        begin, cores = time.perf_counter(), time.process_time()
        yield
        seconds, used = self._left_out
        self._left_out = Spent(seconds + time.perf_counter() - begin, used + time.process_time() - cores)

    def _now(self) -> Spent:
        return Spent(time.perf_counter(), time.process_time() + self.server.cores())


def compare_sizes(url: str, target: str, count: int) -> list[Figure]:
    """Writes the same chunks into both stores and asks both the same. The schema must not exist."""
    made, meter = MadeChunks(count), Meter(Server.at(url))
    figures: list[Figure] = []
    with TemporaryDirectory() as scratch:
        sqlite = SqliteStore.open(scratch)
        figures += written(SQLITE, sqlite, made, meter)
        expected = nearest(sqlite, made)
        hits: Hits = {}
        figures += searched(SQLITE, sqlite, made, meter, hits)
        sqlite.close()
        postgres = PostgresStore.open(scratch, target, exact=NEVER)
        figures += written("PostgreSQL", postgres, made, meter)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"VACUUM ANALYZE {postgres.target.schema}.postings")
        figures += found_again(ONE_BY_ONE, postgres, made, expected)
        figures += searched(ONE_BY_ONE, postgres, made, meter, hits)
        postgres.close()
        if count * made.dimensions > EXACT:
            indexed = PostgresStore.open(scratch, target)
            figures += built(indexed, made, meter)
            figures += found_again(BY_HNSW, indexed, made, expected)
            figures += searched(BY_HNSW, indexed, made, meter, hits)
            indexed.close()
    case = f"{count:,} chunks"
    figures = [figure._replace(case=f"{case}: {figure.case}") for figure in figures]
    rows = [[one.case.partition(": ")[2], one.metric, f"{one.value:,.3g} {one.unit}".rstrip()] for one in figures]
    show(Table(case, ["store", "what", "value"], rows, ["core: seconds of all cores, those of the server included."]))
    return figures


def written(name: str, store: Store, made: MadeChunks, meter: Meter) -> list[Figure]:
    """Documents, words and vectors, as an update writes them once they are read."""
    with meter.measured() as spent, store.writing() as writer:
        entries, more = made.entries(), True
        while more:
            with meter.left_out():
                batch = [entry for _, entry in zip(range(COMMIT_EVERY // 10), entries, strict=False)]
            more = bool(batch)
            writer.put(batch)
            writer.commit()
    with store.reading() as reader:
        size = reader.counts().bytes_on_disk
    print(f"  {name} written: {spent[0].seconds:.0f} s, {spent[0].cores:.0f} core s", flush=True)
    return [
        Figure(name, "write", "s", spent[0].seconds),
        Figure(name, "write, cores", "core s", spent[0].cores),
        Figure(name, "size", "MB", size / 1e6),
    ]


def built(store: PostgresStore, made: MadeChunks, meter: Meter) -> list[Figure]:
    """The index of vectors, by an update that adds one."""
    with meter.measured() as spent, store.writing() as writer:
        writer.add_vectors(MODEL, ["0" * 32], made.queries[0].vector.reshape(1, -1))
    with store.reading() as reader:
        size = reader.db.execute("SELECT pg_relation_size('vectors_of_model_1')")
        (size_of_index,) = size.fetchone()
    print(f"  HNSW built: {spent[0].seconds:.0f} s, {spent[0].cores:.0f} core s", flush=True)
    return [
        Figure(BY_HNSW, "build of the index", "s", spent[0].seconds),
        Figure(BY_HNSW, "build of the index, cores", "core s", spent[0].cores),
        Figure(BY_HNSW, "size of the index", "MB", size_of_index / 1e6),
    ]


Nearest = list[list[int]]


def nearest(store: Store, made: MadeChunks) -> Nearest:
    with store.reading() as reader:
        return [[chunk for chunk, _ in reader.nearest(MODEL, query.vector, DEPTH)] for query in made.queries]


def found_again(name: str, store: Store, made: MadeChunks, expected: Nearest) -> list[Figure]:
    """How many of the nearest vectors in SQLite, which compares all of them, are among the nearest here."""
    found = nearest(store, made)
    figures = []
    for depth in (10, DEPTH):
        shared = [len(set(one[:depth]) & set(other[:depth])) for one, other in zip(found, expected, strict=True)]
        figures.append(
            Figure(name, f"recall of the nearest {depth}", "%", 100 * sum(shared) / (depth * len(shared)), "higher")
        )
    return figures


Hits = dict[tuple[Mode, str], list[str]]
"""Mode and query → the documents that are found, best first."""


def searched(name: str, store: Store, made: MadeChunks, meter: Meter, hits: Hits) -> list[Figure]:
    """`hits` are those of the store that was searched first; it puts them there."""
    engine = Engine(store, Models(deep=made))
    with meter.measured() as first:
        engine.search(Query(made.queries[-1].text, min_score=0.0))
    figures = [Figure(name, "first search", "ms", 1e3 * first[0].seconds)]
    for mode in MODES:
        queries = [Query(query.text, mode=mode, min_score=0.0) for query in made.queries]
        times, same = [], 0
        with meter.measured() as spent:
            for query in queries:
                begin = time.perf_counter()
                found = [hit.path for hit in engine.search(query)]
                times.append(time.perf_counter() - begin)
                same += hits.setdefault((mode, query.text), found) == found
        figures.append(Figure(name, f"{mode} search, p50", "ms", 1e3 * statistics.median(times)))
        figures.append(Figure(name, f"{mode} search, cores", "core ms", 1e3 * spent[0].cores / len(queries)))
        figures.append(
            Figure(name, f"{mode} search, same documents as SQLite", "%", 100 * same / len(queries), "higher")
        )
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    figures.append(Figure(name, "memory of this process", "MB", resident / 1e6))
    if name != SQLITE:
        figures.append(Figure(name, "memory of the server", "MB", meter.server.memory() / 1e6))
    print(f"  {name} searched", flush=True)
    return figures

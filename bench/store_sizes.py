"""Both stores with a given number of chunks: writing, searching, the index of vectors and what it finds, memory.

Each store is measured in a process of its own, so that memory is its own, too. However many chunks there are, a way of
searching is asked for half a minute.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, ParamSpec, TypeVar

import psycopg

from headnote.embedding.registry import Models
from headnote.search.engine import DEPTH, Engine
from headnote.search.query import MODES, Mode, Query
from headnote.store.interface import Store
from headnote.store.postgres.store import PostgresStore
from headnote.store.postgres.vectors import EXACT
from headnote.store.sqlite.store import SqliteStore
from made_chunks import MODEL, MadeChunks
from report import Figure, Table, show

COMMIT_EVERY = 25_000
"""Chunks."""
NEVER = 1 << 60
"""Numbers that are compared one by one: all."""
LONGEST = 30.0
"""Seconds for the queries of one mode."""
FEWEST = 20
"""Queries of one mode, however long they take."""
SQLITE, ONE_BY_ONE, BY_HNSW = "SQLite", "PostgreSQL, one by one", "PostgreSQL, HNSW"
_TICK = os.sysconf("SC_CLK_TCK")


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


class Answers(NamedTuple):
    """What a store answers, for the next one to be compared with."""

    nearest: list[list[int]]
    """For each query, the chunks with the nearest vectors."""
    hits: dict[tuple[Mode, str], list[str]]
    """Mode and query → the documents that are found, best first."""


Measured = tuple[list[Figure], Answers]


def compare_sizes(url: str, target: str, count: int) -> Iterator[list[Figure]]:
    """Writes the same chunks into both stores and asks both the same. The schema must not exist."""
    with TemporaryDirectory() as scratch:
        figures, expected = alone(measure_sqlite, url, scratch, count)
        yield shown(count, figures)
        yield shown(count, alone(measure_postgres, url, scratch, count, target, expected))
        if count * MadeChunks.dimensions > EXACT:
            yield shown(count, alone(measure_hnsw, url, scratch, count, target, expected))


def shown(count: int, figures: list[Figure]) -> list[Figure]:
    case = f"{count:,} chunks"
    rows = [[one.case, one.metric, f"{one.value:,.3g} {one.unit}".rstrip()] for one in figures]
    show(Table(case, ["store", "what", "value"], rows, ["core: seconds of all cores, those of the server included."]))
    return [figure._replace(case=f"{case}: {figure.case}") for figure in figures]


Result = TypeVar("Result")
Given = ParamSpec("Given")


def alone(measure: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result:
    """The same in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(measure, *given, **named).result()


def measure_sqlite(url: str, scratch: str, count: int) -> Measured:
    made, meter = MadeChunks(count), Meter(Server.at(url))
    store = SqliteStore.open(scratch)
    figures = written(SQLITE, store, made, meter)
    answers = Answers(nearest(store, made), {})
    figures += searched(SQLITE, store, made, meter, answers)
    store.close()
    return figures, answers


def measure_postgres(url: str, scratch: str, count: int, target: str, expected: Answers) -> list[Figure]:
    made, meter = MadeChunks(count), Meter(Server.at(url))
    store = PostgresStore.open(scratch, target, exact=NEVER)
    figures = written("PostgreSQL", store, made, meter)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"VACUUM ANALYZE {store.target.schema}.postings")
    figures += found_again(ONE_BY_ONE, store, made, expected)
    figures += searched(ONE_BY_ONE, store, made, meter, expected)
    store.close()
    return figures


def measure_hnsw(url: str, scratch: str, count: int, target: str, expected: Answers) -> list[Figure]:
    made, meter = MadeChunks(count), Meter(Server.at(url))
    store = PostgresStore.open(scratch, target)
    figures = built(store, made, meter)
    figures += found_again(BY_HNSW, store, made, expected)
    figures += searched(BY_HNSW, store, made, meter, expected)
    store.close()
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


def nearest(store: Store, made: MadeChunks) -> list[list[int]]:
    with store.reading() as reader:
        return [[chunk for chunk, _ in reader.nearest(MODEL, query.vector, DEPTH)] for query in in_time(made.queries)]


def found_again(name: str, store: Store, made: MadeChunks, expected: Answers) -> list[Figure]:
    """How many of the nearest vectors in SQLite, which compares all of them, are among the nearest here."""
    pairs = list(zip(nearest(store, made), expected.nearest, strict=False))
    figures = []
    for depth in (10, DEPTH):
        shared = sum(len(set(one[:depth]) & set(other[:depth])) for one, other in pairs)
        share = 100 * shared / (depth * len(pairs))
        figures.append(Figure(name, f"recall of the nearest {depth}", "%", share, "higher"))
    return figures


Item = TypeVar("Item")


def in_time(items: Sequence[Item]) -> Iterator[Item]:
    """As many as there is time for."""
    begin = time.perf_counter()
    for number, item in enumerate(items):
        if number >= FEWEST and time.perf_counter() - begin > LONGEST:
            return
        yield item


def searched(name: str, store: Store, made: MadeChunks, meter: Meter, answers: Answers) -> list[Figure]:
    """`answers` are those of the store that was searched first; it puts its hits there."""
    engine = Engine(store, Models(deep=made))
    with meter.measured() as first:
        engine.search(Query(made.queries[-1].text, min_score=0.0))
    figures = [Figure(name, "first search", "ms", 1e3 * first[0].seconds)]
    for mode in MODES:
        figures += searched_by(mode, name, engine, made, meter, answers)
    figures.append(Figure(name, "memory of this process", "MB", _own_memory(os.getpid()) / 1e6))
    if name != SQLITE:
        figures.append(Figure(name, "memory of the server", "MB", meter.server.memory() / 1e6))
    print(f"  {name} searched", flush=True)
    return figures


def searched_by(
    mode: Mode, name: str, engine: Engine, made: MadeChunks, meter: Meter, answers: Answers
) -> list[Figure]:
    times, same = [], 0
    with meter.measured() as spent:
        for query in in_time(made.queries):
            begin = time.perf_counter()
            found = [hit.path for hit in engine.search(Query(query.text, mode=mode, min_score=0.0))]
            times.append(time.perf_counter() - begin)
            same += answers.hits.setdefault((mode, query.text), found) == found
    p50, p95 = (1e3 * quantile for quantile in (statistics.median(times), statistics.quantiles(times, n=20)[-1]))
    print(f"    {mode}: {len(times)} queries, p50 {p50:.1f} ms", flush=True)
    return [
        Figure(name, f"{mode} search, p50", "ms", p50),
        Figure(name, f"{mode} search, p95", "ms", p95),
        Figure(name, f"{mode} search, cores", "core ms", 1e3 * spent[0].cores / len(times)),
        Figure(name, f"{mode} search, same documents as SQLite", "%", 100 * same / len(times), "higher"),
    ]

"""The index in a schema of a PostgreSQL database."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from headnote.store.postgres.connections import PostgresConnections
from headnote.store.postgres.doctor import complaints, repair
from headnote.store.postgres.documents import PostgresCaches
from headnote.store.postgres.target import target_of
from headnote.store.postgres.vectors import EXACT
from headnote.store.postgres.writer import PostgresReader, PostgresWriter


class PostgresStore:
    """Safe for threads; a fork makes connections of its own."""

    is_shared = True

    def __init__(self, connections: PostgresConnections, exact: int = EXACT) -> None:
        self._connections = connections
        self._caches = PostgresCaches()
        self._exact = exact
        self.target = connections.target
        self.place = connections.target.shown
        self.may_write = connections.may_write

    @classmethod
    def open(
        cls,
        root: str | os.PathLike[str],
        url: str,
        *,
        create: bool = True,
        read_only: bool = False,
        exact: int = EXACT,
    ) -> PostgresStore:
        """The index of a folder at this place. With `create`, a missing one is created; with `read_only`, it stays as
        it is."""
        return cls(PostgresConnections(target_of(Path(root), url), create, read_only), exact)

    def reading(self) -> contextlib.AbstractContextManager[PostgresReader]:
        return self._reading(self._caches)

    @contextlib.contextmanager
    def _reading(self, caches: PostgresCaches) -> Iterator[PostgresReader]:
        with self._connections.reader() as (db, generation):
            yield PostgresReader(db, generation, caches, self._exact)

    @contextlib.contextmanager
    def writing(self, wait: float = 10.0, *, concurrent: bool = False) -> Iterator[PostgresWriter]:
        with self._connections.writer(wait, concurrent) as db:
            writer = PostgresWriter(db, self._exact, concurrent)
            yield writer
            writer.finish()

    def generation(self) -> int:
        return self._connections.generation()

    def check(self) -> list[str]:
        with self._reading(PostgresCaches(enabled=False)) as reader:  # what the server has, not what memory has
            return complaints(reader)

    def repair(self) -> list[str]:
        with self.writing() as writer:
            return repair(writer)

    def close(self) -> None:
        self._connections.close()

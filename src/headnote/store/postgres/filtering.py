"""A filter as a condition on the id of a chunk; paths are judged here, from a list that is remembered."""

from __future__ import annotations

from headnote.store import queries
from headnote.store.codec import unescaped
from headnote.store.filters import Filter, path_matcher
from headnote.store.postgres.remembered import Remembered
from headnote.store.postgres.sql import Connection, rows


class Filters:
    """The part of a reader that knows which chunks pass."""

    db: Connection
    remembered: Remembered

    def generation(self) -> int:
        raise NotImplementedError

    def passing_chunks(self, only: Filter) -> queries.Condition:
        query, bindings = queries.passing_chunks(only, lambda globs: ("id = ANY(?)", self._fitting(globs)))
        return query.replace("?", "%s"), bindings

    def _fitting(self, globs: tuple[str, ...]) -> list[int]:
        """Documents whose path fits. The server knows no globs like ours, so they are judged here."""
        fits = path_matcher(globs)
        paths = self.remembered.value(self.generation(), "paths", self._paths)
        return [number for number, path in paths if fits(path)]

    def _paths(self) -> list[tuple[int, str]]:
        return [(number, unescaped(path)) for number, path in rows(self.db, "SELECT id, path FROM documents")]

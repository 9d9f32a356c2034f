"""A filter as a condition on the id of a chunk."""

from __future__ import annotations

from typing import Any

from headnote.index.store.filters import Filter, folded, folded_tag, path_matcher
from headnote.index.store.postgres.asking import Connection, rows
from headnote.index.store.postgres.remembered import Remembered
from headnote.index.store.values import sealed, unsealed

Condition = tuple[str, list[Any]]
"""SQL that selects the ids of chunks that pass, and what to bind."""

# `area` and all below it: `0` is the character after `/`.
_TAG = "(tag = %s OR (tag >= %s || '/' AND tag < %s || '0'))"


class Filters:
    """The part of a reader that knows which chunks pass."""

    db: Connection
    remembered: Remembered

    def generation(self) -> int:
        raise NotImplementedError

    def passing_chunks(self, only: Filter) -> Condition:
        """For use in `IN (…)`. Documents are judged first, each once, whatever the number of their chunks."""
        judged: list[str] = []
        bindings: list[Any] = []
        if only.paths:
            judged.append("id = ANY(%s)")
            bindings.append(self._fitting(only.paths))
        if only.since_ns is not None:
            judged.append("mtime_ns >= %s")
            bindings.append(only.since_ns)
        for key, value in only.where:
            judged.append("id IN (SELECT document FROM fields WHERE key = %s AND value = %s)")
            bindings += [sealed(folded(key)), sealed(folded(value))]
        conditions = []
        if judged:
            conditions.append(f"document IN (SELECT id FROM documents WHERE {' AND '.join(judged)})")
        for tag in only.tags:
            conditions.append(
                f"(document IN (SELECT document FROM document_tags WHERE {_TAG})"
                f" OR id IN (SELECT chunk FROM chunk_tags WHERE {_TAG}))"
            )
            bindings += [sealed(folded_tag(tag))] * 6
        return f"SELECT id FROM chunks WHERE {' AND '.join(conditions) or 'TRUE'}", bindings

    def _fitting(self, globs: tuple[str, ...]) -> list[int]:
        """Documents whose path fits. The server knows no globs like ours, so they are judged here."""
        fits = path_matcher(globs)
        paths = self.remembered.value(self.generation(), "paths", self._paths)
        return [number for number, path in paths if fits(path)]

    def _paths(self) -> list[tuple[int, str]]:
        return [(number, unsealed(path)) for number, path in rows(self.db, "SELECT id, path FROM documents")]

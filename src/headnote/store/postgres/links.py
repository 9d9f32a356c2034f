"""Reading the graph of links."""

from __future__ import annotations

from collections.abc import Sequence

from headnote.store.link_queries import FROM_TOP, IN_ORDER, ORPHANS, SELECT, link_of
from headnote.store.postgres.asking import Connection, rows
from headnote.store.rows import LinkRow
from headnote.store.values import escaped, unescaped

_LINKED = """
SELECT f.id, t.id FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place) JOIN chunks f ON f.id = w.id
JOIN links l ON l.document = f.document AND l.chunk = f.number
JOIN documents d ON d.path = l.resolved
JOIN chunks t ON t.document = d.id AND t.number = coalesce(l.resolved_chunk, 0)
WHERE d.id <> f.document ORDER BY w.place, l.id
"""
_LINKING = """
SELECT t.id, f.id FROM unnest(%s::bigint[]) WITH ORDINALITY w (id, place) JOIN chunks t ON t.id = w.id
JOIN documents d ON d.id = t.document
JOIN links l ON l.resolved = d.path AND coalesce(l.resolved_chunk, t.number) = t.number
JOIN chunks f ON f.document = l.document AND f.number = l.chunk
WHERE l.document <> t.document ORDER BY w.place, l.id
"""


class ReadsLinks:
    """The part of a reader that knows links."""

    db: Connection

    def links(self) -> list[LinkRow]:
        return self._links("", ())

    def links_from(self, path: str) -> list[LinkRow]:
        return self._links("WHERE d.path = %s", (escaped(path),))

    def links_to(self, path: str) -> list[LinkRow]:
        return self._links("WHERE l.resolved = %s", (escaped(path),))

    def targets_from_top(self) -> dict[str, int]:
        return {unescaped(target): int(count) for target, count in rows(self.db, FROM_TOP)}

    def orphans(self) -> list[str]:
        return sorted(unescaped(path) for (path,) in rows(self.db, ORPHANS))

    def linked_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKED, chunks)

    def linking_chunks(self, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return self._pairs(_LINKING, chunks)

    def _pairs(self, query: str, chunks: Sequence[int]) -> list[tuple[int, int]]:
        return list(dict.fromkeys(rows(self.db, query, (list(map(int, chunks)),))))

    def _links(self, condition: str, bindings: tuple[str, ...]) -> list[LinkRow]:
        return [link_of(row) for row in rows(self.db, SELECT + condition + IN_ORDER, bindings)]

"""Reading the graph of links."""

from __future__ import annotations

from typing import Any

from headnote.index.store.postgres.asking import Connection, rows
from headnote.index.store.rows import LinkRow
from headnote.index.store.values import sealed, unsealed

_SELECT = """
SELECT d.path, l.chunk, l.line, l.kind, l.target, l.fragment, l.text, l.external, l.resolved, l.section,
    l.resolved_chunk
FROM links l JOIN documents d ON d.id = l.document
"""
_IN_ORDER = " ORDER BY d.path, l.id"

# A fragment is judged only where we know the headings: in a document of ours.
_BROKEN = """
WHERE NOT l.external AND (
    l.resolved IS NULL
    OR (l.fragment <> '' AND l.section IS NULL AND EXISTS (SELECT 1 FROM documents t WHERE t.path = l.resolved))
)
"""

_ON_NO_ROAD = """
SELECT d.path FROM documents d
WHERE NOT EXISTS (SELECT 1 FROM links l WHERE l.resolved = d.path AND l.document <> d.id)
AND NOT EXISTS (
    SELECT 1 FROM links l JOIN documents t ON t.path = l.resolved WHERE l.document = d.id AND t.id <> d.id
)
"""


class ReadsLinks:
    """The part of a reader that knows links."""

    db: Connection

    def links(self) -> list[LinkRow]:
        return self._links("", ())

    def links_from(self, path: str) -> list[LinkRow]:
        return self._links("WHERE d.path = %s", (sealed(path),))

    def links_to(self, path: str) -> list[LinkRow]:
        return self._links("WHERE l.resolved = %s", (sealed(path),))

    def broken_links(self) -> list[LinkRow]:
        return self._links(_BROKEN, ())

    def orphans(self) -> list[str]:
        return sorted(unsealed(path) for (path,) in rows(self.db, _ON_NO_ROAD))

    def _links(self, condition: str, bindings: tuple[str, ...]) -> list[LinkRow]:
        return [_link(row) for row in rows(self.db, _SELECT + condition + _IN_ORDER, bindings)]


def _link(row: tuple[Any, ...]) -> LinkRow:
    path, chunk, line, kind, target, fragment, text, external, resolved, section, resolved_chunk = row
    return LinkRow(
        *(unsealed(path), chunk, line, kind, unsealed(target), unsealed(fragment), unsealed(text), external),
        None if resolved is None else unsealed(resolved),
        None if section is None else unsealed(section),
        resolved_chunk,
    )

"""Questions about links, which both stores ask in the same words."""

from __future__ import annotations

from typing import Any, get_args

from headnote.model import LinkKind
from headnote.store.damage import integer
from headnote.store.rows import LinkRow
from headnote.store.values import unescaped

_KINDS = frozenset(get_args(LinkKind))

SELECT = """
SELECT d.path, l.chunk, l.line, l.kind, l.target, l.fragment, l.text, l.external, l.resolved, l.section,
    l.resolved_chunk
FROM links l JOIN documents d ON d.id = l.document
"""
IN_ORDER = " ORDER BY d.path, l.id"

FROM_TOP = "SELECT target, count(*) FROM links WHERE target >= '/' AND target < '0' AND NOT external GROUP BY target"
"""`0` is the character behind the slash."""

ORPHANS = """
SELECT d.path FROM documents d
WHERE NOT EXISTS (SELECT 1 FROM links l WHERE l.resolved = d.path AND l.document <> d.id)
AND NOT EXISTS (
    SELECT 1 FROM links l JOIN documents t ON t.path = l.resolved WHERE l.document = d.id AND t.id <> d.id
)
"""


def link_of(row: tuple[Any, ...]) -> LinkRow:
    path, chunk, line, kind, target, fragment, text, external, resolved, section, resolved_chunk = row
    if kind not in _KINDS:
        raise ValueError(f"no kind of link: {kind!r:.40}")
    return LinkRow(
        *(unescaped(path), integer(chunk), integer(line), kind),
        *(unescaped(target), unescaped(fragment), unescaped(text), bool(external)),
        None if resolved is None else unescaped(resolved),
        None if section is None else unescaped(section),
        None if resolved_chunk is None else integer(resolved_chunk),
    )

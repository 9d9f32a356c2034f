"""A filter as a condition on the id of a chunk."""

from __future__ import annotations

from headnote.index.store.filters import Filter, folded, folded_tag
from headnote.index.store.values import packed_strings, sealed

Condition = tuple[str, list[str | int]]
"""SQL that selects the ids of chunks that pass, and what to bind."""

# `area` and all below it: `0` is the character after `/`.
_TAG = "(tag = ? OR (tag >= ? || '/' AND tag < ? || '0'))"


def passing_chunks(only: Filter) -> Condition:
    """For use in `IN (…)`. Documents are judged first, each once, whatever the number of their chunks."""
    judged: list[str] = []
    bindings: list[str | int] = []
    if only.paths:
        judged.append("path_fits(?, path)")
        bindings.append(packed_strings(only.paths))
    if only.since_ns is not None:
        judged.append("mtime_ns >= ?")
        bindings.append(only.since_ns)
    for key, value in only.where:
        judged.append("id IN (SELECT document FROM fields WHERE key = ? AND value = ?)")
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

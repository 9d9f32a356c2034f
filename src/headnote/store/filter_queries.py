"""A filter as a condition on the id of a chunk, which both stores ask in the same words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headnote.store.filters import Filter, folded, folded_tag
from headnote.store.values import escaped

Condition = tuple[str, list[Any]]
"""SQL that selects the ids of chunks that pass, and what to bind."""

# `area` and all below it: `0` is the character after `/`.
_TAG = "(tag = ? OR (tag >= ? || '/' AND tag < ? || '0'))"


def passing_chunks(only: Filter, fitting: Callable[[tuple[str, ...]], tuple[str, Any]]) -> Condition:
    """For use in `IN (…)`, with `?` for what is bound. Documents are judged first, each once, whatever the number of
    their chunks. `fitting` is how a database judges paths: globs → a condition on documents, and what to bind."""
    judged: list[str] = []
    bindings: list[Any] = []
    if only.paths:
        condition, bound = fitting(only.paths)
        judged.append(condition)
        bindings.append(bound)
    if only.since_ns is not None:
        judged.append("mtime_ns >= ?")
        bindings.append(only.since_ns)
    for key, value in only.where:
        judged.append("id IN (SELECT document FROM fields WHERE key = ? AND value = ?)")
        bindings += [escaped(folded(key)), escaped(folded(value))]
    conditions = []
    if judged:
        conditions.append(f"document IN (SELECT id FROM documents WHERE {' AND '.join(judged)})")
    for tag in only.tags:
        conditions.append(
            f"(document IN (SELECT document FROM document_tags WHERE {_TAG})"
            f" OR id IN (SELECT chunk FROM chunk_tags WHERE {_TAG}))"
        )
        bindings += [escaped(folded_tag(tag))] * 6
    return f"SELECT id FROM chunks WHERE {' AND '.join(conditions) or 'TRUE'}", bindings

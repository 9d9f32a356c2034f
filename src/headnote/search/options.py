"""The options that `Index.search` and its relatives take by keyword, for type checkers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from headnote.search.query import Expand, Fusion


class Recency(TypedDict, total=False):
    """The bonus for recent files."""

    recency_days: float | None
    recency_steps: bool | None


class SearchOptions(Recency, total=False):
    """What `Index.search` takes besides the query, `limit` and `mode`; a test keeps them equal."""

    path: str | Sequence[str] | None
    roots: str | Sequence[str] | None
    tags: str | Sequence[str] | None
    where: Mapping[str, Any] | str | Sequence[str] | None
    since: datetime | float | str | None
    per_document: int | None
    min_score: float | None
    budget: int | None
    expand: Expand | None
    fusion: Fusion | None
    literal: bool

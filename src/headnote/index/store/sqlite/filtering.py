"""A filter as a condition on the id of a chunk; paths are judged by a function of ours."""

from __future__ import annotations

from headnote.index.store import filter_queries
from headnote.index.store.filters import Filter
from headnote.index.store.values import packed_strings


def passing_chunks(only: Filter) -> filter_queries.Condition:
    return filter_queries.passing_chunks(only, lambda globs: ("path_fits(?, path)", packed_strings(globs)))

"""A filter as a condition on the id of a chunk; paths are judged by a function of ours."""

from __future__ import annotations

from headnote.store import filter_queries
from headnote.store.filters import Filter
from headnote.store.values import packed_strings


def passing_chunks(only: Filter) -> filter_queries.Condition:
    return filter_queries.passing_chunks(only, lambda globs: ("path_fits(?, path)", packed_strings(globs)))

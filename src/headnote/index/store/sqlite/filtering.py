"""A filter as a condition on the id of a chunk; paths are judged by a function of ours."""

from __future__ import annotations

from headnote.index.store import passing
from headnote.index.store.filters import Filter
from headnote.index.store.values import packed_strings


def passing_chunks(only: Filter) -> passing.Condition:
    return passing.passing_chunks(only, lambda globs: ("path_fits(?, path)", packed_strings(globs)))

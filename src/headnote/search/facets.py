"""The chunks that a search finds → ways to narrow it, each with the number of chunks that it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from headnote.model import Facet, folder_glob
from headnote.store.filters import Filter, folded, folded_tag
from headnote.store.labels import Grouping, Labels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_FOLDERS = 12
MOST_TAGS = 12
MOST_FIELDS = 5
MOST_VALUES = 8
"""Of one field."""


def facets_of(labels: Labels, found: NDArray[np.int64], only: Filter) -> tuple[Facet, ...]:
    """Folders, then tags, then fields. What leaves all of the chunks does not narrow, and is left out."""
    per_document, is_found = labels.counts(found)
    total = len(found)

    def counted(kind: Literal["folder", "tag", "field"], grouping: Grouping) -> Iterator[Facet]:
        counts = grouping.counts(per_document, is_found).tolist()
        # As tuples, which sort fast; most of them are not shown.
        in_order = sorted((-count, *value) for count, value in zip(counts, grouping.values, strict=True) if count)
        return (Facet(kind, name, value, -negative) for negative, name, value in in_order)

    folders = _next_folders(list(counted("folder", labels.folders)), total, only)
    tags = (facet for facet in counted("tag", labels.tags) if facet.total < total and facet.value not in _tags(only))
    fields = (facet for facet in counted("field", labels.fields) if facet.total < total)
    return (*_first(folders, MOST_FOLDERS), *_first(tags, MOST_TAGS), *_by_field(fields, only))


def _next_folders(folders: list[Facet], total: int, only: Filter) -> Iterator[Facet]:
    """Those directly below the folder that has all of the chunks.

    Globs are alternatives, so another one would not narrow: only a folder gives way to one inside it.
    """
    common = max((facet.value for facet in folders if facet.total == total), key=len, default="")
    if only.paths and all(only.paths != (folder_glob(facet.value),) for facet in folders):
        return
    for facet in folders:
        if facet.total < total and facet.value.startswith(common) and facet.value.count("/") == common.count("/") + 1:
            yield facet


def _tags(only: Filter) -> set[str]:
    return set(map(folded_tag, only.tags))


def _by_field(facets: Iterable[Facet], only: Filter) -> Iterator[Facet]:
    """The fields that say most: those with the most frequent values, each with all its values together."""
    given = {folded(name) for name, _ in only.where}
    values: dict[str, list[Facet]] = {}
    for facet in facets:
        if facet.name not in given:
            values.setdefault(facet.name, []).append(facet)
    for name in list(values)[:MOST_FIELDS]:
        yield from values[name][:MOST_VALUES]


def _first(facets: Iterable[Facet], most: int) -> list[Facet]:
    return [facet for facet, _ in zip(facets, range(most), strict=False)]

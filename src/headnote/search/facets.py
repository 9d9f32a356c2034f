"""The chunks that a search finds → ways to narrow it, each with the number of chunks that it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal

from headnote.model import Facet, folder_glob
from headnote.store.filters import Filter, folded, folded_tag
from headnote.store.labels import Labels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_FOLDERS = 12
MOST_TAGS = 12
MOST_FIELDS = 5
MOST_VALUES = 8
"""Of one field."""


Counted = tuple[int, tuple[str, str]]
"""How many chunks a label leaves, and the label: its name and value. Most of them are not shown."""


def facets_of(labels: Labels, found: NDArray[np.int64], only: Filter) -> tuple[Facet, ...]:
    """Folders, then tags, then fields. What leaves all of the chunks does not narrow, and is left out."""
    counts = labels.counts(found)
    total = len(found)
    folders = _next_folders(list(labels.folders.counted(counts)), total, only)
    chosen = _tags(only)
    tags = (one for one in labels.tags.counted(counts) if one[0] < total and one[1][1] not in chosen)
    fields = (one for one in labels.fields.counted(counts) if one[0] < total)
    return (
        *_facets("folder", islice(folders, MOST_FOLDERS)),
        *_facets("tag", islice(tags, MOST_TAGS)),
        *_facets("field", _by_field(fields, only)),
    )


def _facets(kind: Literal["folder", "tag", "field"], counted: Iterable[Counted]) -> Iterator[Facet]:
    return (Facet(kind, name, value, count) for count, (name, value) in counted)


def _next_folders(folders: Sequence[Counted], total: int, only: Filter) -> Iterator[Counted]:
    """Those directly below the folder that has all of the chunks.

    Globs are alternatives, so another one would not narrow: only a folder gives way to one inside it.
    """
    common = max((folder for count, (_, folder) in folders if count == total), key=len, default="")
    if only.paths and all(only.paths != (folder_glob(folder),) for _, (_, folder) in folders):
        return
    depth = common.count("/") + 1
    for one in folders:
        count, (_, folder) = one
        if count < total and folder.startswith(common) and folder.count("/") == depth:
            yield one


def _tags(only: Filter) -> set[str]:
    return set(map(folded_tag, only.tags))


def _by_field(counted: Iterable[Counted], only: Filter) -> Iterator[Counted]:
    """The fields that say most: those with the most frequent values, each with all its values together."""
    given = {folded(name) for name, _ in only.where}
    values: dict[str, list[Counted]] = {}
    for one in counted:
        values.setdefault(one[1][0], []).append(one)
    for name in islice((name for name in values if name not in given), MOST_FIELDS):
        yield from values[name][:MOST_VALUES]

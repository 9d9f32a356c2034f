"""What chunks are grouped by: the folders, tags and fields of their documents, as arrays that are counted at once.

A chunk has a label if and only if it passes the filter for that label.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.numeric import np
from headnote.store.codec import unescaped

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Grouping(NamedTuple):
    """Labels of one kind, and which documents have them."""

    values: list[tuple[str, str]]
    """(name, value), sorted; only fields have names."""
    documents: NDArray[np.int64]
    """Places of documents, with one in `of_documents` for each."""
    of_documents: NDArray[np.int64]
    """The label that this document has, by its place in `values`."""

    def counted(self, per_document: NDArray[np.int64]) -> Iterator[tuple[int, tuple[str, str]]]:
        """How many of the counted chunks have each label that some of them have, the most frequent first, of equals in
        the order of the labels. `per_document` is what `Labels.counts` says."""
        weights = per_document[self.documents]
        counts = np.bincount(self.of_documents, weights, len(self.values)).astype(np.int64)
        some = np.flatnonzero(counts)
        in_order = some[np.argsort(-counts[some], kind="stable")]
        return zip(counts[in_order].tolist(), map(self.values.__getitem__, in_order.tolist()), strict=True)


SPARSE = 16
"""How many ids there may be for one that a chunk has."""


def places_of(ids: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The place of each id by its distance from the first: to look for thousands among the sorted ones takes ten times
    as long. None where ids are far apart: a server never uses one again, however many updates there are."""
    span = int(ids[-1] - ids[0]) + 1 if len(ids) else 0
    if span > SPARSE * len(ids):
        return None
    places = np.zeros(span, np.int64)
    places[ids - ids[:1]] = np.arange(len(ids))
    return places


class Labels(NamedTuple):
    """All chunks of an index with what they are grouped by."""

    chunks: NDArray[np.int64]
    """Ids, sorted. The place of a chunk is its place in here."""
    place_of: NDArray[np.int64] | None
    """Distance from the first id → place, where ids are close together: see `places_of`."""
    documents: NDArray[np.int64]
    """The place of the document of each."""
    paths: list[str]
    """Of the documents."""
    mtimes: NDArray[np.int64]
    """Of the documents, in nanoseconds."""
    folders: Grouping
    """`a/b/` and all folders above it."""
    tags: Grouping
    """In the form in which they are compared, with all tags above: `a/b` and `a`."""
    fields: Grouping
    """Those that group documents."""

    def places(self, chunks: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        ids = np.asarray(chunks, np.int64)
        by_distance = self.place_of
        places: NDArray[np.int64] = (
            np.searchsorted(self.chunks, ids) if by_distance is None else by_distance[ids - self.chunks[:1]]
        )
        return places

    def counts(self, chunks: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of these chunks each document has."""
        owners = self.documents[self.places(chunks)]
        return np.bincount(owners, minlength=len(self.paths))


# -- Rows of an index → the labels of its chunks, for both databases.


MAX_VALUES = 100
"""Different values of a field. One with more tells documents apart instead of grouping them."""
MAX_VALUE_CHARS = 60
"""Characters of a value that is a name of a group and not a sentence."""
_MAX_LEVELS = 100
"""Of a tag: each has a group of its own, with all levels above in its name."""
NOT_FIELDS = frozenset({"tags", "tag", "aliases", "alias", "title"})
"""Fields that are searched in other ways."""

CHUNKS = "SELECT id, document FROM chunks ORDER BY id"
DOCUMENTS = "SELECT id, path, mtime_ns FROM documents"
DOCUMENT_TAGS = "SELECT document, tag FROM document_tags"
FIELDS = "SELECT document, key, value FROM fields"


def read_labels(rows: Callable[[str], Iterable[tuple[Any, ...]]]) -> Labels:
    """The labels of an index. `rows` runs a query."""
    numbers, names, times = _columns(rows(DOCUMENTS), 3)
    document_places = {number: place for place, number in enumerate(numbers)}
    ids, owners = _columns(rows(CHUNKS), 2)
    paths = [unescaped(name) for name in names]
    owner_places = [document_places[owner] for owner in owners]
    tags = [(document_places[number], unescaped(tag)) for number, tag in rows(DOCUMENT_TAGS)]
    fields = [(document_places[number], unescaped(key), unescaped(value)) for number, key, value in rows(FIELDS)]
    chunks = np.asarray(ids, np.int64)
    return Labels(
        chunks=chunks,
        place_of=places_of(chunks),
        documents=np.asarray(owner_places, np.int64),
        paths=paths,
        mtimes=np.asarray(times, np.int64),
        folders=_grouping((place, ("", folder)) for place, path in enumerate(paths) for folder in _folders(path)),
        tags=_grouping(dict.fromkeys((place, ("", above)) for place, tag in tags for above in _tags_above(tag))),
        fields=_grouping((place, (key, value)) for place, key, value in _grouping_fields(fields)),
    )


def _columns(rows: Iterable[tuple[Any, ...]], count: int) -> list[list[Any]]:
    columns = list(map(list, zip(*rows, strict=True)))
    return columns or [[] for _ in range(count)]


def _grouping(pairs: Iterable[tuple[int, tuple[str, str]]]) -> Grouping:
    """From places of documents with a label of each."""
    values: dict[tuple[str, str], int] = {}
    places: list[int] = []
    labels: list[int] = []
    for place, value in pairs:
        places.append(place)
        labels.append(values.setdefault(value, len(values)))
    in_order = sorted(values)
    ranks = np.zeros(len(values), np.int64)
    ranks[[values[value] for value in in_order]] = np.arange(len(values))
    return Grouping(in_order, np.asarray(places, np.int64), ranks[np.asarray(labels, np.int64)])


# -- folders and tags


def _folders(path: str) -> Iterator[str]:
    at = path.find("/")
    while at >= 0:
        yield path[: at + 1]
        at = path.find("/", at + 1)


def _tags_above(tag: str) -> set[str]:
    parts = tag.split("/")[:_MAX_LEVELS]
    return {"/".join(parts[:count]) for count in range(1, len(parts) + 1)}


# -- fields


def _grouping_fields(fields: Sequence[tuple[int, str, str]]) -> Iterator[tuple[int, str, str]]:
    """Those whose values some documents share. Numbers measure; they do not group."""
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, key, value in fields:
        values[key][value] += 1
    good = {key for key, counts in values.items() if key not in NOT_FIELDS and "=" not in key and _groups(counts)}
    return ((place, key, value) for place, key, value in fields if key in good and 0 < len(value) <= MAX_VALUE_CHARS)


def _groups(counts: Counter[str]) -> bool:
    is_text = any(not value.lstrip("-").replace(".", "", 1).isdigit() for value in counts)
    return is_text and len(counts) <= MAX_VALUES and counts.total() > len(counts)

"""What chunks are grouped by: the folders, tags and fields of their documents, as arrays that are counted at once.

A chunk has a label if and only if it passes the filter for that label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from headnote.numeric import np

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

"""Values that readers of one index share in memory, so that the next search reads little.

Labels are among them: the folders, tags and fields that chunks are grouped by, as arrays that are counted at once. A
chunk has a label if and only if it passes the filter for that label.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from headnote.extras import np
from headnote.store.codec import unescaped
from headnote.store.filters import Filter, Requirement
from headnote.store.quantized import ChunkVectors
from headnote.store.rows import Parent
from headnote.words.vocabulary import Vocabulary

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
"""Maximum range of ids for each id in use."""


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
    times: NDArray[np.int64]
    """When the documents were changed, in nanoseconds."""
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
"""Maximum levels of a tag: each has a group of its own, with all levels above in its name."""
NOT_FIELDS = frozenset({"tags", "tag", "aliases", "alias", "title"})
"""Fields that are searched in other ways."""

DOCUMENTS_WITH_CHUNKS = """
SELECT path FROM documents d WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.document = d.id) ORDER BY id
"""
CHUNKS = "SELECT id, document FROM chunks ORDER BY id"
DOCUMENTS = "SELECT id, path, dated_ns FROM documents"
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
        times=np.asarray(times, np.int64),
        folders=_grouping((place, ("", folder)) for place, path in enumerate(paths) for folder in _folders(path)),
        tags=_grouping(dict.fromkeys((place, ("", above)) for place, tag in tags for above in _tags_above(tag))),
        fields=_grouping((place, (key, value)) for place, key, value in _grouping_fields(fields)),
    )


def _columns(rows: Iterable[tuple[Any, ...]], count: int) -> list[list[Any]]:
    columns = list(map(list, zip(*rows, strict=True)))
    return columns or [[] for _ in range(count)]


def _grouping(pairs: Iterable[tuple[int, tuple[str, str]]]) -> Grouping:
    """A grouping from (place of a document, its label) pairs."""
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


class Folders(NamedTuple):
    """The folders that documents are in, and those above them."""

    names: list[str]
    """`a/b/`. The first one is the root, which is empty."""
    of_documents: NDArray[np.int64]
    """The place of the folder that each document is in, in the order of the documents."""
    pairs: tuple[NDArray[np.int64], NDArray[np.int64]]
    """Places of folders with documents, each as often as there are folders around it; and the places of these, of
    which it is one."""
    sizes: NDArray[np.int64]
    """How many documents are in each, those of folders below included."""

    def counted(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many of these documents are in each folder, given by their places."""
        return self.summed(np.bincount(self.of_documents[documents], minlength=len(self.names)))

    def summed(self, own: NDArray[np.int64]) -> NDArray[np.int64]:
        """What each folder has with those below, from what each has itself."""
        below, above = self.pairs
        return np.bincount(above, own[below], len(self.names)).astype(np.int64)


def folders_of(paths: Iterable[str]) -> Folders:
    """The folders of documents with these paths."""
    places = {"": 0}
    own = [places.setdefault(path[: path.rfind("/") + 1], len(places)) for path in paths]
    around = [
        (place, places.setdefault(above, len(places)))
        for name, place in list(places.items())
        for above in ("", *_folders(name))
    ]
    below, above = np.asarray(around, np.int64).T
    folders = Folders(list(places), np.asarray(own, np.int64), (below, above), np.zeros(len(places), np.int64))
    return folders._replace(sizes=folders.counted(np.arange(len(own))))


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


# -- Values that readers of one index share in memory, so that the next search reads little.

ALL = "all"
"""The key of a cache that has one value."""
CAPACITY = 64 << 20
"""Bytes of each cache whose values differ in size."""
_OVERHEAD = 100
"""Bytes of an entry besides its value."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Cache(Generic[Key, Value]):
    """A least-recently-used cache whose entries belong to a generation of the index. Safe for threads.

    A reader only gets values of its own generation. A newer value replaces an older one, never the other way round.
    """

    def __init__(self, capacity: int, size: Callable[[Value], int] = lambda _: 1) -> None:
        """`capacity` is in the unit of `size`; with 0, nothing is stored."""
        self._capacity = capacity
        self._size = size
        self._lock = threading.Lock()
        self._entries: OrderedDict[Key, tuple[int, Value]] = OrderedDict()
        self._used = 0

    def get(self, generation: int, key: Key, read: Callable[[], Value]) -> Value:
        """The value of one key, read if it is missing."""
        return self.get_many(generation, [key], lambda _: {key: read()})[key]

    def get_many(
        self, generation: int, keys: Iterable[Key], read: Callable[[list[Key]], Mapping[Key, Value]]
    ) -> dict[Key, Value]:
        """The values of all keys. Missing ones are read together, and added."""
        requested = list(dict.fromkeys(keys))
        values = self.cached(generation, requested)
        if len(values) < len(requested):
            # Without the lock: others need not wait for the database.
            new = read([key for key in requested if key not in values])
            self.add(generation, new)
            values.update(new)
        return values

    def cached(self, generation: int, keys: Iterable[Key]) -> dict[Key, Value]:
        """The values that are here."""
        values = {}
        with self._lock:
            entries = self._entries
            # As long as there is room, nobody asks who came last; to keep it takes as long as the rest.
            is_filling_up = 2 * self._used > self._capacity
            for key in keys:
                entry = entries.get(key)
                if entry is not None and entry[0] == generation:
                    values[key] = entry[1]
                    if is_filling_up:
                        entries.move_to_end(key)
        return values

    def add(self, generation: int, values: Mapping[Key, Value]) -> None:
        with self._lock:
            for key, value in values.items():
                entry = self._entries.get(key)
                if entry is not None:
                    if entry[0] >= generation:
                        continue
                    self._used -= self._size(entry[1])
                self._entries[key] = (generation, value)
                self._entries.move_to_end(key)
                self._used += self._size(value)
            while self._used > self._capacity:
                _, (_, oldest) = self._entries.popitem(last=False)
                self._used -= self._size(oldest)


class Caches:
    """One cache for each kind of value. A writer disables them: its changes may never be committed."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self.manifest: Cache[str, dict[str, str]] = self.of_number(1)
        self.labels: Cache[str, Labels] = self.of_number(1)
        self.folders: Cache[str, Folders] = self.of_number(1)
        self.spread: Cache[str, NDArray[np.int64]] = self.of_size(lambda counts: counts.nbytes)
        """Term → how many documents of each folder have it."""
        self.numbers: Cache[tuple[str, str], int] = self.of_number(1000)
        """(what is counted, the model if it is of one) → how many there are."""
        self.complete: Cache[tuple[str, Filter], bool] = self.of_number(1000)
        """(model, filter) → whether all chunks that pass have their vectors."""
        self.frequencies: Cache[str, int] = self.of_size(lambda _: 0)
        self.passing: Cache[Filter, NDArray[np.int64]] = self.of_size(lambda ids: ids.nbytes)
        """Filter → the chunks that pass, sorted."""
        self.matching: Cache[Requirement, list[Any]] = self.of_size(lambda found: 50 * len(found))
        """Requirement → the chunks, documents or values that satisfy it, where they had to be looked at one by one."""
        self.parents: Cache[int, Parent] = self.of_size(lambda parent: 2 * len(parent.masked))
        """Number of a document → what its chunks need of it."""
        self.named: Cache[int, list[tuple[int, int]]] = self.of_size(lambda found: 150 * len(found))
        """Number of a name → the chunks that it names."""
        self.vocabularies: Cache[str, Vocabulary] = self.of_size(lambda terms: terms.bytes)
        """Beginning → the terms that begin so."""
        self.parts: Cache[tuple[int, int], ChunkVectors | None] = self.of_size(
            lambda vectors: vectors.bytes if vectors else 0
        )
        """(model, chunk) → the vectors of its names and parts; None if it has none."""

    def of_number(self, capacity: int) -> Cache[Key, Value]:
        """A cache with room for this many values."""
        return Cache(capacity if self._enabled else 0)

    def of_size(self, size: Callable[[Value], int]) -> Cache[Key, Value]:
        """A cache whose values take at most this many bytes."""
        return Cache(CAPACITY if self._enabled else 0, lambda value: _OVERHEAD + size(value))

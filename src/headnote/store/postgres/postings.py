"""The words of chunks as rows of the table of postings, ready for the server.

There are some sixty rows for each chunk, so they are made as arrays, and in the binary format of COPY.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, groupby
from typing import TYPE_CHECKING, Any

from headnote.extras import load_numpy
from headnote.store.codec import escaped
from headnote.store.rows import KeywordFields

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COLUMNS = ("chunk", "length", *KeywordFields._fields, "word")
_TYPES = (">i8", ">i4", *[">i2"] * len(KeywordFields._fields))
"""Of all columns but the last one."""
MOST = 32_767
"""What a smallint holds. A word that occurs more often in one chunk counts no more."""


class Postings:
    """How often each word is in each field of each chunk."""

    def __init__(self, chunks: Sequence[int], fields: Sequence[KeywordFields]) -> None:
        numpy = load_numpy()
        width = len(KeywordFields._fields)
        texts = [field.split() for own in fields for field in own]
        sizes = numpy.fromiter(map(len, texts), numpy.int64, len(texts))
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        words = numpy.fromiter(map(numbers.__getitem__, chain.from_iterable(texts)), numpy.int64, sizes.sum())
        self._words, places = _in_order(numbers)
        chunk, field = numpy.divmod(numpy.repeat(numpy.arange(len(texts)), sizes), width)
        pairs, at = numpy.unique(places[words] * len(chunks) + chunk, return_inverse=True)
        counts = numpy.bincount(at * width + field, minlength=len(pairs) * width).reshape(-1, width)
        self._word, own = numpy.divmod(pairs, len(chunks))
        self.lengths: NDArray[np.int64] = sizes.reshape(-1, width).sum(axis=1)
        """Of each chunk, in words."""
        self._columns = [
            numpy.array(chunks, numpy.int64)[own],
            self.lengths[own],
            *numpy.minimum(counts, MOST).T,
        ]

    def __len__(self) -> int:
        return len(self._word)

    def records(self) -> Iterator[bytes]:
        """The rows as the server reads them, those of a word together: a search then reads few pages."""
        numpy = load_numpy()
        first = 0
        for length, group in groupby(self._words, len):
            words = numpy.array(list(group), f"S{length}")
            start, end = numpy.searchsorted(self._word, [first, first + len(words)])
            own = words[self._word[start:end] - first]
            yield _record(length, [*(column[start:end] for column in self._columns), own])
            first += len(words)


def _record(length: int, columns: Sequence[NDArray[Any]]) -> bytes:
    """Rows whose words have this length: the number of columns, and each behind its size."""
    numpy = load_numpy()
    types = [numpy.dtype(kind) for kind in (*_TYPES, f"S{length}")]
    pairs = [(f"{place}{part}", kind) for place, own in enumerate(types) for part, kind in (("size", ">i4"), ("", own))]
    rows = numpy.empty(len(columns[0]), numpy.dtype([("columns", ">i2"), *pairs]))
    rows["columns"] = len(types)
    for place, (kind, column) in enumerate(zip(types, columns, strict=True)):
        rows[f"{place}size"] = kind.itemsize
        rows[f"{place}"] = column
    data: bytes = rows.tobytes()
    return data


def _in_order(words: Iterable[str]) -> tuple[list[bytes], NDArray[np.int64]]:
    """The words as they are stored, and the place of each among them. The shortest come first: rows of words of equal
    length are of equal length themselves."""
    numpy = load_numpy()
    numbers = {escaped(word).encode(): number for number, word in enumerate(words)}
    stored = sorted(sorted(numbers), key=len)
    places = numpy.empty(len(stored), numpy.int64)
    places[[numbers[word] for word in stored]] = numpy.arange(len(stored))
    return stored, places

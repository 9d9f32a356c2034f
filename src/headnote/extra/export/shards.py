"""The words of all pages: for each term the chunks that have it, and what its score is made of."""

from __future__ import annotations

import gzip
import re
import struct
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from headnote.embedding.instant import DATA
from headnote.embedding.wordpieces import VOCABULARY
from headnote.extras import np
from headnote.store.keyword_fields import field_texts
from headnote.store.quantized import PartSet
from headnote.store.rows import DEFAULT_WEIGHTS, StoredChunk
from headnote.words.terms import MAX_TERM_CHARS, terms

if TYPE_CHECKING:
    from numpy.typing import NDArray


# -- How shards are written. `static/shards.js` reads them.


STEPS = 7
"""A number of a vector is one of so many steps to either side: four bits."""


def number(value: int) -> bytes:
    """Seven bits in each byte, the lowest first; the highest bit says that more follow."""
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes([*data, value])


def text(value: str) -> bytes:
    data = value.encode("utf-8", "replace")
    return number(len(data)) + data


def vectors(matrix: NDArray[np.float32]) -> bytes:
    """Each row as a scale, and two numbers in a byte."""
    scales = (np.abs(matrix).max(axis=1) / STEPS).astype("<f4")
    steps = np.rint(matrix / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8) + STEPS + 1
    halves = (steps[:, ::2] << 4 | steps[:, 1::2]).astype(np.uint8)
    return b"".join(struct.pack("<f", scale) + row.tobytes() for scale, row in zip(scales, halves, strict=True))


def packed(data: bytes) -> bytes:
    """Compressed where that pays: many hosts of static files do not do it themselves."""
    compressed = gzip.compress(data, 9, mtime=0)
    return compressed if len(compressed) < len(data) else data


# -- The words of all pages


SHARD = 6_000
"""Bytes of a shard. A term that has more is one by itself."""
_TYPOGRAPHY = str.maketrans("’‘“”–—…\xa0", "'       ")
_WORD = re.compile(r"(?:--?|[#.@$])?[0-9A-Za-z]+(?:[-._']{1,3}[0-9A-Za-z]+)*(?:\+\+|#(?![0-9A-Za-z]))?|[^\x00-\x7f]+")
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def page_terms(source: str) -> list[str]:
    """The terms of a text as `static/terms.js` makes them. ASCII words have those of the index; other words have no
    stems, because the script would need a stemmer for each language."""
    if not source.isascii():
        plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", source.translate(_TYPOGRAPHY)))
        source = "".join(one for one in plain if unicodedata.category(one) != "Mn")
    return [term for word in _WORD.findall(source) for term in _word_terms(word)]


@lru_cache(maxsize=1 << 16)
def _word_terms(word: str) -> tuple[str, ...]:
    # Texts repeat their words, and cutting each again took a quarter of an export.
    # The script knows no operators of code, such as the dots of `1..2`: their terms are not of ASCII.
    return tuple(filter(str.isascii, terms(word)) if word.isascii() else _others(word))


def _others(word: str) -> list[str]:
    result: list[str] = []
    for run in _WITHOUT_BLANKS.findall(word):
        result += [*(one + other for one, other in pairwise(run)), *run]
    rest = "".join(one if one.isalnum() else " " for one in _WITHOUT_BLANKS.sub(" ", word).lower())
    return result + [one[:MAX_TERM_CHARS] for one in rest.split()]


class WordShards(NamedTuple):
    """The words of a site."""

    shards: list[bytes]
    first_terms: list[str]
    """Of each shard: a term is in the last shard that does not begin behind it."""
    average: float
    """Terms of a chunk."""


def words_of(chunks: Sequence[StoredChunk]) -> WordShards:
    """`chunks` in the order of their numbers."""
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    lengths: list[int] = []
    for at, chunk in enumerate(chunks):
        fields = [page_terms(field) for field in field_texts(chunk.document, chunk.row)]
        lengths.append(sum(map(len, fields)))
        counts: Counter[str] = Counter()
        for field, weight in zip(fields, DEFAULT_WEIGHTS, strict=True):
            for term, count in Counter(field).items():
                counts[term] += int(weight) * count
        for term, count in counts.items():
            postings[term].append((at, count))
    shards, first_terms = _shards(postings, lengths)
    return WordShards(shards, first_terms, sum(lengths) / max(len(lengths), 1))


def _shards(postings: dict[str, list[tuple[int, int]]], lengths: Sequence[int]) -> tuple[list[bytes], list[str]]:
    shards: list[bytes] = []
    first_terms: list[str] = []
    size = SHARD
    for term in sorted(postings, key=lambda one: one.encode("utf-16-be")):  # the order of strings in JavaScript
        entry = text(term) + _posting(postings[term], lengths)
        if size + len(entry) > SHARD:
            shards.append(b"")
            first_terms.append(term)
            size = 0
        shards[-1] += entry
        size += len(entry)
    return shards, first_terms


def _posting(places: Sequence[tuple[int, int]], lengths: Sequence[int]) -> bytes:
    """For each chunk, how far it is from the one before, how often it has the term, and how long it is."""
    data, last = bytearray(), 0
    for chunk, count in places:
        data += number(chunk - last) + number(count) + number(lengths[chunk])
        last = chunk
    return number(len(places)) + number(len(data)) + bytes(data)


# -- The vectors of all pages in clusters of what is alike, and the table of the model by its word pieces.


CLUSTER = 64
"""Chunks of a cluster, about."""
MAX_IN_CLUSTER = 96
_ROUNDS = 8
NAME_SHARES = (0.15, 0.3)
"""What the names of a chunk, title and headings, add to its vector. Measured: without them, seven of the ten nearest
chunks are those of the index; with them, seven and a half."""
ROWS = 16
"""Rows of the model in a shard: a query needs as many shards as it has words."""
VOCABULARY_SHARD = 3_000


class Clusters(NamedTuple):
    """Chunks by what they are about."""

    order: list[int]
    """Rows of the matrix, cluster by cluster."""
    sizes: list[int]
    centres: NDArray[np.float32]


def mixed(parts: PartSet) -> NDArray[np.float32]:
    """One vector for each chunk: of its text, and a little of its names."""
    counts = np.asarray(parts.counts)
    names, texts = parts.floats()
    wholes = _normal(np.add.reduceat(texts, np.cumsum(counts) - counts))
    for name, share in enumerate(NAME_SHARES):
        wholes = wholes + share * names[:, name]
    return _normal(wholes)


def clusters_of(matrix: NDArray[np.float32]) -> Clusters:
    """Spherical k-means from evenly spread rows, so that the same pages give the same clusters."""
    size = len(matrix)
    count = max(1, round(size / CLUSTER))
    centres = matrix[np.linspace(0, size - 1, count).astype(int)]
    nearest = np.zeros(size, int)
    for _ in range(_ROUNDS):
        nearest = np.concatenate([(rows @ centres.T).argmax(axis=1) for rows in _slices(matrix)])
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, matrix)
        centres = np.where(sums.any(axis=1)[:, None], _normal(sums), centres)
    groups = [group for cluster in range(count) for group in _small(np.flatnonzero(nearest == cluster).tolist())]
    means = _normal(np.stack([matrix[group].sum(axis=0) for group in groups]))
    return Clusters([row for group in groups for row in group], [len(group) for group in groups], means)


def _small(group: list[int]) -> Iterator[list[int]]:
    pieces = -(-len(group) // MAX_IN_CLUSTER)
    for piece in range(pieces):
        yield group[piece * len(group) // pieces : (piece + 1) * len(group) // pieces]


def _slices(matrix: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    return (matrix[start : start + 4096] for start in range(0, len(matrix), 4096))


def _normal(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    normal: NDArray[np.float32] = (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return normal


def row_shards() -> list[bytes]:
    """The rows of the model, each with its weight."""
    rows, weights = np.load(DATA / "rows.npy", mmap_mode="r"), np.load(DATA / "weights.npy")
    entries = [struct.pack("<i", weight) + row.tobytes() for weight, row in zip(weights, rows, strict=True)]
    return [b"".join(entries[start : start + ROWS]) for start in range(0, len(entries), ROWS)]


def vocabulary_shards() -> tuple[list[bytes], list[str]]:
    """The word pieces, by their first two letters: all pieces that a word may begin with are in one shard, or are one
    letter. Pieces that continue a word begin with `##`. Returns the shards, and the first key of each."""
    pieces = VOCABULARY.read_text(encoding="utf-8").split("\n")[:-1]
    by_key: dict[str, list[int]] = {}
    for row, piece in enumerate(pieces):
        if not piece.startswith("["):
            by_key.setdefault(piece_key(piece), []).append(row)
    shards: list[bytes] = []
    first_keys: list[str] = []
    for key in sorted(by_key, key=lambda one: one.encode("utf-16-be")):
        entry = b"".join(text(pieces[row]) + number(row) for row in by_key[key])
        if not shards or len(shards[-1]) + len(entry) > VOCABULARY_SHARD:
            shards.append(b"")
            first_keys.append(key)
        shards[-1] += entry
    return shards, first_keys


def piece_key(piece: str) -> str:
    """Single letters are together, because a word may have to fall back on them."""
    start = "##" if piece.startswith("##") else ""
    letters = piece.removeprefix("##")
    return start + (letters[:2] if len(letters) > 1 else "")

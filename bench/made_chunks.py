"""Documents of any number, made from a seed, ready to be stored: no file is read, parsed or embedded for them.

Words are as frequent as in a language: the second is half as frequent as the first, and so on. Vectors lie in groups,
as those of texts do.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headnote.model import text_hash
from headnote.store.codec import columns_of
from headnote.store.quantized import name_hash, names_of, packed_groups
from headnote.store.rows import ChunkRow, Columns, DocumentEntry, DocumentRow, PackedVectors
from headnote.words.terms import query_terms

MODEL = "made:1"
DIMENSIONS = 256
"""As the instant model has."""
CHUNKS_PER_DOCUMENT = 10
WORDS_PER_CHUNK = 70
_VOCABULARY = 30_000
_GROUPS = 2_000
_SPREAD = 0.9
"""Length of what sets a vector apart from the middle of its group, which has length 1."""
_TOGETHER = 1_000
"""Documents that are made at once."""

Matrix = NDArray[np.float32]


class MadeQuery(NamedTuple):
    text: str
    vector: Matrix


class MadeChunks:
    """So many chunks, the same ones at every run. It also is the embedder of its queries."""

    name = MODEL
    dimensions = DIMENSIONS

    def __init__(self, count: int) -> None:
        self.count = count
        self._words = np.array(_words(_VOCABULARY), dtype=object)
        shares = 1 / np.arange(1, _VOCABULARY + 1)
        self._bounds = np.cumsum(shares / shares.sum())
        self._middles = _of_length_one(np.random.default_rng(1).normal(size=(_GROUPS, DIMENSIONS)))

    def entries(self) -> Iterator[Columns]:
        random = np.random.default_rng(2)
        documents = self.count // CHUNKS_PER_DOCUMENT
        for first in range(0, documents, _TOGETHER):
            count = min(_TOGETHER, documents - first)
            words = self._draw(random, (count, CHUNKS_PER_DOCUMENT, WORDS_PER_CHUNK))
            vectors = self._vectors(random, count)
            for number in range(count):
                yield _entry(f"{first + number:06}", words[number], vectors[number])

    def _vectors(self, random: np.random.Generator, documents: int) -> Matrix:
        """All chunks of a document belong to one group."""
        groups = random.integers(_GROUPS, size=documents)
        return self._near(random, np.repeat(groups, CHUNKS_PER_DOCUMENT)).reshape(documents, CHUNKS_PER_DOCUMENT, -1)

    def _near(self, random: np.random.Generator, groups: NDArray[np.int64]) -> Matrix:
        noise = _of_length_one(random.standard_normal((len(groups), DIMENSIONS), np.float32))
        return _of_length_one(self._middles[groups] + _SPREAD * noise)

    def _draw(self, random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.object_]:
        words: NDArray[np.object_] = self._words[np.searchsorted(self._bounds, random.random(shape))]
        return words

    @cached_property
    def queries(self) -> list[MadeQuery]:
        """Three words each, seldom the most frequent ones, and a vector in one of the groups."""
        random = np.random.default_rng(3)
        words = self._words[random.integers(20, 5_000, size=(100, 3))]
        return [MadeQuery(text, self.embed_query(text)) for text in map(" ".join, words)]

    def embed(self, texts: Sequence[str]) -> Matrix:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Matrix:
        random = np.random.default_rng(zlib.crc32(text.encode()))
        vector: Matrix = self._near(random, random.integers(_GROUPS, size=1))[0]
        return vector


def _words(count: int) -> list[str]:
    """Words that a query finds as they are: none of them has an ending that a stemmer takes off."""
    syllables = ["".join(letters) for letters in product("bdfgkmnprtvz", "aou")]
    made = ("".join(parts) + "k" for parts in product(syllables, repeat=3))
    words: list[str] = []
    for word in made:
        if query_terms(word) == [word]:
            words.append(word)
            if len(words) == count:
                break
    return words


def _entry(name: str, words: NDArray[np.object_], vectors: Matrix) -> Columns:
    texts = [" ".join(row) for row in words]
    path, text = f"{name[:3]}/{name}.md", "\n\n".join(texts) + "\n"
    title = f"page {name}"
    document = DocumentRow(
        path=path,
        size=len(text),
        mtime_ns=1,
        hash=hashlib.sha256(text.encode()).hexdigest(),
        title=title,
        text=text,
        metadata={},
    )
    chunks, start = [], 0
    for number, own in enumerate(texts):
        chunks.append(_chunk(number, start, start + len(own), text_hash(name + own)))
        start += len(own) + 2
    halves, parts = vectors.astype(np.float16), packed_groups(vectors, [1] * len(vectors))
    packed = PackedVectors(
        MODEL,
        DIMENSIONS,
        {bytes.fromhex(chunk.hash): (halves[at].tobytes(), parts[at]) for at, chunk in enumerate(chunks)},
        {name_hash(names_of(title, ())[0]): parts[0]},
    )
    return columns_of(DocumentEntry(document, chunks, (), packed))


def _chunk(number: int, start: int, end: int, digest: str) -> ChunkRow:
    return ChunkRow(
        number=number,
        start=start,
        end=end,
        start_line=2 * number + 1,
        end_line=2 * number + 1,
        block_start=number,
        block_end=number,
        section=0,
        part=None,
        tokens=WORDS_PER_CHUNK,
        hash=digest,
        id_tail=f"#{number}",
        key_tail=f"#{digest}",
        heading_path=(),
        tags=(),
        front=(),
        lead=(),
        prefix="",
        suffix="",
        overlap="",
    )


def _of_length_one(matrix: NDArray[np.floating]) -> Matrix:
    normalized: Matrix = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    return normalized

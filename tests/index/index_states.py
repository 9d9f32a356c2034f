"""All that an index says, in a form in which two of them can be compared, and embedders that count."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from store_samples import stored_vectors

import headnote
from headnote.embedding import get_embedder
from headnote.embedding.embedder import Embedder
from headnote.index import applying
from headnote.store.filters import Filter, HasTag
from headnote.store.integrity import ROOTS, STORED_SETTINGS
from headnote.store.interface import Reader, Store
from headnote.store.opening import open_store
from headnote.store.quantized import names_of
from headnote.store.rows import ChunkRow, DocumentRow, LinkRow
from headnote.store.sqlite.store import FOLDER
from headnote.words.terms import terms

Vectors = NDArray[np.float32]

Answer = list[tuple[float, str, int]]
"""(score, path, number of the chunk), best first; equals by place, since their order means nothing."""


class State(NamedTuple):
    """What an index says, without the numbers that depend on how it was reached."""

    manifest: dict[str, str]
    documents: list[DocumentRow]
    chunks: list[tuple[str, ChunkRow, str, str]]
    """(path, row, text, embed_text)"""
    links: list[LinkRow]
    orphans: list[str]
    keywords: dict[str, tuple[int, Answer]]
    """Term → in how many chunks it is, and which."""
    filtered: dict[str, Answer]
    vectors: dict[str, bytes]
    """Hash → vector."""
    names: dict[str, bytes]
    """Name → vector."""


class Counting:
    """An embedder that records the texts it embeds."""

    def __init__(self, inner: str | Embedder = "hashing:16") -> None:
        self._inner = get_embedder(inner)
        self.name = self._inner.name
        self.dimensions = self._inner.dimensions
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return self._inner.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        return self._inner.embed_query(text)


class Quick:
    """Vectors that cost nothing, for many texts."""

    name = "quick"
    dimensions = 4

    def embed(self, texts: Sequence[str]) -> Vectors:
        digests = b"".join(hashlib.blake2b(text.encode(), digest_size=4).digest() for text in texts)
        numbers = np.frombuffer(digests, np.uint8).reshape(-1, self.dimensions)
        return numbers.astype(np.float32) / np.float32(512)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector


@contextmanager
def eager_batches() -> Iterator[None]:
    """Inside, an update commits after every document that it reads."""
    values = {name: getattr(applying, name) for name in ("FEW", "FIRST", "MAX_SECONDS")}
    for name in values:
        setattr(applying, name, 0)
    try:
        yield
    finally:
        for name, value in values.items():
            setattr(applying, name, value)


def opened(root: Path) -> Store:
    """Where the index of a folder is in this test."""
    return open_store(root, os.environ.get("HEADNOTE_STORE", ""))


def state(root: Path, model: str, store: Store | None = None) -> State:
    store = store or opened(root)
    try:
        with store.reading() as reader:
            return _state(reader, model)
    finally:
        store.close()


def _state(reader: Reader, model: str) -> State:
    documents = [document for path in reader.document_paths() if (document := reader.document(path))]
    stored = [chunk for document in documents for chunk in reader.chunks_of(document.path)]
    words = sorted({term for chunk in stored for term in terms(chunk.text)})
    counts = reader.term_frequencies(words)
    tags = sorted({tag for chunk in stored for tag in chunk.row.tags})
    return State(
        # Not whose it is, nor who said what: two indexes of the same files may differ in that.
        {key: value for key, value in reader.manifest().items() if key not in (ROOTS, STORED_SETTINGS)},
        documents,
        [(chunk.path, chunk.row, chunk.text, chunk.embed_text) for chunk in stored],
        reader.links(),
        reader.orphans(),
        {word: (counts[word], _answer(reader, [word])) for word in words[:: max(len(words) // 25, 1)]},
        {tag: _answer(reader, words[:60], Filter(HasTag(tag))) for tag in tags},
        vectors_by_hash(reader, model),
        vectors_by_name(reader, model),
    )


def _answer(reader: Reader, terms: list[str], only: Filter = Filter()) -> Answer:  # noqa: B008  immutable
    hits = reader.keyword(terms, 10_000, only=only)
    chunks = reader.chunks([hit.chunk for hit in hits])
    scores = [(round(hit.score, 9), chunk.path, chunk.row.number) for hit, chunk in zip(hits, chunks, strict=True)]
    return sorted(scores, key=lambda one: (-one[0], *one[1:]))


def vectors_by_hash(reader: Reader, model: str) -> dict[str, bytes]:
    """Of the texts that chunks have now."""
    hashes = {chunk.row.hash for path in reader.document_paths() for chunk in reader.chunks_of(path)}
    # A zero has lost its sign where a server wrote it as text.
    return {
        digest: (vector + np.float32(0)).tobytes()
        for digest, vector in stored_vectors(reader, model).items()
        if digest in hashes
    }


def vectors_by_name(reader: Reader, model: str) -> dict[str, bytes]:
    """Of the names that chunks have now."""
    chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
    parts = reader.parts(model, [chunk.id for chunk in chunks])
    named = {chunk.id: names_of(chunk.title, chunk.row.heading_path) for chunk in chunks}
    return {
        name: vector.tobytes()
        for chunk, vectors in zip(parts.chunks, parts.floats()[0], strict=True)
        for name, vector in zip(named[chunk], vectors, strict=True)
        if vector.any()
    }


def hashes_with_vectors(store: Store, model: str) -> set[str]:
    """Also of texts that no chunk has: nothing of a sweep is to be seen here."""
    with store.reading() as reader:
        return set(stored_vectors(reader, model))


def copied(root: Path, to: Path) -> Path:
    """The folder with its times, without its index."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(root, to, ignore=shutil.ignore_patterns(FOLDER), symlinks=True)
    return to


def fresh_state(root: Path, scratch: Path, embedder: str | Embedder = "hashing:16", **settings: Any) -> State:
    """What an index made from nothing would say of this folder: always one in SQLite, since all stores say the same."""
    copy = copied(root, scratch)
    with headnote.Index.open(copy, embedder=embedder, store="sqlite", **settings) as index:
        index.update(workers=1)
        model = index.embedder.name
    return state(copy, model, open_store(copy))


def write(root: Path, files: dict[str, str]) -> None:
    """Files with a time that lies well in the past, so that reading them waits for no clock."""
    for number, (name, text) in enumerate(files.items()):
        put_file(root / name, text.encode(), number)


_LONG_AGO = 1_600_000_000


def put_file(file: Path, data: bytes, time: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    os.utime(file, (_LONG_AGO + time, _LONG_AGO + time))

"""An embedder that embeds no text twice, for evaluations in which several indexes share most of their texts."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from headnote.embedding.embedder import Embedder
from headnote.index.text_vectors import parts_of
from headnote.model import text_hash
from headnote.numeric import np
from headnote.store.interface import Reader, Store
from headnote.store.quantized import names_of

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

    Cache: TypeAlias = MutableMapping[str, Vectors]


class CachingEmbedder:
    """Wraps an embedder, and calls it only for texts whose hash is not in the cache."""

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        self._embedder = embedder
        self._cache = cache

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        hashes = [text_hash(text) for text in texts]
        missing = {digest: text for digest, text in zip(hashes, texts, strict=True) if digest not in self._cache}
        if missing:
            vectors = self._embedder.embed(list(missing.values()))
            for digest, vector in zip(missing, vectors, strict=True):
                self._cache[digest] = vector
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([self._cache[digest] for digest in hashes]).astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        # Some models embed a query differently from a passage with the same text.
        digest = text_hash(f"query: {text}")
        if digest not in self._cache:
            self._cache[digest] = self._embedder.embed_query(text)
        return self._cache[digest]


def cached_vectors(store: Store, model: str) -> Cache:
    """The vectors of an index by the hash of their text."""
    with store.reading() as reader:
        return {
            text_hash(text): vector
            for path in reader.document_paths()
            for text, vector in _vectors_of(reader, path, model)
        }


def _vectors_of(reader: Reader, path: str, model: str) -> Iterator[tuple[str, Vectors]]:
    """The parts and the names of each chunk of a document, with their vectors."""
    chunks = {chunk.id: chunk for chunk in reader.chunks_of(path)}
    parts = reader.parts(model, list(chunks))
    names_of_chunks, texts = parts.floats()
    rows = iter(texts)
    for chunk_id, name_vectors in zip(parts.chunks, names_of_chunks, strict=True):
        chunk = chunks[chunk_id]
        yield from ((part, next(rows)) for part in parts_of(chunk.embed_text))
        names = names_of(chunk.title, chunk.row.heading_path)
        # A name without a vector yet has a row of zeros.
        yield from (named for named in zip(names, name_vectors, strict=True) if named[1].any())

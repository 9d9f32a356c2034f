"""An embedder that makes no vector twice: for evaluations, where several indexes share most of their texts."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from headnote.embedding.base import Embedder
from headnote.index.parts import parts_of
from headnote.model import text_hash
from headnote.store.base import Store
from headnote.store.names import names_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
    Known: TypeAlias = MutableMapping[str, Vectors]


class RememberingEmbedder:
    """The embedder it is given, asked only for what is not known."""

    def __init__(self, embedder: Embedder, known: Known) -> None:
        self._embedder = embedder
        self._known = known

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        hashes = [text_hash(text) for text in texts]
        missing = {digest: text for digest, text in zip(hashes, texts, strict=True) if digest not in self._known}
        if missing:
            made = self._embedder.embed(list(missing.values()))
            for digest, vector in zip(missing, made, strict=True):
                self._known[digest] = vector
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([self._known[digest] for digest in hashes]).astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        return self._embedder.embed_query(text)


def vectors_in(store: Store, model: str) -> Known:
    """What an index knows already, by hash of each part and each name."""
    known: Known = {}
    with store.reading() as reader:
        for path in reader.document_paths():
            chunks = {chunk.id: chunk for chunk in reader.chunks_of(path)}
            found = reader.parts(model, list(chunks))
            rows = iter(found.matrix)
            for chunk, vectors in zip(map(chunks.__getitem__, found.chunks), found.names, strict=True):
                for part in parts_of(chunk.embed_text):
                    known[text_hash(part)] = next(rows)
                for name, vector in zip(names_of(chunk.title, chunk.row.heading_path), vectors, strict=True):
                    if vector.any():
                        known[text_hash(name)] = vector
    return known

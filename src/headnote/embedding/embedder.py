"""The interface of every embedder, and the embedder that makes no vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from headnote.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors.

    A vector depends on its text alone, never on the texts it is embedded with. Its length is one, so a dot product is a
    cosine. Only a blank text, or one that the model cannot read, has no direction and becomes zeros.
    """

    @property
    def name(self) -> str:
        """The model and whatever else changes vectors. Vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; 0 if there are no vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in their order."""

    def embed_query(self, text: str) -> Vectors:
        """One vector for a search query. Some models embed questions differently from passages."""


class NoEmbedder:
    """Makes rows of zero width: search by keywords only."""

    name = "none"
    dimensions = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), 0), dtype="float32")

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

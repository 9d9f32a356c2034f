"""What every embedder can do, and what a new one has to bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """A way to make vectors of texts.

    A vector depends on its text alone, never on the texts it is embedded with. It is of length one, so a dot product
    is a cosine; only a blank text, or one in which the model sees nothing at all, has no direction and becomes zeros.
    """

    @property
    def name(self) -> str:
        """The model and whatever else changes vectors: those of two different names are never compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; 0 if there are no vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A row for each text, in their order."""

    def embed_query(self, text: str) -> Vectors:
        """One vector, for what somebody is looking for. Some models see questions with other eyes than answers."""

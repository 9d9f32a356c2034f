"""No vectors at all, for whoever wants keyword search only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headnote.embedding.vectors import zeros

if TYPE_CHECKING:
    from headnote.embedding.base import Vectors


class NoEmbedder:
    """Rows without numbers in them."""

    name = "none"
    dimensions = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        return zeros(len(texts), 0)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

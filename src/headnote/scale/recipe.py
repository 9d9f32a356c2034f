"""How documents are made into chunks. It travels to every worker, so it is small."""

from __future__ import annotations

import json
from dataclasses import dataclass

from headnote.chunking.settings import Settings
from headnote.embedding.base import Embedder
from headnote.index.manifest import READER, settings_text
from headnote.scale.batch import open_embedder
from headnote.scale.columns import FORMAT
from headnote.sources.discover import MAX_BYTES


@dataclass(frozen=True, slots=True)
class Recipe:
    """Settings, and who makes vectors."""

    settings: Settings
    embedder: str = ""
    """Name of the embedder; empty for no vectors."""
    model: str = ""
    """What it calls itself, which is another name when its vectors are others."""
    threads: int | None = None
    """For the embedder, in each process."""
    max_bytes: int = MAX_BYTES

    @property
    def text(self) -> str:
        """Equal if and only if the same documents give the same rows."""
        made_by = {"format": FORMAT, "reader": READER, "model": self.model, "settings": settings_text(self.settings)}
        return json.dumps(made_by, sort_keys=True)

    def open_embedder(self) -> Embedder | None:
        return open_embedder(self.embedder, self.threads)

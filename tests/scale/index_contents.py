"""The whole contents of an index, for comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bulk_samples import BAD

import headnote
from headnote.extra.scale.work import Recipe
from headnote.store.opening import open_store

Contents = dict[str, Any]


def contents(root: Path, url: str) -> Contents:
    """The whole contents of an index, for comparison."""
    store = open_store(root, url, create=False)
    with store.reading() as reader:
        paths = reader.document_paths()
        stored = {
            "documents": [reader.document(path) for path in paths],
            "chunks": [(chunk.path, chunk.row, chunk.text) for path in paths for chunk in reader.chunks_of(path)],
            "links": reader.links(),
            "models": reader.models(),
            "pending": {model: reader.pending(model, 5) for model in reader.models()},
        }
    store.close()
    return stored


def indexed(root: Path, url: str, recipe: Recipe) -> Contents:
    """The contents of an index of the readable files, made by `headnote index`."""
    for name in BAD:
        (root / name).unlink()
    with headnote.Index.open(root, store=url, embedder=recipe.embedder or "none") as index:
        index.update()
    return contents(root, url)

"""All there is in an index, whoever made it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bulk_samples import BAD

import headnote
from headnote.scale.recipe import Recipe
from headnote.store.opening import open_store

Contents = dict[str, Any]


def contents(root: Path, url: str) -> Contents:
    """All there is in an index, whoever made it."""
    store = open_store(root, url, create=False)
    with store.reading() as reader:
        paths = reader.document_paths()
        found = {
            "documents": [reader.document(path) for path in paths],
            "chunks": [(one.path, one.row, one.text) for path in paths for one in reader.chunks_of(path)],
            "links": reader.links(),
            "models": reader.models(),
            "pending": {model: reader.pending(model, 5) for model in reader.models()},
        }
    store.close()
    return found


def indexed(root: Path, url: str, recipe: Recipe) -> Contents:
    """The same by `headnote index`, of what is text."""
    for name in BAD:
        (root / name).unlink()
    with headnote.Index.open(root, store=url, embedder=recipe.embedder or "none") as index:
        index.update()
    return contents(root, url)

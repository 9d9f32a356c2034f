"""Which of the models of an index answers a search: one of them, never a mixture.

The deep model is better, but only if it has vectors of everything: with half of them, the other half would rank below
whatever has one.
"""

from __future__ import annotations

from headnote.embedding.base import Embedder
from headnote.embedding.registry import Models
from headnote.store.base import Reader
from headnote.store.damage import INSTANT
from headnote.store.filters import Filter

EVERYTHING = Filter()


def model_for(reader: Reader, models: Models, only: Filter = EVERYTHING) -> Embedder | None:
    """The deep model if its vectors are complete for the chunks that pass, else the instant one; None for words alone.

    A deep model by itself answers with the vectors there are.
    """
    instant, deep = models
    if deep and deep.name in reader.models() and (instant is None or is_complete(reader, deep, only)):
        return deep
    # The store holds that the instant model has all its vectors, if the index was made with it.
    return instant if instant and reader.manifest().get(INSTANT) == instant.name else None


def is_complete(reader: Reader, model: Embedder, only: Filter = EVERYTHING) -> bool:
    """Whether all chunks that pass have their vectors, and those of their names. A filter is looked at only if some
    chunk lacks one."""
    return reader.has_all_vectors(model.name) or (not only.passes_all and reader.has_all_vectors(model.name, only))

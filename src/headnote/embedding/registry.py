"""Names of embedders, as users write them, and the embedders behind them."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache

from headnote.embedding.base import Embedder
from headnote.errors import SettingsError

DEFAULT = "minilm"

NAMES = ("minilm", "none", "hashing", "openai:MODEL", "sentence-transformers:MODEL")
"""What users can write. MODEL is whatever the service or library calls it."""

_NEEDS_MODEL = ("openai", "sentence-transformers")


def get_embedder(embedder: str | Embedder = DEFAULT) -> Embedder:
    """The embedder of that name, or the one given. `minilm` is always the same object, because it is slow to load."""
    if not isinstance(embedder, str):
        if isinstance(embedder, Embedder):
            return embedder
        raise SettingsError(f"{embedder!r} is not an embedder", remedy=f"use {', '.join(NAMES)}")
    kind, _, model = embedder.strip().partition(":")
    if kind in _NEEDS_MODEL:
        if not model:
            raise SettingsError(f"{kind} needs the name of a model", remedy=f"write {kind}:MODEL")
        return _with_model(kind, model)
    if kind == "hashing":
        return _hashing(model)
    if model or kind not in NAMES:
        raise SettingsError(f"unknown embedder {embedder!r}", remedy=_suggest(kind))
    return _plain(kind)


@cache
def _plain(name: str) -> Embedder:
    if name == "none":
        from headnote.embedding.base import NoEmbedder

        return NoEmbedder()
    from headnote.embedding.minilm import MiniLMEmbedder

    return MiniLMEmbedder()


def _hashing(dimensions: str) -> Embedder:
    from headnote.embedding.hashing import DIMENSIONS, HashingEmbedder

    if dimensions and not (dimensions.isascii() and dimensions.isdigit()):
        raise SettingsError(f"hashing cannot have {dimensions!r} dimensions", remedy="write a number, as in hashing:64")
    return HashingEmbedder(int(dimensions or DIMENSIONS))


def _with_model(kind: str, model: str) -> Embedder:
    if kind == "openai":
        from headnote.embedding.openai import OpenAIEmbedder

        return OpenAIEmbedder(model)
    from headnote.embedding.sentence_transformers import SentenceTransformersEmbedder

    return SentenceTransformersEmbedder(model)


def _suggest(word: str) -> str:
    known = {name.partition(":")[0]: name for name in NAMES}
    nearest = get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    return f"did you mean {known[nearest[0]]}?" if nearest else f"known: {', '.join(NAMES)}"

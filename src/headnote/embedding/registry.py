"""Names of embedders, as users write them, and the models behind them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from headnote.embedding.embedder import Embedder, NoEmbedder
from headnote.errors import SettingsError

DEFAULT = "default"

NAMES = (
    "default",
    "instant",
    "deep",
    "minilm",
    "quality",
    "none",
    "hashing",
    "openai:MODEL",
    "sentence-transformers:MODEL",
)
"""What users can write. MODEL is whatever the service or library calls it."""

_PACKAGED = ("deep", "minilm", "quality")
"""Models with a package of their own."""
_NEEDS_MODEL = ("openai", "sentence-transformers")


class Models(NamedTuple):
    """The models of an index: one that is done at once, and a better one that takes its time. Either may be missing."""

    instant: Embedder | None = None
    """The one that is done at once."""
    deep: Embedder | None = None
    """The better one that takes its time."""


def get_models(embedder: str | Embedder = DEFAULT) -> Models:
    """The models of that name. An embedder that is given or that needs settings stands alone, as the deep one."""
    if not isinstance(embedder, str):
        if isinstance(embedder, Embedder):
            return Models(deep=embedder)
        raise SettingsError(f"{embedder!r} is not an embedder", remedy=f"use {', '.join(NAMES)}")
    kind, _, model = embedder.strip().partition(":")
    if kind in _NEEDS_MODEL:
        if not model:
            raise SettingsError(f"{kind} needs the name of a model", remedy=f"write {kind}:MODEL")
        return Models(deep=_with_model(kind, model))
    if kind == "hashing":
        return Models(deep=_hashing(model))
    if model or kind not in NAMES:
        raise SettingsError(f"unknown embedder {embedder!r}", remedy=_suggest(kind))
    return _own(kind)


def get_embedder(embedder: str | Embedder = DEFAULT) -> Embedder:
    """The best of the models of that name: the deep one if there is one, else the instant one."""
    models = get_models(embedder)
    return models.deep or models.instant or NoEmbedder()


def has_instant(embedder: str) -> bool:
    """Whether the instant model is one of the models of that name, installed or not."""
    return embedder.strip() in ("default", "instant", *_PACKAGED)


def leads_out(embedder: object) -> bool:
    """Whether a name stands for a service, or for a model that a library loads from anywhere. Our own models lie on
    this machine."""
    return isinstance(embedder, str) and embedder.strip().partition(":")[0] in _NEEDS_MODEL


def short_name(model: str) -> str:
    """The name of a model without what only programs compare: `instant`, `deep`, `openai:MODEL`."""
    kind = model.partition(":")[0]
    return kind if has_instant(kind) else model


def _own(name: str) -> Models:
    if name == "none":
        return Models()
    if name == "default":
        from headnote.embedding.transformer import is_installed

        name = "deep" if is_installed("deep") else "instant"
    return Models(_instant(), _packaged(name) if name in _PACKAGED else None)


# Always the same objects, because they are slow to load.


def _instant() -> Embedder:
    from headnote.embedding.instant import shared

    return shared()


@cache
def _packaged(name: str) -> Embedder:
    from headnote.embedding.transformer import TransformerEmbedder

    return TransformerEmbedder(name)


def _hashing(dimensions: str) -> Embedder:
    from headnote.embedding.embedder import DIMENSIONS, HashingEmbedder

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
    from difflib import get_close_matches  # late: only mistakes need it

    known = {name.partition(":")[0]: name for name in NAMES}
    nearest = get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    return f"did you mean {known[nearest[0]]}?" if nearest else f"known: {', '.join(NAMES)}"

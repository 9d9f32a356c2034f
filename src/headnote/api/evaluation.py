"""Runs of an evaluation: the index of a folder, or a temporary one per preset and embedder, in every mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from headnote.api.folders import models_at_hand
from headnote.api.index import Index, temporary_index
from headnote.chunking.presets import find_preset
from headnote.config import Choice, LoadedSettings
from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import Models, get_embedder
from headnote.errors import EmbeddingError, MissingExtra, MissingIndex, SettingsError
from headnote.extra.evaluate.measuring import (
    CachingEmbedder,
    LocatedQuestion,
    Measurement,
    cached_vectors,
    locate_gold,
    measure,
)
from headnote.extra.evaluate.questions import Question
from headnote.model import Hit
from headnote.model.results import Watcher
from headnote.search.query import MODES
from headnote.store.opening import open_store

KEYWORD = ("keyword",)


class EvalRequest(NamedTuple):
    """What to compare."""

    modes: tuple[str, ...]
    """Empty for all modes the embedder allows."""
    presets: tuple[str, ...]
    """Empty for the settings of the folder."""
    embedders: tuple[str, ...]
    """Empty for the embedder of the folder."""
    limit: int
    place: Mapping[str, Any]
    """Where the index is: the options of `Index.open`."""


class Variant(NamedTuple):
    """One index, and the modes it is searched in."""

    preset: str
    """Empty for the settings of the folder."""
    embedder: str
    """Empty for the embedder of the folder."""
    modes: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.preset} {self.embedder}".strip()

    def title(self, mode: str) -> str:
        # Words are the same whatever makes the vectors.
        return f"{self.preset if mode == 'keyword' else self.name} {mode}".strip()


class EvalWatcher(Protocol):
    """Is told what is being done, and for which variant."""

    def updating(self, name: str) -> Watcher: ...

    def asking(self, title: str) -> Callable[[int, int], None]: ...


class Evaluation:
    """Every preset with every embedder, in every mode. Mistakes in flags come before any vector is made."""

    def __init__(self, root: Path, request: EvalRequest, choice: Choice) -> None:
        self._root, self._request, self._choice = root, request, choice
        self.problem = ""
        """Why only words are searched, though more was asked for; empty if all is well."""
        self._embedders = self._load_embedders()
        self._vectors: dict[str, Any] = {}
        """Of each embedder, shared by all presets."""

    @property
    def are_temporary(self) -> bool:
        """Whether the folder keeps its index as it is."""
        return bool(self._request.presets or self._request.embedders)

    def variants(self) -> list[Variant]:
        """Each preset with each embedder. Only the last embedder searches by words, which it does not change."""
        variants = []
        for preset in self._request.presets or ("",):
            for number, (name, embedder) in enumerate(self._embedders.items(), 1):
                modes = self._request.modes or (MODES if embedder.name != "none" else KEYWORD)
                if number < len(self._embedders):
                    modes = tuple(mode for mode in modes if mode != "keyword")
                variants += [Variant(preset, name, modes)] if modes else []
        return variants

    def measure(
        self, variant: Variant, questions: Sequence[Question], watch: EvalWatcher
    ) -> tuple[list[LocatedQuestion], list[Measurement]]:
        """The questions, which every variant finds at the same places, and how each mode answers them."""
        with self._open(variant) as index:
            remove = not index.is_shared  # measuring must not change the index of others
            on_progress = watch.updating(variant.name)
            index.update(vectors=False, remove=remove, on_progress=on_progress)
            located = locate_gold(questions, cache(lambda path: index.read(path).text))
            if variant.modes != KEYWORD:
                index.update(remove=remove, on_progress=on_progress)
            titles = {mode: variant.title(mode) for mode in variant.modes}
            return located, [
                measure(title, located, partial(_search, index, mode), self._request.limit, watch.asking(title))
                for mode, title in titles.items()
            ]

    # Embedders

    def _load_embedders(self) -> dict[str, Embedder]:
        """Those to compare by name, or under an empty name the one of the folder."""
        if not self._request.embedders:
            return {"": self._embedder_of_folder(self._choice.of_index.settings.embedder)}
        embedders = {name: get_embedder(name) for name in self._request.embedders}
        for name, embedder in embedders.items():
            self._check_modes(embedder, f"{name} makes no vectors")
        return embedders

    def _embedder_of_folder(self, name: str) -> Embedder:
        """The embedder of the folder, whatever the modes: opening the index with another one would rebuild it.

        If it cannot be loaded, keyword search is measured without one, unless another mode is named.
        """
        try:
            embedder = get_embedder(name)
        except (EmbeddingError, MissingExtra) as error:
            if self._request.modes and self._request.modes != KEYWORD:
                raise
            self.problem = f"keyword search only: {error}"
            return get_embedder("none")
        self._check_modes(embedder, "this folder has no embedder")
        return embedder

    def _check_modes(self, embedder: Embedder, problem: str) -> None:
        if embedder.name == "none" and self._request.modes and self._request.modes != KEYWORD:
            raise SettingsError(problem, path="--mode", remedy="use --mode keyword")

    # Indexes

    def _open(self, variant: Variant) -> AbstractContextManager[Index]:
        if self.are_temporary:
            return self._temporary(variant)
        # As it is, with all its models: others would take vectors away from it.
        models = models_at_hand(self._choice.of_index.settings.embedder)
        return Index.open(self._root, embedder=models, **self._request.place)

    def _temporary(self, variant: Variant) -> AbstractContextManager[Index]:
        embedder, choice = self._embedders[variant.embedder], self._choice
        if variant.embedder not in self._vectors:
            target = choice.of_index.settings.target
            self._vectors[variant.embedder] = _stored_vectors(self._root, embedder, target)
        if variant.preset:
            choice = choice._replace(chunking=LoadedSettings(variant.preset, find_preset(variant.preset), {}))
        models = Models(deep=CachingEmbedder(embedder, self._vectors[variant.embedder]))
        return temporary_index(self._root, choice, models)


def _search(index: Index, mode: Any, question: str, limit: int) -> list[Hit]:
    return index.search(question, limit, mode)


def _stored_vectors(root: Path, embedder: Embedder, target: str) -> Any:
    """The vectors in the index of the folder, if there is one. Nothing is written to it."""
    if embedder.name == "none":
        return {}
    try:
        store = open_store(root, target, read_only=True)
    except MissingIndex:
        return {}
    with closing(store):
        return cached_vectors(store, embedder.name)

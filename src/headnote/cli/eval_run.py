"""What `headnote eval` does: opens or makes the indexes, asks all questions of each in each mode."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.api import Index, check_folder, settings_of_index
from headnote.chunking.presets import find_preset
from headnote.cli.index_progress import Bars
from headnote.cli.opening import tell_differences
from headnote.cli.terminal import printable, remark
from headnote.config import Choice, LoadedSettings
from headnote.embedding.registry import get_embedder
from headnote.errors import EmbeddingError, MissingExtra, MissingIndex, SettingsError
from headnote.evaluate.formats import load_questions
from headnote.evaluate.questions import Question
from headnote.evaluate.remember import RememberingEmbedder, vectors_in
from headnote.evaluate.report import Comparison
from headnote.evaluate.run import Measured, Search, measure, prepare
from headnote.search.query import MODES
from headnote.store.opening import open_store
from headnote.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from headnote.embedding.base import Embedder


class Wanted(NamedTuple):
    """What to compare."""

    modes: tuple[str, ...]
    """None: all that are possible."""
    presets: tuple[str, ...]
    """None: the index of the folder as it is."""
    limit: int
    place: dict[str, Any]
    """Where the index of the folder is, if not where its settings say."""


def compare(file: Path, root: Path, wanted: Wanted) -> Comparison:
    """Everything that is wrong with questions, folder or flags is said before any vector is made."""
    questions = load_questions(file)
    check_folder(root)
    for preset in wanted.presets:
        find_preset(preset)
    choice = settings_of_index(root, wanted.place["store"], wanted.place["schema"])
    tell_differences(choice)
    embedder = _embedder(choice.of_index.settings.embedder, wanted.modes)
    modes = wanted.modes or (MODES if embedder.name != "none" else ("keyword",))
    measured: list[Measured] = []
    with ExitStack() as stack:
        for name, index in _indexes(root, wanted, choice, embedder, stack):
            measured += _measured(name, index, questions, modes, wanted.limit)
    return Comparison(wanted.limit, measured)


def _embedder(name: str, modes: tuple[str, ...]) -> Embedder:
    """The one of the folder, whatever the modes: an index that is opened with another one is made anew.

    None where it cannot be had and words are enough, or where nothing else was asked for.
    """
    try:
        found = get_embedder(name)
    except (EmbeddingError, MissingExtra) as error:
        if modes and modes != ("keyword",):
            raise
        remark(f"by words only: {error}", only_on_a_terminal=bool(modes))
        return get_embedder("none")
    if found.name == "none" and modes and modes != ("keyword",):
        raise SettingsError("this folder has no embedder", path="--mode", remedy="use --mode keyword")
    return found


def _indexes(
    root: Path, wanted: Wanted, choice: Choice, embedder: Embedder, stack: ExitStack
) -> Iterator[tuple[str, Index]]:
    if not wanted.presets:
        index = stack.enter_context(Index.open(root, embedder=embedder, **wanted.place))
        yield "", index
        return
    known = _known_vectors(root, embedder, choice.of_index.settings.target)
    place = Path(stack.enter_context(TemporaryDirectory(prefix="headnote-eval-")))
    for preset in wanted.presets:
        (place / preset).mkdir()
        remembering = RememberingEmbedder(embedder, known)
        store = SqliteStore.open(place / preset)
        cut_so = choice._replace(chunking=LoadedSettings(preset, find_preset(preset), {}))
        yield preset, stack.enter_context(Index(root, store, cut_so, remembering))


def _known_vectors(root: Path, embedder: Embedder, target: str) -> Any:
    """Those that the index of the folder has, if it has one: nothing is written there."""
    if embedder.name == "none":
        return {}
    try:
        store = open_store(root, target, read_only=True)
    except MissingIndex:
        return {}
    try:
        return vectors_in(store, embedder.name)
    finally:
        store.close()


def _measured(
    name: str, index: Index, questions: list[Question], modes: tuple[str, ...], limit: int
) -> Iterator[Measured]:
    with Bars() as bars:
        remove = not index.is_shared  # who measures, only asks
        index.update(vectors=False, remove=remove, on_progress=bars)
        texts = _Texts(index)
        asked = prepare(questions, texts)
        if modes != ("keyword",):
            index.update(remove=remove, on_progress=bars)
    for mode in modes:
        way = f"{name} {mode}".strip()
        with _progress(way) as watch:
            yield measure(way, asked, _searching(index, mode), limit, watch)


def _searching(index: Index, mode: Any) -> Search:
    return lambda question, limit: index.search(question, limit, mode)


class _Texts:
    """Path → text of the document, each read once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._texts: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = self._index.read(path).text
        return self._texts[path]


@contextmanager
def _progress(way: str) -> Iterator[Any]:
    """A line on standard error that says how far the questions are, if somebody is there to see it."""
    seen = sys.stderr.isatty()

    def watch(done: int, total: int) -> None:
        if seen:
            sys.stderr.write(f"\r\x1b[K{printable(way)}: {done} of {total} questions")
            sys.stderr.flush()

    try:
        yield watch
    finally:
        if seen:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

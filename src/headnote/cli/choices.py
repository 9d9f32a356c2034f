"""What a shell offers for the value of an option or argument: words, folders, and what is in an index.

The index is read as it is, and only the one in a file below the folder: a key must not wait for a server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from headnote.cli.query_words import understand

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

QUESTION_FILES = (".jsonl", ".json", ".csv")


def words(*known: str) -> Completer:
    """Some of these words."""
    return words_of(lambda: known)


def words_of(known: Callable[[], Iterable[str]]) -> Completer:
    """Some of the words that the function returns. It is called only by a shell that completes."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in known() if word.startswith(incomplete)]

    return complete


def folders(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The shell knows them."""
    return [CompletionItem(incomplete, type="dir")]


def question_files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files that may hold questions, and the folders on the way to them."""
    folder, _slash, _name = incomplete.rpartition("/")
    inside = Path(f"{folder}/" if _slash else ".")
    paths = [f"{path.name}/" if path.is_dir() else path.name for path in inside.iterdir() if path.name[0] != "."]
    known = [f"{folder}{_slash}{path}" for path in sorted(paths) if path.endswith(("/", *QUESTION_FILES))]
    return [CompletionItem(path) for path in known if path.startswith(incomplete)]


# Names that other modules know. They are imported when a shell asks, because every command imports this module.


def _presets() -> Iterable[str]:
    from headnote.chunking.presets import presets

    return presets()


def _sizes() -> Iterable[str]:
    from headnote.chunking.budgets import SIZES

    return SIZES


def _overlaps() -> Iterable[str]:
    from headnote.chunking.budgets import OVERLAPS

    return OVERLAPS


def _embedders() -> Iterable[str]:
    from headnote.embedding.registry import NAMES

    return (name.removesuffix("MODEL") for name in NAMES)


presets, sizes, overlaps, embedders = map(words_of, (_presets, _sizes, _overlaps, _embedders))


# What is in an index


def tags(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Those of the documents, most frequent first."""
    from headnote.store.opening import open_store

    with open_store(_root_of(ctx), read_only=True).reading() as reader:
        known = reader.tags()
    return [CompletionItem(tag) for tag in known if tag.startswith(incomplete.removeprefix("#").lower())]


def documents(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Paths of documents, folder by folder."""
    from headnote.store.opening import open_store

    with open_store(_root_of(ctx), read_only=True).reading() as reader:
        paths = reader.document_paths()
    return [CompletionItem(path) for path in next_steps(paths, incomplete)]


def roots(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the folders of an index that has several."""
    from headnote.api import read_pack_info
    from headnote.config import read_roots

    pack = ctx.params.get("pack")
    names = read_pack_info(pack).roots if pack else [entry.root.name for entry in read_roots(_root_of(ctx))]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def next_steps(paths: Iterable[str], incomplete: str) -> list[str]:
    """The paths that begin so, each up to its next slash."""
    start = len(incomplete)
    matching = (path for path in paths if path.startswith(incomplete))
    return list(dict.fromkeys(path[: path.find("/", start) + 1] or path for path in matching))


def _root_of(ctx: click.Context) -> Path:
    """The folder on the command line so far. Where an option still lacks its value, click has not sorted the words."""
    from headnote.api.folders import place_of_home

    if home := ctx.params.get("home"):
        return Path(home)
    roots = ctx.params.get("folders") or ctx.params.get("root") or ()
    said = ctx.params.get("words") or (ctx.args if any(one.name == "words" for one in ctx.command.params) else ())
    return place_of_home(understand(said, (roots,) if isinstance(roots, Path) else roots).roots)

"""`headnote context`: what folders and documents are, in a sentence each, which comes with every hit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from headnote.api import check_folder
from headnote.cli import choices, options
from headnote.cli.access import roots_of
from headnote.cli.command import Argument, Command
from headnote.cli.terminal import StyledText, table, write_json, write_lines, write_message, write_note
from headnote.config import check_sentence, context_path, read_contexts
from headnote.config.chunk_settings import CONTEXT
from headnote.config.context_settings import place_in
from headnote.config.tables import OWN_FILE, nearest_file, read_settings_file
from headnote.config.trust import trust
from headnote.errors import SettingsError, UnwritableIndex, shown
from headnote.extras import install, load
from headnote.sources.tree import Tree
from headnote.whole_files import written_whole


@click.command(
    "context",
    cls=Command,
    examples=[
        ("say what a folder is", 'headnote context . "The handbook of the gauge, current." --root docs'),
        ("all sentences so far", "headnote context --root docs"),
        ("take it back", "headnote context . --remove --root docs"),
    ],
)
@click.argument(
    "path",
    cls=Argument,
    required=False,
    shell_complete=choices.documents,
    about=("A folder or document, from the root; . for the whole."),
)
@click.argument("sentence", cls=Argument, required=False, about="What it is. Without it, the sentence so far is shown.")
@options.root_option
@click.option("--remove", is_flag=True, help="Remove the sentence about PATH.")
@options.as_json
def context_command(path: str | None, sentence: str | None, root: Path, remove: bool, as_json: bool) -> None:
    """Say in a sentence what a folder or document is.

    The sentence is stored in headnote.toml of the folder. It comes with every hit from there, counts a little in the
    ranking, and is what an agent reads first. You need not build the index again.
    """
    check_folder(root)
    if sentence is not None and remove:
        raise SettingsError("both a sentence and --remove", path="--remove", remedy="leave out one of them")
    place = None if path is None else _place(root, path)
    if place is not None and (sentence is not None or remove):
        _write(root, place, check_sentence(sentence) if sentence is not None else None)
        if not remove and not _exists(root, place):
            write_note(f"{place} does not exist in {root} yet: no hit comes with this sentence")
    elif remove:
        raise SettingsError("--remove needs a path", path="--remove", remedy="say whose sentence to remove")
    if remove and place is not None and not as_json:
        write_lines([[StyledText(f"removed the description of {place or '.'}")]])
    else:
        _show(root, None if remove else place, as_json)


def _place(root: Path, written: str) -> str:
    """A path as the index has it. An absolute one must lie in a folder of the index."""
    if not Path(written).is_absolute():
        return context_path(written)
    inside = (roots_of(root.absolute()) or Tree.of_folder(root)).path_of(written)
    if inside is None:
        remedy = f"write a path from {root}, or . for the whole"
        raise SettingsError(f"{shown(written)} lies outside of the folder", remedy=remedy)
    return context_path(inside)


def _exists(root: Path, place: str) -> bool:
    tree = roots_of(root.absolute()) or Tree.of_folder(root)
    inside = tree.place(place)
    # A path too long for a name is none, and the home of several folders has paths of its own.
    return not place or (inside is not None and os.path.exists(tree.file(place)))


def _show(root: Path, path: str | None, as_json: bool) -> None:
    said = read_contexts(root).sentences
    shown = {place: text for place, text in said.items() if path is None or place == path}
    if as_json:
        write_json({"root": str(root), "contexts": [{"path": one, "text": text} for one, text in shown.items()]})
    elif shown:
        rows: dict[str, Any] = {place or ".": [StyledText(text)] for place, text in shown.items()}
        write_lines(table(rows))
    else:
        write_message('no sentences yet; add one: headnote context PATH "what it is"')


def _write(root: Path, path: str, sentence: str | None) -> None:
    """Change one entry of the file; everything else in it stays as it is written."""
    tomlkit = load("tomlkit", "changing headnote.toml", install("search"))
    read_contexts(root)  # a file with a mistake is not touched
    known = nearest_file(root)
    file, prefix = (known.path, known.prefix) if known else (root / OWN_FILE, ())
    place = "/".join(filter(None, (place_in(known, root) if known else "", path)))
    document = tomlkit.parse(known.text) if known else tomlkit.document()
    table = document
    for name in (*prefix, CONTEXT):
        table = table.setdefault(name, tomlkit.table())
    keys = [key for key in table if context_path(str(key)) == place]
    if sentence is None and not keys:
        raise SettingsError(f"{place or '.'} has no description", path=str(file), remedy="see headnote context")
    if sentence is not None:
        table[keys[0] if keys else place or "."] = sentence
    else:
        del table[keys[0]]
    _replace(file, tomlkit.dumps(document))
    if known and known.is_trusted and (changed := read_settings_file(file)):
        trust(changed.path, changed.digest)  # it is the user's change, and a sentence leads nowhere


def _replace(file: Path, text: str) -> None:
    try:
        with written_whole(file) as new:
            new.write_text(text, encoding="utf-8")
    except OSError as error:
        remedy = "check its permissions"
        raise UnwritableIndex(f"cannot be written: {error.strerror}", path=str(file), remedy=remedy) from None

"""`[roots]`: the folders of an index, if it has several. Each has a name, globs and settings of its own.

They are read from the file in the folder itself, never from one above it, and always as the file is now: they say what
the index is about, not how it is made.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from headnote.arguments import expect
from headnote.config.chunk_settings import ROOT_KEYS, ROOTS, outward_counters, root_values
from headnote.config.folder_settings import INDEX, IndexSettings
from headnote.config.tables import Layer, SettingEntry, SettingsFile, Values, errors_at, nearest_file
from headnote.config.trust import is_inside
from headnote.errors import SettingsError, shown
from headnote.sources.tree import Root, Tree, check_name


class RootEntry(NamedTuple):
    """A root as the file describes it."""

    root: Root
    values: Values
    """The settings of its chunks that it sets itself."""


def read_roots(folder: Path) -> list[RootEntry]:
    """The roots in the file of this folder; none if it is a single folder."""
    file = nearest_file(folder)
    if file is None or ROOTS not in file.tables or not file.is_in(folder):
        return []
    entries = file.entries(ROOTS)
    roots = [_read_root(file, entry) for entry in entries]
    if not roots:
        raise SettingsError("[roots] is empty", path=file.shown, remedy="add [roots.NAME] with a path, or remove it")
    _check(roots, file, entries)
    return roots


def packed_roots(names: Sequence[str], pack: Path) -> list[RootEntry]:
    """The roots that came with a pack, as folders inside its file: nobody reads from there."""
    roots = [RootEntry(Root(name, str(pack / name)), {}) for name in names]
    Tree.of_roots(entry.root for entry in roots)  # raises for names that no root may have
    return roots


def tree_of(folder: Path, settings: IndexSettings, roots: Iterable[RootEntry]) -> Tree:
    """The folders of an index. What `[index]` includes and excludes holds in every root."""
    several = [
        replace(
            root,
            include=root.include or settings.include,
            exclude=(*settings.exclude, *root.exclude),
            formats=root.formats or settings.formats,
        )
        for root, _ in roots
    ]
    if several:
        return Tree.of_roots(several)
    return Tree.of_folder(folder, settings.include, settings.exclude, settings.formats)


def _check(roots: list[RootEntry], file: SettingsFile, entries: Layer) -> None:
    try:
        Tree.of_roots(root for root, _ in roots)
    except SettingsError as error:
        raise SettingsError(error.message, path=file.shown, line=entries[-1].line, remedy=error.remedy) from None


def _read_root(file: SettingsFile, entry: SettingEntry) -> RootEntry:
    with errors_at(entry):
        check_name(entry.name)
    if isinstance(entry.value, str):  # notes = "~/notes"
        return RootEntry(_allowed(Root(entry.name, _folder(entry, file.path.parent)), file), {})
    with errors_at(entry):
        expect(isinstance(entry.value, dict), entry.value, "a root", _example(entry.name))
    table = {one.name: one for one in file.entries(ROOTS, entry.name)}
    if "path" not in table:
        with errors_at(entry):
            raise SettingsError(f"the root {entry.name} has no path", remedy=_example(entry.name))
    root = Root(
        name=entry.name,
        folder=_folder(table["path"], file.path.parent),
        include=_checked("include", table.get("include")),
        exclude=_checked("exclude", table.get("exclude")),
        formats=_checked("formats", table.get("formats")),
    )
    own = [one for name, one in table.items() if name not in ROOT_KEYS]
    return RootEntry(_allowed(root, file), root_values(file, own))


def _allowed(root: Root, file: SettingsFile) -> Root:
    """The root. Outside of the folder, without the user's consent, it leads nowhere: nothing lies inside a file."""
    if is_inside(root.folder, file.path.parent) or file.is_trusted:
        return root
    return replace(root, folder=str(file.path / root.name), barred=root.folder)


def outward_roots(file: SettingsFile) -> Layer:
    """What the roots of a file say that counts only if the user trusts it: places outside, and tokenizers."""
    outward: Layer = []
    for entry in file.entries(ROOTS):
        root, inner = _read_root(file, entry).root, file.entries(ROOTS, entry.name)
        place = root.barred or root.folder
        outward += [] if is_inside(place, file.path.parent) else [entry._replace(value=place)]
        outward += [one._replace(name=f"{entry.name}.{one.name}") for one in outward_counters(file, inner)]
    return outward


def _folder(entry: SettingEntry, home: Path) -> str:
    """Where a root is: from the folder of the file, from the user's own, or anywhere."""
    with errors_at(entry):
        is_path = isinstance(entry.value, str) and entry.value.strip()
        expect(bool(is_path), entry.value, "a folder", 'write its path, such as "../docs"')
        try:
            return os.path.normpath(home / Path(entry.value).expanduser())
        except RuntimeError:
            raise SettingsError(f"{shown(entry.value)} has no such user", remedy="write the whole path") from None


def _checked(name: str, entry: SettingEntry | None) -> tuple[str, ...]:
    """The words of an entry, by the rule that `[index]` has for it."""
    if entry is None:
        return ()
    with errors_at(entry):
        words: tuple[str, ...] = INDEX.checks[name](entry.value)
        return words


def _example(name: str) -> str:
    return f'write [roots.{name}] and path = "FOLDER" below it'

"""What an index was made with. When one of these changes, a new index would contain something else."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from headnote.chunking.settings import Settings
from headnote.errors import ForeignIndex
from headnote.index.plan import FilesRead
from headnote.store.integrity import FOLDERS, INSTANT, ROOTS, UNFINISHED, signed, unsigned
from headnote.store.interface import Store

READER = "15"
"""Raised whenever the same file and settings would give other chunks, links, terms or names than before."""


def manifest_of(settings: Settings, model: str, instant: str = "") -> dict[str, str]:
    """The manifest stored with an index. `instant` names the model whose vectors are written with the words."""
    manifest = {"reader": READER, "settings": settings_text(settings), "model": model}
    return manifest | {INSTANT: instant} if instant else manifest


def models_in(manifest: Mapping[str, str]) -> set[str]:
    """The models whose vectors an index uses."""
    return {manifest[key] for key in ("model", INSTANT) if key in manifest}


class RootFolder(NamedTuple):
    """One of several roots, as the manifest knows it."""

    folder: str
    settings: str
    """The settings by which its documents are cut, see `cut_with`."""


def cut_with(settings: Settings) -> str:
    """Equal if and only if the same file gives the same chunks."""
    return f"{READER} {settings_text(settings)}"


def folders_entry(folders: Mapping[str, RootFolder]) -> dict[str, str]:
    """The entry for several roots, by name; none for a single folder."""
    return {FOLDERS: signed(folders)} if folders else {}


def folders_in(manifest: Mapping[str, str]) -> dict[str, RootFolder]:
    stored = unsigned(manifest[FOLDERS]) if FOLDERS in manifest else {}
    return {name: RootFolder(*fields) for name, fields in stored.items()}


def moved_roots(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Which roots are in another folder than before, in one line each."""
    old, new = folders_in(before), folders_in(after)
    names = sorted(name for name in old.keys() & new.keys() if old[name].folder != new[name].folder)
    return [f"{name} is read from {new[name].folder}; it was in {old[name].folder}" for name in names]


class Unfinished(NamedTuple):
    """A read that has stored some of its files. Links from and to them are not resolved."""

    done: int
    """Files that are read and stored."""
    total: int
    """Files that the read is about."""
    is_first: bool
    """Whether these files have never been read to the end. If they have, the index stays complete as it was."""


def unfinished_entry(reads: Mapping[str, Unfinished]) -> dict[str, str]:
    """The entry for reads that are not finished: by scope, since others may read other files into the same index."""
    return {UNFINISHED: signed(reads)} if reads else {}


def unfinished_reads(manifest: Mapping[str, str]) -> dict[str, Unfinished]:
    """Unfinished reads by scope; empty if all files were read."""
    stored = unsigned(manifest[UNFINISHED]) if UNFINISHED in manifest else {}
    return {scope: Unfinished(*fields) for scope, fields in stored.items()}


def files_read(manifest: Mapping[str, str]) -> FilesRead | None:
    """How far an unfinished first read has come; None if all files were read once."""
    first = [read for read in unfinished_reads(manifest).values() if read.is_first]
    return FilesRead(sum(read.done for read in first), sum(read.total for read in first)) if first else None


def settings_text(settings: Settings) -> str:
    """Settings as text: equal if and only if they cut alike. A counter that is a function is known by its name."""
    fields = asdict(settings) | {"counter": _counter_name(settings)}
    return json.dumps(fields, sort_keys=True, default=_plain)


OTHER_VERSION = "another version of headnote made it"


def needs_rebuild(stored: Mapping[str, str], current: Mapping[str, str]) -> str:
    """Why every document must be read again; empty if none must. Another model needs only other vectors, and other
    sites need their links resolved again."""
    if not stored:
        return "there is no index yet"
    if stored.get("reader") != current["reader"]:
        return OTHER_VERSION
    if stored.get("settings") != current["settings"]:
        return "the settings have changed"
    return ""


def _counter_name(settings: Settings) -> str:
    counter = settings.counter
    if isinstance(counter, str):
        return counter
    # A function has a name of its own; of an object that counts, its class is all that outlives the process.
    named = counter if hasattr(counter, "__qualname__") else type(counter)
    return f"{named.__module__}.{named.__qualname__}"


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else str(value)


# -- The folder that an index belongs to: the index remembers it and refuses any other.
#
# A folder is identified by its real path. Where several machines write into one index, it may have several folders.


class Owner(NamedTuple):
    """A folder, or an address, that an index is made from."""

    root: str
    """Its name: see `name_of`."""
    place: str
    """Where the index is, for people."""
    is_shared: bool
    """Whether other machines may write to it."""
    adopt: bool = False
    """Whether an index of another root is taken over."""

    def roots(self, manifest: Mapping[str, str]) -> list[str]:
        """The roots of the index from now on. Raises if it belongs to another root and is not adopted."""
        known = roots_in(manifest)
        if not known:
            return [self.root]
        if any(_is_same(self.root, other) for other in known):
            return known
        if not self.adopt:
            raise self._refusal(known)
        return [*known, self.root] if self.is_shared else [self.root]

    def entry(self, manifest: Mapping[str, str]) -> dict[str, str]:
        """The same for the manifest."""
        return {ROOTS: signed(self.roots(manifest))}

    def _refusal(self, known: list[str]) -> ForeignIndex:
        message = f"the index belongs to {' and '.join(known)}, not to {self.root}"
        if self.is_shared:
            remedy = "name a schema of its own with --schema NAME, or add --adopt if the folder has moved"
        else:
            remedy = "add --adopt if the folder has moved, or delete the folder .headnote and index again"
        return ForeignIndex(message, path=self.place, remedy=remedy)


def claim_index(store: Store, root: str | os.PathLike[str], adopt: bool = False) -> None:
    """Raise if the index belongs to another folder, unless it is adopted; then store the new owner."""
    owner = Owner(name_of(root), store.place, store.is_shared, adopt)
    with store.reading() as reader:
        manifest = reader.manifest()
        entry = owner.entry(manifest)
    if adopt and manifest and manifest.get(ROOTS) != entry[ROOTS]:
        with store.writing() as writer:
            manifest = writer.manifest()
            writer.set_manifest(manifest | owner.entry(manifest))


def name_of(root: str | os.PathLike[str]) -> str:
    """A folder by its path, however it is written and whatever links lead to it."""
    return str(Path(os.path.realpath(root)))


def roots_in(manifest: Mapping[str, str]) -> list[str]:
    """The roots in a manifest; empty for an index that was made before roots were stored."""
    return list(unsigned(manifest[ROOTS])) if ROOTS in manifest else []


def _is_same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        # One folder has several names where case does not matter or a link was left behind.
        return Path(one).samefile(other)
    except OSError:
        return False

"""The folder that an index belongs to: the index remembers it and refuses any other.

A folder is identified by its real path. Where several machines write into one index, it may have several folders.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from headnote.errors import ForeignIndex
from headnote.store.base import Store
from headnote.store.damage import ROOTS, signed, unsigned


class Owner(NamedTuple):
    """A folder, or an address, that an index is made from."""

    root: str
    """Its name: see `name_of`."""
    place: str
    """Where the index is, for people."""
    is_shared: bool
    """Whether other machines may write to it."""
    adopts: bool = False
    """Whether an index of another root is taken over."""

    def roots(self, manifest: Mapping[str, str]) -> list[str]:
        """The roots of the index from now on. Raises if it belongs to another root and is not adopted."""
        known = roots_in(manifest)
        if not known:
            return [self.root]
        if any(_is_same(self.root, other) for other in known):
            return known
        if not self.adopts:
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


def claim_index(store: Store, root: str | os.PathLike[str], adopts: bool = False) -> None:
    """Raise if the index belongs to another folder, unless it is adopted; then store the new owner."""
    owner = Owner(name_of(root), store.place, store.is_shared, adopts)
    with store.reading() as reader:
        manifest = reader.manifest()
        entry = owner.entry(manifest)
    if adopts and manifest and manifest.get(ROOTS) != entry[ROOTS]:
        with store.writing() as writer:
            manifest = writer.manifest()
            writer.set_manifest(manifest | owner.entry(manifest))


def name_of(root: str | os.PathLike[str]) -> str:
    """A folder by its path, however it is written and whatever links lead to it."""
    return str(Path(os.path.realpath(root)))


def roots_in(manifest: Mapping[str, str]) -> list[str]:
    """Empty for an index that was made before roots were stored."""
    return list(unsigned(manifest[ROOTS])) if ROOTS in manifest else []


def _is_same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        # One folder has several names where case does not matter or a link was left behind.
        return Path(one).samefile(other)
    except OSError:
        return False

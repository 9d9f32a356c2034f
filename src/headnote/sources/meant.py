"""A path as people write it → the document that it means."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence

from headnote.sources.nearest import without_suffix
from headnote.sources.tree import Tree


def meant_path(written: str, tree: Tree, documents: Sequence[str]) -> str | None:
    """The one document that a path means: from the root or from above it, absolute, with or without its suffix, in any
    case. None if there is none, or more than one."""
    written_as = set(spellings(written, tree))
    for fold in (str, str.casefold):
        wanted = set(map(fold, written_as))
        for cut in (str, without_suffix):  # every document has a suffix
            matches = {document for document in documents if fold(cut(document)) in wanted}
            if matches:
                return matches.pop() if len(matches) == 1 else None
    return None


def spellings(written: str, tree: Tree) -> Iterator[str]:
    """A path as the index may name it."""
    path = written.replace("\\", "/")
    if not path.strip("/"):
        return
    for root in tree.roots:
        for folder in (os.path.realpath(root.folder), os.path.abspath(root.folder)):  # noqa: PTH100  keeps links
            if path.startswith(start := f"{folder}/".replace("\\", "/")):
                path = root.prefix + path.removeprefix(start)
    path = posixpath.normpath(path.lstrip("/"))
    yield path
    if not tree.is_named:
        yield path.removeprefix(f"{tree.roots[0].real.name}/")

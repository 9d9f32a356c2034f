"""The documents that the benchmarks read: real Markdown that lies beside the working copy."""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from headnote import parse
from headnote.sources.discover import discover

REPOSITORY = Path(__file__).resolve().parents[1]
SEED = 20
MEGABYTE = 1_000_000


def files_below(folder: Path) -> list[Path]:
    """The documents of a folder, in order."""
    return [folder / file.path for file in discover(folder).files]


class Document(NamedTuple):
    """One file of a corpus."""

    path: str
    """Relative to the folder of all corpora."""
    text: str
    size: int
    """Bytes in UTF-8, which is what a megabyte means everywhere here."""


Corpora = dict[str, list[Document]]


def shared_folder() -> Path:
    folder = Path(os.environ.get("HEADNOTE_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "corpora").is_dir():
        sys.exit(f"no corpora in {folder}: set HEADNOTE_SHARED to the folder that has them")
    return folder


def load(names: Iterable[str]) -> Corpora:
    """Name of a corpus → its Markdown files, in a fixed order."""
    root = shared_folder() / "corpora"
    return {name: [_read(file, root) for file in files_below(root / name)] for name in names}


def _read(file: Path, root: Path) -> Document:
    data = file.read_bytes()
    return Document(file.relative_to(root).as_posix(), data.decode("utf-8"), len(data))


def sample(corpora: Corpora, megabytes: float) -> Corpora:
    """About so much of the corpora, the same amount from each, the same documents every time."""
    share = megabytes * MEGABYTE / len(corpora)
    return {name: _take(documents, share) for name, documents in corpora.items()}


def _take(documents: Sequence[Document], size: float) -> list[Document]:
    shuffled = random.Random(SEED).sample(documents, len(documents))
    taken: list[Document] = []
    total = 0
    for document in shuffled:
        if total + document.size <= size:
            taken.append(document)
            total += document.size
    return sorted(taken)


def megabytes(documents: Iterable[Document]) -> float:
    return sum(document.size for document in documents) / MEGABYTE


def joined(corpora: Corpora, size: float) -> str:
    """One document of so many megabytes: the corpora in order, again from the beginning as often as needed."""
    bodies = [body for documents in corpora.values() for body in map(_body, documents) if _ends_cleanly(body)]
    parts: list[str] = []
    total = 0
    for body in cycle(bodies):
        if total >= size * MEGABYTE:
            break
        parts.append(body)
        total += len(body.encode()) + 2
    return "\n\n".join(parts)


_FRONTMATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")


def _body(document: Document) -> str:
    # Only the first lines of a file can be frontmatter. Further down they would turn into headings.
    return _FRONTMATTER.sub("", document.text)


def _ends_cleanly(body: str) -> bool:
    # A fence that is never closed would swallow every document that follows.
    blocks = parse(f"{body}\n\nThe end.")
    return blocks[-1].kind == "paragraph" and blocks[-1].start == len(body) + 2

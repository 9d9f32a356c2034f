"""The documents the laws are held against."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from headnote.markdown.document import is_mdx
from headnote.sources.discover import discover
from headnote.sources.files import read_source

CORPORA = (
    "own",
    *("kubernetes-en", "kubernetes-ja", "react.dev", "astro-en", "rust-book", "fastapi-en", "foam", "public-apis"),
)
MDX_CORPORA = frozenset({"react.dev"})
"""Where files that are MDX go by the name of Markdown."""


class Page(NamedTuple):
    path: str
    text: str
    mdx: bool


def files_below(folder: Path) -> list[Path]:
    """The documents of a folder, in order."""
    return [folder / file.path for file in discover(folder).files]


def pages(folder: Path, corpus: str) -> Iterator[Page]:
    """Every document of a corpus, as it stands in the file."""
    for path in files_below(folder):
        name = path.relative_to(folder).as_posix()
        yield Page(name, read_source(path), is_mdx(path) or corpus in MDX_CORPORA)

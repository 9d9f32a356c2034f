"""The types that pass from package to package: one small immutable type per boundary."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from headnote.model.chunk import Chunk, ChunkOrigin, breadcrumb_of, file_name, text_hash
from headnote.model.syntax import CODE_LIKE, Block, BlockKind, Frontmatter, Heading, Link, LinkKind, Section, Tag

if TYPE_CHECKING:
    from headnote.model.results import (
        Answer,
        Citation,
        Dropped,
        Facet,
        FoundWord,
        Guess,
        Hit,
        MatchedDocument,
        Matches,
        Occurrence,
        Passage,
        ReadQuery,
        Related,
        SearchPage,
        Turn,
        Why,
        folder_glob,
        to_plain,
    )

__all__ = [
    "CODE_LIKE",
    "Answer",
    "Block",
    "BlockKind",
    "Chunk",
    "ChunkOrigin",
    "Citation",
    "Dropped",
    "Facet",
    "FoundWord",
    "Frontmatter",
    "Guess",
    "Heading",
    "Hit",
    "Link",
    "LinkKind",
    "MatchedDocument",
    "Matches",
    "Occurrence",
    "Passage",
    "ReadQuery",
    "Related",
    "SearchPage",
    "Section",
    "Tag",
    "Turn",
    "Why",
    "breadcrumb_of",
    "file_name",
    "folder_glob",
    "text_hash",
    "to_plain",
]


def __getattr__(name: str) -> Any:
    """What searches return, loaded on first use: a program that only cuts documents does not pay for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("headnote.model.results"), name)

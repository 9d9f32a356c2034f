"""The types that pass from package to package: one small immutable type per boundary."""

from __future__ import annotations

from headnote.model.chunk import Chunk, ChunkOrigin, breadcrumb_of, file_name, text_hash
from headnote.model.results import (
    Answer,
    Citation,
    Dropped,
    Facet,
    FoundWord,
    Guess,
    Hit,
    Passage,
    ReadQuery,
    Related,
    SearchPage,
    Turn,
    Why,
    folder_glob,
)
from headnote.model.syntax import CODE_LIKE, Block, BlockKind, Frontmatter, Heading, Link, LinkKind, Section, Tag

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
]

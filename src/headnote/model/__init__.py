"""The types that pass from package to package: one small immutable type per boundary."""

from __future__ import annotations

from headnote.model.chunk import Chunk, ChunkOrigin, breadcrumb_of, file_name, text_hash
from headnote.model.results import Answer, Citation, Dropped, FoundWord, Guess, Hit, Passage, Turn, Why
from headnote.model.syntax import Block, BlockKind, Frontmatter, Heading, Link, LinkKind, Section, Tag

__all__ = [
    "Answer",
    "Block",
    "BlockKind",
    "Chunk",
    "ChunkOrigin",
    "Citation",
    "Dropped",
    "FoundWord",
    "Frontmatter",
    "Guess",
    "Heading",
    "Hit",
    "Link",
    "LinkKind",
    "Passage",
    "Section",
    "Tag",
    "Turn",
    "Why",
    "breadcrumb_of",
    "file_name",
    "text_hash",
]

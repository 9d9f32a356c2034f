"""The text of a chunk: what a reader sees, and what is embedded."""

from __future__ import annotations

from typing import Protocol

from headnote.chunking.context import ChunkingContext
from headnote.chunking.data_uris import strip_data_uris

OVERLAP_SEPARATORS = {"window": "", "header": "\n\n"}
"""Strategy → separator between overlap and own text, for strategies that show readers the overlap."""


class ChunkLike(Protocol):
    """What a draft and a chunk have in common."""

    start: int
    end: int
    prefix: str
    suffix: str
    overlap: str
    heading_path: tuple[str, ...]
    block_start: int
    block_end: int


def shown_text(context: ChunkingContext, chunk: ChunkLike) -> str:
    """What a reader sees."""
    own = chunk.prefix + context.text[chunk.start : chunk.end] + chunk.suffix
    if context.parents_in_text:
        own = context.breadcrumb(chunk.heading_path)[0] + own
    if chunk.overlap and context.settings.strategy in OVERLAP_SEPARATORS:
        return chunk.overlap + OVERLAP_SEPARATORS[context.settings.strategy] + own
    return own


def embedded_text(context: ChunkingContext, chunk: ChunkLike) -> str:
    """What is embedded and indexed: the breadcrumb and any overlap included, pictures left out."""
    text = shown_text(context, chunk)
    if chunk.overlap and context.settings.strategy not in OVERLAP_SEPARATORS:
        text = f"{chunk.overlap}\n\n{text}"
    if not context.parents_in_text:
        text = context.breadcrumb(chunk.heading_path)[0] + text
    return strip_data_uris(text) if context.has_pictures else text

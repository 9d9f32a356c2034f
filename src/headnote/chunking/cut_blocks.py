"""Chunks → the blocks that were split between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from headnote.markdown.document import Document
from headnote.model import Block, Chunk


def cut_blocks(chunks: Sequence[Chunk], document: Document) -> set[int]:
    """Numbers of the blocks that more than one chunk has parts of."""
    shared = [later for before, later in pairwise(chunks) if before.block_end == later.block_start]
    return {chunk.block_start for chunk in shared if _begins_inside(chunk, document.blocks[chunk.block_start])}


def _begins_inside(chunk: Chunk, block: Block) -> bool:
    return block.start < chunk.start < block.end

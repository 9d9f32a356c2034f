"""Chunks and blocks → the blocks that had to be cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from headnote.model import Block, Chunk


def cut_blocks(chunks: Sequence[Chunk], blocks: Callable[[], Sequence[Block]]) -> set[int]:
    """Numbers of the blocks that more than one chunk has parts of. Blocks are asked for only if there may be any."""
    shared = [later for before, later in pairwise(chunks) if before.block_end == later.block_start]
    if not shared:
        return set()
    found = blocks()
    return {chunk.block_start for chunk in shared if _begins_inside(chunk, found[chunk.block_start])}


def _begins_inside(chunk: Chunk, block: Block) -> bool:
    return block.start < chunk.start < block.end

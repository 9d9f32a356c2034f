"""What each draft carries from the one before it."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.records import fits, size


def whole_blocks(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`block`, `section`: carry the most whole blocks of the draft before that are within the overlap and keep the cap.

    Headings alone and frontmatter are never carried, nor are parts of a block that was split.
    """
    if not context.settings.overlap_tokens:
        return drafts
    for number in range(len(drafts) - 1, 0, -1):
        before, draft = drafts[number - 1], drafts[number]
        if before.section == draft.section or crosses_sections(context):
            _carry(context, before, draft)
    return drafts


def crosses_sections(context: ChunkingContext) -> bool:
    """Whether a section may carry the end of the one before it."""
    return context.settings.overlap_across_sections and context.settings.strategy == "block"


def carried_weight(context: ChunkingContext, start: int, stop: int) -> int:
    """What a chunk that begins with block `stop` carries of the blocks from `start` on."""
    return context.totals[stop] - context.totals[first_carried(context, start, stop)]


def first_carried(context: ChunkingContext, start: int, stop: int) -> int:
    """The first of the blocks from `start` on that a chunk beginning with block `stop` carries; `stop` if none."""
    if start < stop and context.blocks[start][0] == "frontmatter":
        start += 1
    most = context.settings.overlap_tokens * context.counter.unit
    first = bisect_left(context.totals, context.totals[stop] - most, start, stop)
    return stop if len(context.headings_between(first, stop - 1)) == stop - first else first


def _carry(context: ChunkingContext, before: Draft, draft: Draft) -> None:
    last = before.block_end
    if context.blocks[last][2] > before.end:
        return  # it ends inside a block
    start, weight = before.block_start, draft.weight
    if context.blocks[start][1] < before.start:
        start += 1  # it begins inside one
    for first in range(first_carried(context, start, last + 1), last + 1):
        if len(context.headings_between(first, last)) > last - first:
            return  # headings alone
        draft.overlap = context.text[context.blocks[first][1] : before.end]
        draft.weight = weight + context.totals[last + 1] - context.totals[first]
        if fits(context, draft):
            return
        draft.overlap, draft.weight = "", weight


def last_characters(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`header`: carry the end of the part before, between parts of one section only."""
    most = context.settings.overlap_tokens
    if most:
        for before, draft in pairwise(drafts):
            if before.part is not None and before.section == draft.section:
                draft.overlap = context.text[max(before.start, before.end - most) : before.end]
                # Counted, because weights do not add up at an overlap that begins at any character.
                if context.settings.oversized == "split" and size(context, draft) > context.settings.max_tokens:
                    draft.overlap = ""
    return drafts

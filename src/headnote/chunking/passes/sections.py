"""Blocks → one draft for each section, or one for all. And sections that are too large → windows of exactly as many
tokens as allowed."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft


def whole(context: ChunkingContext, _: list[Draft]) -> list[Draft]:
    """The document as one draft."""
    return _between(context, [context.first_block])


def by_heading(context: ChunkingContext, _: list[Draft]) -> list[Draft]:
    """A draft from each heading within the depth to the next one, and one for the preamble above the first."""
    depth = context.settings.heading_depth
    return _between(context, [index for index in context.headings if context.blocks[index][3] <= depth])


def by_heading_or_paragraph(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Drafts by heading; in a document without headings, each block is a section of its own."""
    if context.headings:
        return by_heading(context, drafts)
    return _between(context, list(range(context.first_block, len(context.blocks))))


def by_heading_or_whole(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`window`: by heading, or the whole document where headings do not matter."""
    return whole(context, drafts) if context.settings.boundaries == "paragraph" else by_heading(context, drafts)


def by_boundaries(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`block`: sections with content, or the whole document where headings do not matter."""
    return whole(context, drafts) if context.settings.boundaries == "paragraph" else by_content(context, drafts)


def by_content(context: ChunkingContext, _: list[Draft]) -> list[Draft]:
    """Drafts by heading, but headings directly below each other open one section together, so that all have content.

    The preamble belongs to the first section, unless it is long enough to be one.
    """
    depth, blocks = context.settings.heading_depth, context.blocks
    openings: list[int] = []
    run = last = -2  # the first and the last of the headings that stand together
    for index in context.headings:
        if index != last + 1:
            run = index
        last = index
        if blocks[index][3] <= depth and (not openings or openings[-1] != run):
            openings.append(run)
    if openings and openings[-1] == run and last == len(blocks) - 1 and run > context.first_block:
        openings.pop()  # headings at the very end announce nothing: they stay with the text before them
    if openings and _is_short_preamble(context, openings[0]):
        openings[0] = context.first_block
    return _between(context, openings)


def _is_short_preamble(context: ChunkingContext, stop: int) -> bool:
    """Whether the blocks above the first heading, an import or a line, are too little for a chunk of their own."""
    settings = context.settings
    weight = context.totals[stop] - context.totals[context.first_block]
    return settings.merge and weight < settings.min_tokens * context.counter.unit


def _between(context: ChunkingContext, openings: list[int]) -> list[Draft]:
    """A draft from each opening to the next, and one for the blocks before the first."""
    blocks, totals = context.blocks, context.totals
    first, end = context.first_block, len(blocks)
    cuts = openings if openings and openings[0] == first else [first, *openings]
    drafts = []
    for section, (opening, stop) in enumerate(pairwise([*cuts, end])):
        if opening == stop:
            continue
        _, start, _, level, _ = blocks[opening]
        content = opening + 1
        while content < stop and level and blocks[content][0] == "heading":
            level = min(level, blocks[content][3])
            content += 1
        drafts.append(
            Draft(
                start=start,
                end=blocks[stop - 1][2],
                block_start=opening,
                block_end=stop - 1,
                heading_path=context.content_path(opening, stop - 1),
                section=section,
                level=level,
                weight=totals[stop] - totals[opening],
            )
        )
    if drafts and context.final_suffix:
        drafts[-1].suffix = context.final_suffix
        drafts[-1].weight += context.weigh_texts((context.final_suffix,), True)[0]
    return drafts


# -- Sections that are too large → windows of exactly as many tokens as allowed.


def join_short_file(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """With `join_short_files`, a file within the maximum stays one chunk, whatever its headings."""
    if not context.settings.join_short_files or len(drafts) < 2:
        return drafts
    first, last = drafts[0], drafts[-1]
    if context.counter.count(context.text[first.start : last.end]) > context.settings.max_tokens:
        return drafts
    return [
        Draft(
            start=first.start,
            end=last.end,
            block_start=first.block_start,
            block_end=last.block_end,
            heading_path=context.path_at(max(first.block_start, context.first_heading)),
            section=0,
            level=first.level,
            suffix=last.suffix,
        )
    ]


def split(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Cut sections above the maximum into windows. Each begins `overlap_tokens` before the end of the one before."""
    windows: list[Draft] = []
    for draft in drafts:
        text = context.text[draft.start : draft.end]
        if context.counter.count(text) <= context.settings.max_tokens:
            windows.append(draft)
        else:
            windows += _windows_of(context, draft, text)
    return windows


def _windows_of(context: ChunkingContext, draft: Draft, text: str) -> list[Draft]:
    most, overlap = context.settings.max_tokens, context.settings.overlap_tokens
    boundaries = context.counter.boundaries(text)
    tokens = len(boundaries) - 1
    starts = [block[1] - draft.start for block in context.blocks[draft.block_start : draft.block_end + 1]]
    windows: list[Draft] = []
    begin, own = 0, 0  # token where the window begins, character where its own text begins
    while True:
        stop = min(begin + most, tokens)
        end = boundaries[stop]
        first = max(bisect_right(starts, own) - 1, 0)
        last = max(bisect_right(starts, end - 1) - 1, first)
        window = Draft(
            start=draft.start + own,
            end=draft.start + end,
            block_start=draft.block_start + first,
            block_end=draft.block_start + last,
            heading_path=_path_of(context, draft, first, last),
            section=draft.section,
            level=0 if windows else draft.level,
            part=len(windows),
            overlap=text[boundaries[begin] : own],
        )
        if not text[boundaries[begin] : end].isspace():  # many blank lines in a row say nothing
            windows.append(window)
        if stop == tokens:
            return windows
        begin, own = max(stop - overlap, begin + 1), end


def _path_of(context: ChunkingContext, draft: Draft, first: int, last: int) -> tuple[str, ...]:
    """The heading path of a window: that of its section, or its own where there are no sections."""
    if context.settings.boundaries != "paragraph":
        return draft.heading_path
    return context.content_path(draft.block_start + first, draft.block_start + last)

"""Sections that are too large → windows of exactly as many tokens as allowed."""

from __future__ import annotations

from bisect import bisect_right

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft


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

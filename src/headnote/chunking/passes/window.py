"""Sections that are too large → windows of exactly as many tokens as allowed."""

from __future__ import annotations

from bisect import bisect_right

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft


def join_short_file(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """With `join_short_files`, a file that is below the maximum stays one chunk, whatever its headings."""
    if not context.settings.join_short_files or len(drafts) < 2:
        return drafts
    first, last = drafts[0], drafts[-1]
    path = context.path_at(max(first.block_start, context.first_heading))
    whole = Draft(first.start, last.end, first.block_start, last.block_end, path, 0, first.level, suffix=last.suffix)
    return (
        [whole]
        if context.counter.count(context.text[whole.start : whole.end]) <= context.settings.max_tokens
        else drafts
    )


def windows(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Each window begins exactly `overlap` tokens before the end of the one before."""
    found: list[Draft] = []
    for draft in drafts:
        text = context.text[draft.start : draft.end]
        if context.counter.count(text) <= context.settings.max_tokens:
            found.append(draft)
        else:
            found += _windows_of(context, draft, text)
    return found


def _windows_of(context: ChunkingContext, draft: Draft, text: str) -> list[Draft]:
    most, overlap = context.settings.max_tokens, context.settings.overlap_tokens
    boundaries = context.counter.boundaries(text)
    tokens = len(boundaries) - 1
    starts = [block[1] - draft.start for block in context.blocks[draft.block_start : draft.block_end + 1]]
    found: list[Draft] = []
    begin, own = 0, 0  # token where the window begins, character where its own text begins
    while True:
        stop = min(begin + most, tokens)
        end = boundaries[stop]
        first = max(bisect_right(starts, own) - 1, 0)
        last = max(bisect_right(starts, end - 1) - 1, first)
        window = Draft(
            draft.start + own,
            draft.start + end,
            draft.block_start + first,
            draft.block_start + last,
            _path_of(context, draft, first, last),
            draft.section,
            draft.level if not found else 0,
            len(found),
            overlap=text[boundaries[begin] : own],
        )
        if not text[boundaries[begin] : end].isspace():  # many blank lines in a row say nothing
            found.append(window)
        if stop == tokens:
            return found
        begin, own = max(stop - overlap, begin + 1), end


def _path_of(context: ChunkingContext, draft: Draft, first: int, last: int) -> tuple[str, ...]:
    """Of a window over these blocks of a draft: that of its section, or its own where there are no sections."""
    if context.settings.boundaries != "paragraph":
        return draft.heading_path
    return context.content_path(draft.block_start + first, draft.block_start + last)

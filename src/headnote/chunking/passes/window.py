"""Sections that are too large → windows of exactly as many tokens as allowed."""

from __future__ import annotations

from bisect import bisect_right

from headnote.chunking.draft import Draft
from headnote.chunking.page import Page


def join_short_file(page: Page, drafts: list[Draft]) -> list[Draft]:
    """With `join_short_files`, a file that is below the maximum stays one chunk, whatever its headings."""
    if not page.settings.join_short_files or len(drafts) < 2:
        return drafts
    first, last = drafts[0], drafts[-1]
    path = page.path_at(max(first.block_start, page.first_heading))
    whole = Draft(first.start, last.end, first.block_start, last.block_end, path, 0, first.level, suffix=last.suffix)
    return [whole] if page.counter.count(page.text[whole.start : whole.end]) <= page.settings.max_tokens else drafts


def windows(page: Page, drafts: list[Draft]) -> list[Draft]:
    """Each window begins exactly `overlap` tokens before the end of the one before."""
    found: list[Draft] = []
    for draft in drafts:
        text = page.text[draft.start : draft.end]
        if page.counter.count(text) <= page.settings.max_tokens:
            found.append(draft)
        else:
            found += _windows_of(page, draft, text)
    return found


def _windows_of(page: Page, draft: Draft, text: str) -> list[Draft]:
    most, overlap = page.settings.max_tokens, page.settings.overlap_tokens
    boundaries = page.counter.boundaries(text)
    tokens = len(boundaries) - 1
    starts = [block[1] - draft.start for block in page.blocks[draft.block_start : draft.block_end + 1]]
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
            _path_of(page, draft, first, last),
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


def _path_of(page: Page, draft: Draft, first: int, last: int) -> tuple[str, ...]:
    """Of a window over these blocks of a draft: that of its section, or its own where there are no sections."""
    if page.settings.boundaries != "paragraph":
        return draft.heading_path
    return page.content_path(draft.block_start + first, draft.block_start + last)

"""What each draft carries from the one before it."""

from __future__ import annotations

from itertools import pairwise

from headnote.chunking.draft import Draft
from headnote.chunking.page import Page


def whole_blocks(page: Page, drafts: list[Draft]) -> list[Draft]:
    """The largest suffix of whole blocks that is within the overlap and keeps the cap.

    Never headings alone, never frontmatter. Parts of a block that was cut are no whole blocks.
    """
    settings = page.settings
    if not settings.overlap_tokens:
        return drafts
    for number in range(len(drafts) - 1, 0, -1):
        before, draft = drafts[number - 1], drafts[number]
        if before.section == draft.section or settings.overlap_across_sections:
            _carry(page, before, draft)
    return drafts


def _carry(page: Page, before: Draft, draft: Draft) -> None:
    last = before.block_end
    if page.blocks[last][2] > before.end:
        return  # it ends inside a block
    most = page.settings.overlap_tokens * page.counter.unit
    first = last + 1
    while first > before.block_start and page.totals[last + 1] - page.totals[first - 1] <= most:
        if page.blocks[first - 1][1] < before.start or page.blocks[first - 1][0] == "frontmatter":
            break
        first -= 1
    while first <= last:
        carried = page.blocks[first : last + 1]
        if all(block[0] == "heading" for block in carried):
            return
        weight = draft.weight
        draft.overlap = page.text[carried[0][1] : before.end] + (before.suffix if last == len(page.blocks) - 1 else "")
        draft.weight += page.totals[last + 1] - page.totals[first]
        if page.fits(draft):
            return
        draft.overlap, draft.weight = "", weight
        first += 1


def last_characters(page: Page, drafts: list[Draft]) -> list[Draft]:
    """`header`: the end of the part before, between parts of the same section only."""
    most = page.settings.overlap_tokens
    if most:
        for before, draft in pairwise(drafts):
            if before.part is not None and before.section == draft.section:
                draft.overlap = page.text[max(before.start, before.end - most) : before.end]
                if page.settings.oversized == "split" and not page.fits(draft):
                    draft.overlap = ""
    return drafts

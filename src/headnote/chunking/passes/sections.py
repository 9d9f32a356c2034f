"""Blocks → one draft for each section, or one for all."""

from __future__ import annotations

from itertools import pairwise

from headnote.chunking.draft import Draft
from headnote.chunking.page import Page


def whole(page: Page, _: list[Draft]) -> list[Draft]:
    """The document as one draft."""
    return _between(page, [page.first_block])


def by_heading(page: Page, _: list[Draft]) -> list[Draft]:
    """A draft from each heading within the depth to the next one; what stands before the first is the preamble."""
    depth = page.settings.heading_depth
    return _between(
        page, [index for index, block in enumerate(page.blocks) if block[0] == "heading" and block[3] <= depth]
    )


def by_heading_or_paragraph(page: Page, drafts: list[Draft]) -> list[Draft]:
    """By heading; in a document without any, each block is a section of its own."""
    if any(block[0] == "heading" for block in page.blocks):
        return by_heading(page, drafts)
    return _between(page, list(range(page.first_block, len(page.blocks))))


def by_boundaries(page: Page, drafts: list[Draft]) -> list[Draft]:
    """`block`: sections with content, or the document as one where headings do not matter."""
    return whole(page, drafts) if page.settings.boundaries == "paragraph" else by_content(page, drafts)


def by_content(page: Page, _: list[Draft]) -> list[Draft]:
    """The same, but headings that follow each other directly open one section together: none is without content."""
    depth = page.settings.heading_depth
    openings = []
    run = None  # where the headings just before this block begin
    for index, block in enumerate(page.blocks):
        if block[0] != "heading":
            run = None
        else:
            run = index if run is None else run
            if block[3] <= depth and (not openings or openings[-1] != run):
                openings.append(run)
    return _between(page, openings)


def _between(page: Page, openings: list[int]) -> list[Draft]:
    """A draft from each opening to the next, and one for what stands before the first."""
    blocks, paths, totals = page.blocks, page.paths, page.totals
    first, end = page.first_block, len(blocks)
    cuts = openings if openings and openings[0] == first else [first, *openings]
    drafts = []
    for section, (opening, stop) in enumerate(pairwise([*cuts, end])):
        if opening == stop:
            continue
        level, content = blocks[opening][3], opening
        while content < stop - 1 and blocks[content][0] == "heading":
            level = min(level, blocks[content][3])
            content += 1
        start, finish = blocks[opening][1], blocks[stop - 1][2]
        weight = totals[stop] - totals[opening]
        drafts.append(Draft(start, finish, opening, stop - 1, paths[content], section, level, weight=weight))
    if drafts and page.final_suffix:
        drafts[-1].suffix = page.final_suffix
        drafts[-1].weight += page.weigh_texts((page.final_suffix,), True)[0]
    return drafts

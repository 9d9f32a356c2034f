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
    return _between(page, [index for index in page.headings if page.blocks[index][3] <= depth])


def by_heading_or_paragraph(page: Page, drafts: list[Draft]) -> list[Draft]:
    """By heading; in a document without any, each block is a section of its own."""
    if any(block[0] == "heading" for block in page.blocks):
        return by_heading(page, drafts)
    return _between(page, list(range(page.first_block, len(page.blocks))))


def by_heading_or_whole(page: Page, drafts: list[Draft]) -> list[Draft]:
    """`window`: by heading, or the document as one where headings do not matter."""
    return whole(page, drafts) if page.settings.boundaries == "paragraph" else by_heading(page, drafts)


def by_boundaries(page: Page, drafts: list[Draft]) -> list[Draft]:
    """`block`: sections with content, or the document as one where headings do not matter."""
    return whole(page, drafts) if page.settings.boundaries == "paragraph" else by_content(page, drafts)


def by_content(page: Page, _: list[Draft]) -> list[Draft]:
    """The same, but headings that follow each other directly open one section together: none is without content.

    What stands above the first heading belongs to its section, unless it is long enough to be one.
    """
    depth, blocks = page.settings.heading_depth, page.blocks
    openings: list[int] = []
    run = last = -2  # the first and the last of the headings that stand together
    for index in page.headings:
        if index != last + 1:
            run = index
        last = index
        if blocks[index][3] <= depth and (not openings or openings[-1] != run):
            openings.append(run)
    if openings and openings[-1] == run and last == len(blocks) - 1 and run > page.first_block:
        openings.pop()  # at the very end there is no content to wait for: they stay with what stands before them
    if openings and _is_short_preamble(page, openings[0]):
        openings[0] = page.first_block
    return _between(page, openings)


def _is_short_preamble(page: Page, stop: int) -> bool:
    """Whether what stands above the first heading, an import or a line, is too little for a chunk of its own."""
    settings = page.settings
    weight = page.totals[stop] - page.totals[page.first_block]
    return settings.merge and weight < settings.min_tokens * page.counter.unit


def _between(page: Page, openings: list[int]) -> list[Draft]:
    """A draft from each opening to the next, and one for what stands before the first."""
    blocks, totals = page.blocks, page.totals
    first, end = page.first_block, len(blocks)
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
        weight = totals[stop] - totals[opening]
        path = page.content_path(opening, stop - 1)
        drafts.append(Draft(start, blocks[stop - 1][2], opening, stop - 1, path, section, level, weight=weight))
    if drafts and page.final_suffix:
        drafts[-1].suffix = page.final_suffix
        drafts[-1].weight += page.weigh_texts((page.final_suffix,), True)[0]
    return drafts

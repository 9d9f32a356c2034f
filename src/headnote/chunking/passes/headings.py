"""No chunk is headings alone, or ends in one, where the chunk beside it can take them.

Packing and merging see to that as far as sizes let them. What is left are headings so large that no part of what they
announce was packed with them, and headings at the end of a document that announce nothing.
"""

from __future__ import annotations

from dataclasses import replace

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.passes.merge import common_path, join, weight_of_blanks


def with_content(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Headings that end a draft go to the next one; those that end the document to the one before."""
    if not any(_ends_in_heading(context, draft) for draft in drafts):
        return drafts
    backwards: list[Draft] = []
    for draft in reversed(_with_end_joined(context, drafts)):
        moved = _moved(context, draft, backwards[-1]) if backwards and _ends_in_heading(context, draft) else None
        if moved is None:
            backwards.append(draft)
        else:
            backwards[-1:] = reversed(moved)
    return backwards[::-1]


def _ends_in_heading(context: ChunkingContext, draft: Draft) -> bool:
    kind, _, end, _, _ = context.blocks[draft.block_end]
    return kind == "heading" and not context.text[draft.end : end].strip()


def _with_end_joined(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """The last draft has no content to wait for: it goes to the one before, or stays."""
    settings = context.settings
    if len(drafts) < 2 or not settings.merge or settings.boundaries == "heading":
        return drafts
    before, last = drafts[-2:]
    if not context.is_headings_only(last):
        return drafts
    together = join(context, [before, last])
    if not context.fits(together) and not context.is_headings_only(before):
        together.heading_path = common_path(before.heading_path, last.heading_path)
    return [*drafts[:-2], together] if context.fits(together) else drafts


def _moved(context: ChunkingContext, draft: Draft, following: Draft) -> list[Draft] | None:
    """Both drafts anew, the headings at the head of the second, or of a part of it; None if they do not fit there."""
    first = draft.block_end
    while first > draft.block_start and context.blocks[first - 1][0] == "heading":
        first -= 1
    start = max(context.blocks[first][1], draft.start)  # of a heading that was cut, the part that is left
    is_all = start == draft.start
    headings = context.totals[following.block_start] - context.totals[first]
    if context.blocks[first][1] < start:
        headings = draft.weight + weight_of_blanks(context, [draft, following])
    left = [] if is_all else [_upto(context, draft, first, draft.weight - headings)]
    whole = replace(
        following,
        start=start,
        block_start=first,
        level=min(context.blocks[index][3] for index in range(first, draft.block_end + 1)),
        weight=following.weight + headings,
        adds_up=draft.adds_up and following.adds_up,
    )
    if context.fits(whole):
        return [*left, whole]
    content = following.block_start
    while content < following.block_end and context.blocks[content][0] == "heading":
        content += 1
    if context.blocks[content][0] == "heading" or content == following.block_end:
        return None
    near = headings + context.totals[content + 1] - context.totals[following.block_start]
    apart = [_upto(context, whole, content + 1, near), _from(context, following, content + 1)]
    return [*left, *apart] if all(context.fits(part) for part in apart) else None


def _upto(context: ChunkingContext, draft: Draft, stop: int, weight: int) -> Draft:
    """The draft without the blocks from `stop` on, and what it weighs."""
    path = context.content_path(draft.block_start, stop - 1)
    end = context.blocks[stop - 1][2]
    return replace(draft, end=end, block_end=stop - 1, heading_path=path, suffix="", part=0, weight=weight)


def _from(context: ChunkingContext, draft: Draft, first: int) -> Draft:
    """The draft without the blocks before `first`."""
    return replace(
        draft,
        start=context.blocks[first][1],
        block_start=first,
        heading_path=context.content_path(first, draft.block_end),
        level=context.blocks[first][3],
        prefix="",
        part=0,
        weight=draft.weight - (context.totals[first] - context.totals[draft.block_start]),
    )

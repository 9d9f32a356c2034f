"""No chunk is headings alone, or ends in one, where the chunk beside it can take them.

Packing and merging see to that as far as sizes allow. Two cases are left: headings so large that nothing they announce
was packed with them, and headings at the end of a document that announce nothing.
"""

from __future__ import annotations

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.passes.merge import common_path, join, weight_of_blanks
from headnote.chunking.records import fits


def with_content(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Headings that end a draft go to the next one; those that end the document to the one before."""
    if not any(_ends_in_heading(context, draft) for draft in drafts):
        return drafts
    backwards: list[Draft] = []
    for draft in reversed(_with_end_joined(context, drafts)):
        has_place = backwards and _ends_in_heading(context, draft)
        moved = _with_headings_moved(context, draft, backwards[-1]) if has_place else None
        if moved is None:
            backwards.append(draft)
        else:
            backwards[-1:] = reversed(moved)
    return backwards[::-1]


def _ends_in_heading(context: ChunkingContext, draft: Draft) -> bool:
    kind, _, end, _, _ = context.blocks[draft.block_end]
    return kind == "heading" and not context.text[draft.end : end].strip()


def _with_end_joined(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Headings that end the document announce nothing: they join the draft before, if they fit there."""
    settings = context.settings
    if len(drafts) < 2 or not settings.merge or settings.boundaries == "heading":
        return drafts
    before, last = drafts[-2:]
    if not context.is_headings_only(last):
        return drafts
    together = join(context, [before, last])
    if not fits(context, together) and not context.is_headings_only(before):
        together.heading_path = common_path(before.heading_path, last.heading_path)
    return [*drafts[:-2], together] if fits(context, together) else drafts


def _with_headings_moved(context: ChunkingContext, draft: Draft, following: Draft) -> list[Draft] | None:
    """Both drafts, with the headings at the end of the first moved to the second; None if they do not fit there.

    If the second is too large for them, it is cut behind its first content, and only that part gets the headings.
    """
    first = draft.block_end
    while first > draft.block_start and context.blocks[first - 1][0] == "heading":
        first -= 1
    start = max(context.blocks[first][1], draft.start)  # of a heading that was cut, the part that is left
    weight = context.totals[following.block_start] - context.totals[first]
    if context.blocks[first][1] < start:
        weight = draft.weight + weight_of_blanks(context, [draft, following])
    left = [] if start == draft.start else [_before(context, draft, first, draft.weight - weight)]
    whole = following.copy()
    whole.start, whole.block_start = start, first
    whole.level = min([context.blocks[index][3] for index in range(first, draft.block_end + 1)])
    whole.weight += weight
    whole.adds_up = draft.adds_up and following.adds_up
    if fits(context, whole):
        return [*left, whole]
    content = following.block_start
    while content < following.block_end and context.blocks[content][0] == "heading":
        content += 1
    if context.blocks[content][0] == "heading" or content == following.block_end:
        return None
    weight += context.totals[content + 1] - context.totals[following.block_start]
    halves = [_before(context, whole, content + 1, weight), _from(context, following, content + 1)]
    return [*left, *halves] if all(fits(context, half) for half in halves) else None


def _before(context: ChunkingContext, draft: Draft, stop: int, weight: int) -> Draft:
    """The draft without the blocks from `stop` on, which then has this weight."""
    shorter = draft.copy()
    shorter.end, shorter.block_end = context.blocks[stop - 1][2], stop - 1
    shorter.heading_path = context.content_path(draft.block_start, stop - 1)
    shorter.suffix, shorter.part, shorter.weight = "", 0, weight
    return shorter


def _from(context: ChunkingContext, draft: Draft, first: int) -> Draft:
    """The draft without the blocks before `first`."""
    rest = draft.copy()
    rest.start, rest.block_start = context.blocks[first][1], first
    rest.heading_path = context.content_path(first, draft.block_end)
    rest.level = context.blocks[first][3]
    rest.prefix, rest.part = "", 0
    rest.weight -= context.totals[first] - context.totals[draft.block_start]
    return rest

"""The `header` and `section` systems: small sections merged, large ones split at blank lines between blocks."""

from __future__ import annotations

from itertools import zip_longest

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.passes.merge import join
from headnote.chunking.passes.pack import carried_weight, pack
from headnote.lines import with_plain_line_ends


def merge_adjacent(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`header`: join small sections with the next one; the last one with the one before."""
    if not context.settings.merge:
        return drafts
    merged: list[Draft] = []
    for draft in drafts:
        if merged and _is_small(context, merged[-1]):
            merged[-1] = join(context, [merged[-1], draft])
        else:
            merged.append(draft)
    if len(merged) > 1 and _is_small(context, merged[-1]):
        merged[-2:] = [join(context, merged[-2:])]
    return merged


def merge_siblings(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`section`: join a small section with the one before, if both have the same depth under the same parent.

    The result has the path of the first; the heading of the second stands inside the body.
    """
    merged: list[Draft] = []
    for draft in drafts:
        before = merged[-1] if merged else None
        if before and context.settings.merge and _are_siblings(before, draft) and _is_small(context, draft):
            merged[-1] = join(context, [before, draft])
            merged[-1].heading_path = before.heading_path
        else:
            merged.append(draft)
    return merged


def without_heading(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`section`: leave out the heading of each body. One without a body lives on in the path of its children."""
    bodies: list[Draft] = []
    for draft, following in zip_longest(drafts, drafts[1:]):
        if context.blocks[draft.block_start][0] != "heading":
            bodies.append(draft)
        elif draft.block_start < draft.block_end:
            draft.weight = context.totals[draft.block_end + 1] - context.totals[draft.block_start + 1]
            draft.block_start += 1
            draft.start = context.blocks[draft.block_start][1]
            bodies.append(draft)
        elif following is None or following.level <= draft.level:
            bodies.append(draft)
    return bodies


def split(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Split large sections into parts, filled with paragraphs until the next would exceed the maximum.

    A single paragraph that is larger stays whole, unless `oversized` is `split`.
    """
    parts: list[Draft] = []
    for number, draft in enumerate(drafts):
        draft.section = number
        parts += [draft] if _own_weight(context, draft) <= context.max_weight else _packed_paragraphs(context, draft)
    return pack(context, parts) if context.settings.oversized == "split" else parts


def _packed_paragraphs(context: ChunkingContext, draft: Draft) -> list[Draft]:
    parts: list[Draft] = []
    limit = context.max_weight
    for paragraph in _paragraphs(context, draft):
        together = join(context, [parts[-1], paragraph]) if parts else paragraph
        if parts and _own_weight(context, together) <= limit:
            together.heading_path = draft.heading_path
            parts[-1] = together
        else:
            if parts:
                limit = _limit_behind(context, parts[-1], paragraph)
            parts.append(paragraph)
    if len(parts) == 1:
        return [draft]
    for number, part in enumerate(parts):
        part.part = number
    return parts


def _limit_behind(context: ChunkingContext, before: Draft, paragraph: Draft) -> int:
    """What a part may weigh that begins with this paragraph. In `section` it leaves room for what it carries."""
    if context.settings.strategy != "section" or not context.settings.overlap_tokens:
        return context.max_weight
    carried = carried_weight(context, before.block_start, paragraph.block_start)
    room = context.text_limit(paragraph.heading_path) - carried
    return max(room, context.max_weight // 2) if carried else context.max_weight


def _paragraphs(context: ChunkingContext, draft: Draft) -> list[Draft]:
    """Blocks between blank lines. A block directly below another belongs to the same paragraph."""
    paragraphs: list[Draft] = []
    for index in range(draft.block_start, draft.block_end + 1):
        _, start, end, level, _ = context.blocks[index]
        block = Draft(
            start=start,
            end=end,
            block_start=index,
            block_end=index,
            heading_path=draft.heading_path,
            section=draft.section,
            level=level,
            weight=context.totals[index + 1] - context.totals[index],
        )
        before = paragraphs[-1] if paragraphs else None
        if before and with_plain_line_ends(context.text[before.end : start]).count("\n") < 2:
            paragraphs[-1] = join(context, [before, block])
            paragraphs[-1].heading_path = draft.heading_path
        else:
            paragraphs.append(block)
    paragraphs[-1].suffix = draft.suffix
    return paragraphs


def _are_siblings(before: Draft, draft: Draft) -> bool:
    return draft.level > 0 and before.level == draft.level and before.heading_path[:-1] == draft.heading_path[:-1]


def _is_small(context: ChunkingContext, draft: Draft) -> bool:
    return context.counter.size(_own_weight(context, draft)) < context.settings.min_tokens


def _own_weight(context: ChunkingContext, draft: Draft) -> int:
    """Weight of the own text, without the blank lines after it where the counter can tell."""
    if context.counter.adds != "anywhere" or draft.block_end + 1 >= len(context.blocks):
        return draft.weight
    gap = context.text[draft.end : context.blocks[draft.block_end + 1][1]]
    return draft.weight - context.weigh_texts((gap,), False)[0]

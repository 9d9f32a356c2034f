"""Small drafts → larger ones, for the `block` strategy: greedily in order, or at places that edits do not move.

Then no chunk is headings alone, or ends in one, where the chunk beside it can take them. Packing and merging see to
that as far as sizes allow. Two cases are left: headings so large that nothing they announce was packed with them, and
headings at the end of a document that announce nothing.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from headnote.chunking.context import MANY_BLANKS, ChunkingContext
from headnote.chunking.cuts import UnitSequence, stable_cuts
from headnote.chunking.draft import Draft
from headnote.chunking.records import fits


def small(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Merge drafts below the minimum with a neighbour where that fits."""
    if not context.settings.merge or len(drafts) < 2:
        return drafts
    if context.settings.packing == "stable":
        return _by_neighbourhood(context, drafts)
    return _forward_else_backward(context, drafts)


def _is_small(context: ChunkingContext, draft: Draft) -> bool:
    return draft.weight < context.settings.min_tokens * context.counter.unit


def _forward_else_backward(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Join each small draft with the next one if both fit, else with the one before, else leave it."""
    merged: list[Draft] = []
    waiting = drafts[0]
    for following in drafts[1:]:
        together = _joined(context, [waiting, following]) if _is_small(context, waiting) else None
        if together:
            waiting = together
        else:
            _append(context, merged, waiting)
            waiting = following
    _append(context, merged, waiting)
    return merged


def _append(context: ChunkingContext, merged: list[Draft], draft: Draft) -> None:
    """Add a draft to those before it, joined with the last one if it is small and both fit."""
    backward = _joined(context, [merged[-1], draft]) if merged and _is_small(context, draft) else None
    if backward:
        merged[-1] = backward
    else:
        merged.append(draft)


def _by_neighbourhood(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Group runs of small drafts at places chosen by content. Join each that is still small with a neighbour."""
    min_weight = context.settings.min_tokens * context.counter.unit
    grouped: list[Draft] = []
    run: list[Draft] = []
    for draft in drafts:
        if draft.weight < min_weight:
            run.append(draft)
            continue
        grouped += _grouped(context, run)
        grouped.append(draft)
        run = []
    grouped += _grouped(context, run)
    merged: list[Draft] = []
    for number, draft in enumerate(grouped):
        before = merged[-1] if merged else None
        behind = grouped[number + 1] if number + 1 < len(grouped) else None
        neighbour, together = None, None
        if draft.weight < min_weight:
            neighbour, together = _joined_with_closest(context, draft, before, behind)
        if together is None:
            merged.append(draft)
        elif neighbour is before:
            merged[-1] = together
        else:
            grouped[number + 1] = together  # it is looked at next, and may still be small
    return merged


def _grouped(context: ChunkingContext, run: list[Draft]) -> list[Draft]:
    """Small drafts in a row, joined to groups that are not small."""
    if len(run) < 2:
        return run
    groups = _Groups(context, run)
    units = UnitSequence(
        text=context.text,
        starts=[draft.start for draft in run],
        totals=list(accumulate([draft.weight for draft in run], initial=0)),
        # The higher the heading, the better the cut in front of it.
        strengths=[7 - (draft.level or 7) for draft in run],
        glued=set(),
        opening=[0] * len(run),
        closing=[0] * len(run),
        safe_weight=-1,  # more than weight decides whether drafts may be joined
        fits=groups.join,
    )
    lower = context.settings.min_tokens * context.counter.unit
    upper = max(context.settings.target_tokens * context.counter.unit, lower)
    cuts = stable_cuts(units, 0, len(run), min_weight=lower, max_weight=upper, min_last=lower)
    return [groups.joined.get(extent) or run[extent[0]] for extent in pairwise(cuts)]


class _Groups:
    """Drafts in a row, and what was joined of them so far."""

    def __init__(self, context: ChunkingContext, run: list[Draft]) -> None:
        self.context = context
        self.run = run
        self.joined: dict[tuple[int, int], Draft | None] = {}

    def join(self, first: int, last: int) -> bool:
        """Join the drafts between two cuts, if they may be."""
        self.joined[first, last] = together = _joined(self.context, self.run[first:last])
        return together is not None or last - first == 1


def _joined_with_closest(
    context: ChunkingContext, draft: Draft, before: Draft | None, behind: Draft | None
) -> tuple[Draft, Draft] | tuple[None, None]:
    """The neighbour that shares the most headings and fits, and both as one; the next one if both share as many."""
    neighbours = [neighbour for neighbour in (behind, before) if neighbour]
    if before and behind and _shared(draft, before) > _shared(draft, behind):
        neighbours.reverse()
    for neighbour in neighbours:
        together = _joined(context, [neighbour, draft] if neighbour is before else [draft, neighbour])
        if together:
            return neighbour, together
    return None, None


def _shared(one: Draft, other: Draft) -> int:
    """How many headings two drafts share."""
    return len(common_path(one.heading_path, other.heading_path))


def _joined(context: ChunkingContext, drafts: list[Draft]) -> Draft | None:
    """Neighbours as one draft, if it keeps the cap."""
    if len(drafts) == 1:
        return drafts[0]
    if context.settings.boundaries == "heading" and drafts[0].section != drafts[-1].section:
        return None
    if context.ends_in_heading(drafts[-1]):
        return None
    together = join(context, drafts)
    return together if fits(context, together) else None


def join(context: ChunkingContext, drafts: list[Draft]) -> Draft:
    """Neighbours as one draft. What they carry between them is dropped: the source itself stands there now."""
    first, last = drafts[0], drafts[-1]
    return Draft(
        start=first.start,
        end=last.end,
        block_start=first.block_start,
        block_end=last.block_end,
        heading_path=_shared_path(context, drafts),
        section=first.section,
        level=first.level,
        part=first.part,
        prefix=first.prefix,
        suffix=last.suffix,
        weight=sum(draft.weight for draft in drafts) + weight_of_blanks(context, drafts),
        adds_up=all(draft.adds_up for draft in drafts),
    )


def _shared_path(context: ChunkingContext, drafts: list[Draft]) -> tuple[str, ...]:
    """The headings that drafts have in common.

    Two kinds of drafts have no say: headings without content, and text above the first heading.
    """
    with_content = [
        draft for draft in drafts if not context.is_headings_only(draft) and not context.is_above_headings(draft)
    ]
    path, *others = [draft.heading_path for draft in with_content or drafts[-1:]]
    for other in others:
        path = common_path(path, other)
    return path


def weight_of_blanks(context: ChunkingContext, drafts: list[Draft]) -> int:
    """Weight of long gaps between drafts: they were not counted behind a part, but lie inside now."""
    if all(draft.part is None for draft in drafts):
        return 0
    gaps = [context.text[before.end : draft.start] for before, draft in pairwise(drafts) if before.part is not None]
    return sum(context.weigh_texts([gap for gap in gaps if len(gap) > MANY_BLANKS], True))


def common_path(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The headings that two paths share at the beginning."""
    if one == other:
        return one
    length, most = 0, min(len(one), len(other))
    while length < most and one[length] == other[length]:
        length += 1
    return one[:length]


# -- No chunk is headings alone, or ends in one, where the chunk beside it can take them.


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

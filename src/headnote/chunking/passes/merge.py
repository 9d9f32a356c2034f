"""Drafts that are too small → larger ones, in the three ways of the systems headnote knows, and in a stable one."""

from __future__ import annotations

from itertools import accumulate, groupby, pairwise

from headnote.chunking.context import UNSURE, ChunkingContext
from headnote.chunking.cuts import UnitSequence, stable_cuts
from headnote.chunking.draft import Draft


def small(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """The merging of the `block` strategy."""
    if not context.settings.merge or len(drafts) < 2:
        return drafts
    if context.settings.packing == "stable":
        return _by_neighbourhood(context, drafts)
    return _forward_else_backward(context, drafts)


def _is_small(context: ChunkingContext, draft: Draft) -> bool:
    return draft.weight < context.settings.min_tokens * context.counter.unit


def _forward_else_backward(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """In order: with the next one if both fit, else with the one before, else it stays."""
    merged: list[Draft] = []
    waiting = drafts[0]
    for following in drafts[1:]:
        together = _joined(context, [waiting, following]) if _is_small(context, waiting) else None
        if together:
            waiting = together
        else:
            _keep(context, merged, waiting)
            waiting = following
    _keep(context, merged, waiting)
    return merged


def _keep(context: ChunkingContext, merged: list[Draft], draft: Draft) -> None:
    backward = _joined(context, [merged[-1], draft]) if merged and _is_small(context, draft) else None
    if backward:
        merged[-1] = backward
    else:
        merged.append(draft)


def _by_neighbourhood(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Small ones in a row are grouped at places chosen by content; one that is left over goes where it is closest."""
    least = context.settings.min_tokens * context.counter.unit
    grouped: list[Draft] = []
    for is_small, run in groupby(drafts, lambda draft: draft.weight < least):
        drafts_in_run = list(run)
        grouped += _grouped(context, drafts_in_run) if is_small else drafts_in_run
    merged: list[Draft] = []
    for number, draft in enumerate(grouped):
        if draft.weight >= least:
            merged.append(draft)
            continue
        before = merged[-1] if merged else None
        behind = grouped[number + 1] if number + 1 < len(grouped) else None
        for neighbour in _by_nearness(draft, before, behind):
            together = _joined(context, [neighbour, draft] if neighbour is before else [draft, neighbour])
            if together and neighbour is before:
                merged[-1] = together
                break
            if together:
                grouped[number + 1] = together
                break
        else:
            merged.append(draft)
    return merged


def _grouped(context: ChunkingContext, run: list[Draft]) -> list[Draft]:
    """Small drafts in a row, joined to groups that are not small."""
    if len(run) == 1:
        return run
    unit = context.counter.unit
    joined: dict[tuple[int, int], Draft | None] = {}

    def joins(first: int, last: int) -> bool:
        joined[first, last] = together = _joined(context, run[first:last])
        return together is not None or last - first == 1

    units = UnitSequence(
        text=context.text,
        starts=[draft.start for draft in run],
        totals=list(accumulate((draft.weight for draft in run), initial=0)),
        # The higher the heading, the better the cut in front of it.
        strengths=[7 - (draft.level or 7) for draft in run],
        glued=(),
        opening=[0] * len(run),
        closing=[0] * len(run),
        safe_weight=-1,  # more than weight decides whether drafts may be joined
        fits=joins,
    )
    lower = context.settings.min_tokens * unit
    upper = max(context.settings.target_tokens * unit, lower)
    cuts = stable_cuts(units, 0, len(run), min_weight=lower, max_weight=upper, min_last=lower)
    return [joined.get(piece) or run[piece[0]] for piece in pairwise(cuts)]


def _by_nearness(draft: Draft, before: Draft | None, behind: Draft | None) -> list[Draft]:
    """The neighbours, the one that shares more headings first, the next one if both share as many."""
    neighbours = [neighbour for neighbour in (behind, before) if neighbour]
    return sorted(neighbours, key=lambda neighbour: -len(common_path(draft.heading_path, neighbour.heading_path)))


def _joined(context: ChunkingContext, drafts: list[Draft]) -> Draft | None:
    """Neighbours as one draft, if it keeps the cap."""
    if len(drafts) == 1:
        return drafts[0]
    if context.settings.boundaries == "heading" and drafts[0].section != drafts[-1].section:
        return None
    if context.ends_in_heading(drafts[-1]):
        return None
    together = join(context, drafts)
    return together if context.fits(together) else None


def join(context: ChunkingContext, drafts: list[Draft]) -> Draft:
    """Neighbours as one draft. What they carry inside is dropped: the source itself stands there now."""
    first, last = drafts[0], drafts[-1]
    path = _path_of_all(context, drafts)
    return Draft(
        first.start,
        last.end,
        first.block_start,
        last.block_end,
        path,
        first.section,
        first.level,
        first.part,
        prefix=first.prefix,
        suffix=last.suffix,
        weight=sum(draft.weight for draft in drafts) + weight_of_blanks(context, drafts),
        adds_up=all(draft.adds_up for draft in drafts),
    )


def _path_of_all(context: ChunkingContext, drafts: list[Draft]) -> tuple[str, ...]:
    """The headings that drafts have in common.

    Headings without content say nothing about where the content stands, and what stands above the first heading goes
    with it.
    """
    telling = [
        draft for draft in drafts if not context.is_headings_only(draft) and not context.is_above_headings(draft)
    ]
    path, *others = [draft.heading_path for draft in telling or drafts[-1:]]
    for other in others:
        path = common_path(path, other)
    return path


def weight_of_blanks(context: ChunkingContext, drafts: list[Draft]) -> int:
    """Many blanks behind a part were not counted with it, but stand inside now."""
    if all(draft.part is None for draft in drafts):
        return 0
    gaps = [context.text[before.end : draft.start] for before, draft in pairwise(drafts) if before.part is not None]
    return sum(context.weigh_texts([gap for gap in gaps if len(gap) > UNSURE], True))


def common_path(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The headings that two paths begin with alike."""
    if one == other:
        return one
    length = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        length += 1
    return one[:length]

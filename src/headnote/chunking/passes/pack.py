"""Sections that are too large → parts that fit.

A section that fits stays whole. From a larger one every block becomes a unit, a block that is too large by itself
becomes several, and the units are packed into parts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from operator import sub

from headnote.chunking.context import CODE_LIKE, UNSURE, ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.passes.cuts import NOTHING, Carried, Row, greedy_cuts, stable_cuts
from headnote.chunking.passes.overlap import first_carried
from headnote.chunking.passes.split import Weigh, take_apart, take_bare
from headnote.chunking.passes.units import BETWEEN_BLOCKS, NO_SEAM, Units

_DIVIDES = frozenset({"heading", "rule"})
_ANY_WEIGHT = 1 << 62
_WORTH = {"paragraph": 5, "list": 4, "code": 3, "table": 2}
"""What is rather carried over into the next part: the best first, anything else counts 1."""


def pack(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Every draft that does not fit, and with `greedy` every one past its target, in parts."""
    settings = context.settings
    fills_to_target = settings.packing == "greedy" and settings.boundaries != "heading"
    most = settings.target_tokens * context.counter.unit if fills_to_target else _ANY_WEIGHT
    sure = context.surely_fits
    packed: list[Draft] = []
    blocks: _Blocks | None = None
    for draft in drafts:
        if draft.weight <= most and (draft.weight <= sure or context.fits(draft)):
            packed.append(draft)
        else:
            blocks = blocks or _Blocks(context)
            packed += _in_parts(context, blocks, draft)
    return packed


def _in_parts(context: ChunkingContext, workbench: _Blocks, draft: Draft) -> list[Draft]:
    """Cut a draft between its units."""
    settings, unit = context.settings, context.counter.unit
    room = min([context.room(path) for path in context.paths_between(draft.block_start, draft.block_end)])
    bench = workbench if workbench.may_stay_whole(draft, room) else _Parts(context, draft, room)
    row, first, end = bench.row_of(draft, room)
    if settings.packing == "stable":
        lower = max(settings.min_tokens, 2 * settings.target_tokens - settings.max_tokens) * unit
        cuts = stable_cuts(row, first, end, min(lower, room * 5 // 8), room, settings.min_tokens * unit)
    else:
        target = settings.target_tokens * unit if settings.boundaries != "heading" else room
        cuts = greedy_cuts(row, first, end, target, room)
    if len(cuts) == 2:
        return [draft]
    return [bench.piece(first, last, draft.section, part) for part, (first, last) in enumerate(pairwise(cuts))]


class _Blocks:
    """The blocks of a page as units: enough for every draft whose blocks all fit."""

    def __init__(self, context: ChunkingContext) -> None:
        self.context = context
        count = len(context.blocks)
        nothing = [0] * count
        glued = {index + 1 for index in context.headings}
        glued.update(range(context.first_heading_before(count), count))
        self.strengths = [0] * count
        lists = (context.starts, context.totals, self.strengths, glued, nothing, nothing)
        self.row = Row(context.text, *lists, sure=0, fits=self.fits, carried=self.carried)

    def may_stay_whole(self, draft: Draft, room: int) -> bool:
        return not draft.suffix and max(_weights(self.context, draft)) <= _light(self.context, room)

    def row_of(self, draft: Draft, room: int) -> tuple[Row, int, int]:
        first, end = draft.block_start, draft.block_end + 1
        self.row.sure = _sure(self.context, room)
        self.strengths[first:end] = _strengths(self.context, first, end)
        return self.row, first, end

    def fits(self, first: int, last: int) -> bool:
        return self.context.fits(self.piece(first, last, 0))

    def carried(self, before: int, first: int) -> Carried:
        return _carried(self.context, before if before < first else None, first)

    def piece(self, first: int, last: int, section: int, part: int | None = None) -> Draft:
        context = self.context
        _, start, _, level, _ = context.blocks[first]
        end, path = context.blocks[last - 1][2], context.content_path(first, last - 1)
        weight = context.totals[last] - context.totals[first]
        return Draft(start, end, first, last - 1, path, section, level, part, weight=weight)


class _Parts:
    """The units of one draft: its blocks, and in place of each that is too large, what it consists of."""

    def __init__(self, context: ChunkingContext, draft: Draft, room: int) -> None:
        self.context = context
        self.draft = draft
        self.units = units = _blocks_as_units(context, draft)
        self.totals: Sequence[int] = context.totals[draft.block_start : draft.block_end + 2]
        heavy = [number for number, weight in enumerate(units.weights) if weight > _light(context, room)]
        parts = [(number, inside) for number in heavy if (inside := self._inside(number))]
        taken_apart = {units.blocks[number] for number, _ in parts}
        for number, inside in reversed(parts):
            units.replace(number, inside)
        self.doubts: Sequence[int] = ()
        """How many units before each begin where weights do not add up, then how many do at all."""
        if parts:
            self._add_up()
            self._make_fit(taken_apart, _sure(context, room))

    def _add_up(self) -> None:
        self.totals = list(accumulate(self.units.weights, initial=0))
        self.doubts = list(accumulate(self.units.doubts, initial=0))

    def _make_fit(self, taken_apart: set[int], sure: int) -> None:
        """See to it that each unit of these blocks keeps the cap by itself, and that none is blank."""
        units = self.units
        weights = zip(units.weights, units.opening, units.closing, strict=True)
        near = [number for number, (own, opening, closing) in enumerate(weights) if own + opening + closing > sure]
        near = [number for number in near if units.blocks[number] in taken_apart]
        large = [number for number in near if self._is_blank(number) or not self.fits(number, number + 1)]
        for number in reversed(large):
            units.replace(number, self._bare(number))
        if large:
            self._add_up()

    def _is_blank(self, number: int) -> bool:
        piece = self.piece(number, number + 1, 0)
        return piece.start == piece.end

    def _bare(self, number: int) -> Units:
        """A unit without what it carries, in stretches that keep the cap: for chunks with hardly any room."""
        context, whole = self.context, self.piece(number, number + 1, 0)
        stop = self.units.starts[number + 1] if number + 1 < len(self.units.starts) else whole.end
        source = context.text[whole.start : stop]
        scales = _scales(context, source, context.blocks[whole.block_start][0] in CODE_LIKE)
        limit = context.room(whole.heading_path)
        while True:
            inside = take_bare(source, limit, scales)
            inside.starts = [whole.start + offset for offset in inside.starts]
            places = pairwise([*inside.starts, whole.end])
            parts = [replace(whole, start=start, end=end, prefix="", suffix="") for start, end in places]
            if limit <= context.counter.unit or all(
                context.size(part) <= context.settings.max_tokens for part in parts
            ):
                return inside
            limit //= 2

    def _inside(self, number: int) -> Units | None:
        """What a block that is too large consists of; None if it may stay as it is."""
        context, index = self.context, self.units.blocks[number]
        kind, start, end, _, _ = context.blocks[index]
        alone = Draft(start, end, index, index, context.path_at(index), 0)
        alone.suffix, alone.weight = self.units.suffixes[number], self.units.weights[number]
        may_cut = context.settings.oversized == "split" and kind not in context.settings.keep_whole
        if not may_cut or context.fits(alone):
            return None
        headings = context.totals[index] - context.totals[context.first_heading_before(index)]
        room = context.room(alone.heading_path)
        limit = max(room - headings - min(UNSURE * context.counter.unit, room // 8), room // 2, 1)
        source = context.text[start : context.starts[index + 1]]
        scales = _scales(context, source, kind in CODE_LIKE)
        inside = take_apart(source, kind, end - start, limit, scales, context.mdx)
        inside.starts = [start + offset for offset in inside.starts]
        return inside

    def row_of(self, draft: Draft, room: int) -> tuple[Row, int, int]:
        context, units = self.context, self.units
        headings = context.headings_between(draft.block_start, draft.block_end - 1)
        glued = {bisect_left(units.blocks, index + 1) for index in headings}
        if draft.block_end == len(context.blocks) - 1:
            last = context.first_heading_before(len(context.blocks))
            glued.update(range(bisect_left(units.blocks, last), len(units.blocks)))
        lists = (units.starts, self.totals, units.strengths, glued, units.opening, units.closing)
        sure = _sure(context, room)
        row = Row(context.text, *lists, sure=sure, fits=self.fits, doubts=self.doubts, carried=self.carried)
        return row, 0, len(units.starts)

    def fits(self, first: int, last: int) -> bool:
        return self.context.fits(self.piece(first, last, 0))

    def carried(self, before: int, first: int) -> Carried:
        blocks = self.units.blocks
        if before == first:
            return _carried(self.context, None, blocks[first])
        if self._begins_inside(first):
            return _carried(self.context, blocks[first], blocks[first])
        return _carried(self.context, blocks[before] + self._begins_inside(before), blocks[first])

    def _begins_inside(self, unit: int) -> bool:
        """Whether a unit does not begin with its block."""
        return self.units.starts[unit] > self.context.starts[self.units.blocks[unit]]

    def piece(self, first: int, last: int, section: int, part: int | None = None) -> Draft:
        """The units between two cuts as a draft."""
        context, draft, units = self.context, self.draft, self.units
        start, stop = units.starts[first], draft.end if last == len(units.starts) else units.starts[last]
        end = start + len(context.text[start:stop].rstrip())
        first_block, last_block = units.blocks[first], units.blocks[last - 1]
        opened = context.blocks[first_block]
        return Draft(
            start,
            end,
            first_block,
            last_block,
            context.content_path(first_block, last_block),
            section,
            opened[3] if start == opened[1] else 0,
            part,
            units.prefixes[first],
            units.suffixes[last - 1],
            weight=self.totals[last] - self.totals[first] + units.opening[first] + units.closing[last - 1],
            adds_up=not self.doubts or self.doubts[first] == self.doubts[last],
        )


def _carried(context: ChunkingContext, before: int | None, first: int) -> Carried:
    """What a piece carries whose first whole block is one, if that of the piece before it is the other.

    None stands for a piece that begins a section.
    """
    settings = context.settings
    if not settings.overlap_tokens or settings.strategy == "section":
        return NOTHING
    if settings.strategy == "header":
        return Carried(0, settings.overlap_tokens * context.counter.unit)
    if before is None:
        before = context.first_block if settings.overlap_across_sections else first
    weight = context.totals[first] - context.totals[first_carried(context, before, first)]
    return Carried(_WORTH.get(context.blocks[first - 1][0], 1), weight) if weight else NOTHING


def _weights(context: ChunkingContext, draft: Draft) -> Iterable[int]:
    """Weight of each block of a draft."""
    first, end = draft.block_start, draft.block_end + 1
    return map(sub, context.totals[first + 1 : end + 1], context.totals[first:end])


def _light(context: ChunkingContext, room: int) -> int:
    """What a block may weigh that surely need not be taken apart."""
    return room - UNSURE * context.counter.unit if context.adds_up else room // 2


def _sure(context: ChunkingContext, room: int) -> int:
    """What a piece may weigh that surely keeps the cap."""
    return room - UNSURE * context.counter.unit if context.adds_up else -1


def _scales(context: ChunkingContext, source: str, is_code: bool) -> Weigh:
    counter = context.counter
    return Weigh(
        lambda texts: context.weigh_texts(texts, is_code),
        # In the text itself: what is taken apart has plain line ends, which weigh less.
        lambda cuts: context.weigh_pieces(source, cuts, is_code),
        lambda cuts: counter.seams_before(source, cuts),
        lambda text, start, end, limit: counter.fit(text, limit // counter.unit, start, end, is_code),
    )


def _blocks_as_units(context: ChunkingContext, draft: Draft) -> Units:
    first, end = draft.block_start, draft.block_end + 1
    units = Units()
    units.starts = context.starts[first:end]
    units.blocks = list(range(first, end))
    units.weights = list(_weights(context, draft))
    units.strengths = _strengths(context, first, end)
    units.prefixes, units.suffixes = [""] * (end - first), [""] * (end - first)
    units.opening, units.closing = [0] * (end - first), [0] * (end - first)
    units.doubts = [False] * (end - first)
    if context.final_suffix and end == len(context.blocks):
        units.suffixes[-1] = context.final_suffix
        units.closing[-1] = context.weigh_texts((context.final_suffix,), True)[0]
    return units


def _strengths(context: ChunkingContext, first: int, end: int) -> list[int]:
    """How good a place to cut each block's beginning is.

    A heading or thematic break divides; a list or code belongs to the sentence that announces it with a colon.
    """
    text, blocks = context.text, context.blocks[first:end]
    found = [BETWEEN_BLOCKS] * len(blocks)
    before = blocks[0]
    for number, block in enumerate(islice(blocks, 1, None), 1):
        if block[0] in _DIVIDES:
            found[number] = BETWEEN_BLOCKS + 8 - (block[3] or 7)
        elif text[before[2] - 1] in ":：" and before[0] == "paragraph":
            found[number] = NO_SEAM
        before = block
    return found

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

from headnote.chunking.draft import Draft
from headnote.chunking.page import CODE_LIKE, UNSURE, Page
from headnote.chunking.passes.cuts import NOTHING, Carried, Row, greedy_cuts, stable_cuts
from headnote.chunking.passes.overlap import first_carried
from headnote.chunking.passes.split import Weigh, take_apart, take_bare
from headnote.chunking.passes.units import BETWEEN_BLOCKS, NO_SEAM, Units

_DIVIDES = frozenset({"heading", "rule"})
_ANY_WEIGHT = 1 << 62
_WORTH = {"paragraph": 5, "list": 4, "code": 3, "table": 2}
"""What is rather carried over into the next part: the best first, anything else counts 1."""


def pack(page: Page, drafts: list[Draft]) -> list[Draft]:
    """Every draft that does not fit, and with `greedy` every one past its target, in parts."""
    settings = page.settings
    fills_to_target = settings.packing == "greedy" and settings.boundaries != "heading"
    most = settings.target_tokens * page.counter.unit if fills_to_target else _ANY_WEIGHT
    sure = page.surely_fits
    packed: list[Draft] = []
    blocks: _Blocks | None = None
    for draft in drafts:
        if draft.weight <= most and (draft.weight <= sure or page.fits(draft)):
            packed.append(draft)
        else:
            blocks = blocks or _Blocks(page)
            packed += _in_parts(page, blocks, draft)
    return packed


def _in_parts(page: Page, workbench: _Blocks, draft: Draft) -> list[Draft]:
    """Cut a draft between its units."""
    settings, unit = page.settings, page.counter.unit
    room = min([page.room(path) for path in page.paths_between(draft.block_start, draft.block_end)])
    bench = workbench if workbench.may_stay_whole(draft, room) else _Parts(page, draft, room)
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

    def __init__(self, page: Page) -> None:
        self.page = page
        count = len(page.blocks)
        nothing = [0] * count
        glued = {index + 1 for index in page.headings}
        glued.update(range(page.first_heading_before(count), count))
        self.strengths = [0] * count
        lists = (page.starts, page.totals, self.strengths, glued, nothing, nothing)
        self.row = Row(page.text, *lists, sure=0, fits=self.fits, carried=self.carried)

    def may_stay_whole(self, draft: Draft, room: int) -> bool:
        return not draft.suffix and max(_weights(self.page, draft)) <= _light(self.page, room)

    def row_of(self, draft: Draft, room: int) -> tuple[Row, int, int]:
        first, end = draft.block_start, draft.block_end + 1
        self.row.sure = _sure(self.page, room)
        self.strengths[first:end] = _strengths(self.page, first, end)
        return self.row, first, end

    def fits(self, first: int, last: int) -> bool:
        return self.page.fits(self.piece(first, last, 0))

    def carried(self, before: int, first: int) -> Carried:
        return _carried(self.page, before if before < first else None, first)

    def piece(self, first: int, last: int, section: int, part: int | None = None) -> Draft:
        page = self.page
        _, start, _, level, _ = page.blocks[first]
        end, path = page.blocks[last - 1][2], page.content_path(first, last - 1)
        weight = page.totals[last] - page.totals[first]
        return Draft(start, end, first, last - 1, path, section, level, part, weight=weight)


class _Parts:
    """The units of one draft: its blocks, and in place of each that is too large, what it consists of."""

    def __init__(self, page: Page, draft: Draft, room: int) -> None:
        self.page = page
        self.draft = draft
        self.units = units = _blocks_as_units(page, draft)
        self.totals: Sequence[int] = page.totals[draft.block_start : draft.block_end + 2]
        heavy = [number for number, weight in enumerate(units.weights) if weight > _light(page, room)]
        parts = [(number, inside) for number in heavy if (inside := self._inside(number))]
        taken_apart = {units.blocks[number] for number, _ in parts}
        for number, inside in reversed(parts):
            units.replace(number, inside)
        self.doubts: Sequence[int] = ()
        """How many units before each begin where weights do not add up, then how many do at all."""
        if parts:
            self._add_up()
            self._make_fit(taken_apart, _sure(page, room))

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
        page, whole = self.page, self.piece(number, number + 1, 0)
        stop = self.units.starts[number + 1] if number + 1 < len(self.units.starts) else whole.end
        source = page.text[whole.start : stop]
        scales = _scales(page, source, page.blocks[whole.block_start][0] in CODE_LIKE)
        limit = page.room(whole.heading_path)
        while True:
            inside = take_bare(source, limit, scales)
            inside.starts = [whole.start + offset for offset in inside.starts]
            places = pairwise([*inside.starts, whole.end])
            parts = [replace(whole, start=start, end=end, prefix="", suffix="") for start, end in places]
            if limit <= page.counter.unit or all(page.size(part) <= page.settings.max_tokens for part in parts):
                return inside
            limit //= 2

    def _inside(self, number: int) -> Units | None:
        """What a block that is too large consists of; None if it may stay as it is."""
        page, index = self.page, self.units.blocks[number]
        kind, start, end, _, _ = page.blocks[index]
        alone = Draft(start, end, index, index, page.path_at(index), 0)
        alone.suffix, alone.weight = self.units.suffixes[number], self.units.weights[number]
        may_cut = page.settings.oversized == "split" and kind not in page.settings.keep_whole
        if not may_cut or page.fits(alone):
            return None
        headings = page.totals[index] - page.totals[page.first_heading_before(index)]
        room = page.room(alone.heading_path)
        limit = max(room - headings - min(UNSURE * page.counter.unit, room // 8), room // 2, 1)
        source = page.text[start : page.starts[index + 1]]
        scales = _scales(page, source, kind in CODE_LIKE)
        inside = take_apart(source, kind, end - start, limit, scales, page.mdx)
        inside.starts = [start + offset for offset in inside.starts]
        return inside

    def row_of(self, draft: Draft, room: int) -> tuple[Row, int, int]:
        page, units = self.page, self.units
        headings = page.headings_between(draft.block_start, draft.block_end - 1)
        glued = {bisect_left(units.blocks, index + 1) for index in headings}
        if draft.block_end == len(page.blocks) - 1:
            last = page.first_heading_before(len(page.blocks))
            glued.update(range(bisect_left(units.blocks, last), len(units.blocks)))
        lists = (units.starts, self.totals, units.strengths, glued, units.opening, units.closing)
        sure = _sure(page, room)
        row = Row(page.text, *lists, sure=sure, fits=self.fits, doubts=self.doubts, carried=self.carried)
        return row, 0, len(units.starts)

    def fits(self, first: int, last: int) -> bool:
        return self.page.fits(self.piece(first, last, 0))

    def carried(self, before: int, first: int) -> Carried:
        blocks = self.units.blocks
        if before == first:
            return _carried(self.page, None, blocks[first])
        if self._begins_inside(first):
            return _carried(self.page, blocks[first], blocks[first])
        return _carried(self.page, blocks[before] + self._begins_inside(before), blocks[first])

    def _begins_inside(self, unit: int) -> bool:
        """Whether a unit does not begin with its block."""
        return self.units.starts[unit] > self.page.starts[self.units.blocks[unit]]

    def piece(self, first: int, last: int, section: int, part: int | None = None) -> Draft:
        """The units between two cuts as a draft."""
        page, draft, units = self.page, self.draft, self.units
        start, stop = units.starts[first], draft.end if last == len(units.starts) else units.starts[last]
        end = start + len(page.text[start:stop].rstrip())
        first_block, last_block = units.blocks[first], units.blocks[last - 1]
        opened = page.blocks[first_block]
        return Draft(
            start,
            end,
            first_block,
            last_block,
            page.content_path(first_block, last_block),
            section,
            opened[3] if start == opened[1] else 0,
            part,
            units.prefixes[first],
            units.suffixes[last - 1],
            weight=self.totals[last] - self.totals[first] + units.opening[first] + units.closing[last - 1],
            adds_up=not self.doubts or self.doubts[first] == self.doubts[last],
        )


def _carried(page: Page, before: int | None, first: int) -> Carried:
    """What a piece carries whose first whole block is one, if that of the piece before it is the other.

    None stands for a piece that begins a section.
    """
    settings = page.settings
    if not settings.overlap_tokens or settings.strategy == "section":
        return NOTHING
    if settings.strategy == "header":
        return Carried(0, settings.overlap_tokens * page.counter.unit)
    if before is None:
        before = page.first_block if settings.overlap_across_sections else first
    weight = page.totals[first] - page.totals[first_carried(page, before, first)]
    return Carried(_WORTH.get(page.blocks[first - 1][0], 1), weight) if weight else NOTHING


def _weights(page: Page, draft: Draft) -> Iterable[int]:
    """Weight of each block of a draft."""
    first, end = draft.block_start, draft.block_end + 1
    return map(sub, page.totals[first + 1 : end + 1], page.totals[first:end])


def _light(page: Page, room: int) -> int:
    """What a block may weigh that surely need not be taken apart."""
    return room - UNSURE * page.counter.unit if page.adds_up else room // 2


def _sure(page: Page, room: int) -> int:
    """What a piece may weigh that surely keeps the cap."""
    return room - UNSURE * page.counter.unit if page.adds_up else -1


def _scales(page: Page, source: str, is_code: bool) -> Weigh:
    counter = page.counter
    return Weigh(
        lambda texts: page.weigh_texts(texts, is_code),
        # In the text itself: what is taken apart has plain line ends, which weigh less.
        lambda cuts: page.weigh_pieces(source, cuts, is_code),
        lambda cuts: counter.seams_before(source, cuts),
        lambda text, start, end, limit: counter.fit(text, limit // counter.unit, start, end, is_code),
    )


def _blocks_as_units(page: Page, draft: Draft) -> Units:
    first, end = draft.block_start, draft.block_end + 1
    units = Units()
    units.starts = page.starts[first:end]
    units.blocks = list(range(first, end))
    units.weights = list(_weights(page, draft))
    units.strengths = _strengths(page, first, end)
    units.prefixes, units.suffixes = [""] * (end - first), [""] * (end - first)
    units.opening, units.closing = [0] * (end - first), [0] * (end - first)
    units.doubts = [False] * (end - first)
    if page.final_suffix and end == len(page.blocks):
        units.suffixes[-1] = page.final_suffix
        units.closing[-1] = page.weigh_texts((page.final_suffix,), True)[0]
    return units


def _strengths(page: Page, first: int, end: int) -> list[int]:
    """How good a place to cut each block's beginning is.

    A heading or thematic break divides; a list or code belongs to the sentence that announces it with a colon.
    """
    text, blocks = page.text, page.blocks[first:end]
    found = [BETWEEN_BLOCKS] * len(blocks)
    before = blocks[0]
    for number, block in enumerate(islice(blocks, 1, None), 1):
        if block[0] in _DIVIDES:
            found[number] = BETWEEN_BLOCKS + 8 - (block[3] or 7)
        elif text[before[2] - 1] in ":：" and before[0] == "paragraph":
            found[number] = NO_SEAM
        before = block
    return found

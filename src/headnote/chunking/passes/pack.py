"""Sections that are too large → parts that fit, and what each draft carries from the one before it.

A section that fits stays whole. From a larger one every block becomes a unit, a block that is too large by itself
becomes several, and the units are packed into parts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate, pairwise
from operator import sub

from headnote.chunking.context import ChunkingContext
from headnote.chunking.cuts import NOTHING, Carried, UnitSequence, greedy_cuts, stable_cuts
from headnote.chunking.draft import Draft
from headnote.chunking.records import fits, size
from headnote.chunking.splitting.pieces import BETWEEN_BLOCKS, NO_SEAM, Units
from headnote.chunking.splitting.splitter import Measure, split_bare, split_block
from headnote.model import CODE_LIKE


def whole_blocks(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`block`, `section`: carry the most whole blocks of the draft before that are within the overlap and keep the cap.

    Headings alone and frontmatter are never carried, nor are parts of a block that was split.
    """
    if not context.settings.overlap_tokens:
        return drafts
    for number in range(len(drafts) - 1, 0, -1):
        before, draft = drafts[number - 1], drafts[number]
        if before.section == draft.section or crosses_sections(context):
            _carry(context, before, draft)
    return drafts


def crosses_sections(context: ChunkingContext) -> bool:
    """Whether a section may carry the end of the one before it."""
    return context.settings.overlap_across_sections and context.settings.strategy == "block"


def carried_weight(context: ChunkingContext, start: int, stop: int) -> int:
    """What a chunk that begins with block `stop` carries of the blocks from `start` on."""
    return context.totals[stop] - context.totals[first_carried(context, start, stop)]


def first_carried(context: ChunkingContext, start: int, stop: int) -> int:
    """The first of the blocks from `start` on that a chunk beginning with block `stop` carries; `stop` if none."""
    if start < stop and context.blocks[start][0] == "frontmatter":
        start += 1
    most = context.settings.overlap_tokens * context.counter.unit
    first = bisect_left(context.totals, context.totals[stop] - most, start, stop)
    return stop if len(context.headings_between(first, stop - 1)) == stop - first else first


def _carry(context: ChunkingContext, before: Draft, draft: Draft) -> None:
    last = before.block_end
    if context.blocks[last][2] > before.end:
        return  # it ends inside a block
    start, weight = before.block_start, draft.weight
    if context.blocks[start][1] < before.start:
        start += 1  # it begins inside one
    for first in range(first_carried(context, start, last + 1), last + 1):
        if len(context.headings_between(first, last)) > last - first:
            return  # headings alone
        draft.overlap = context.text[context.blocks[first][1] : before.end]
        draft.weight = weight + context.totals[last + 1] - context.totals[first]
        if fits(context, draft):
            return
        draft.overlap, draft.weight = "", weight


def last_characters(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """`header`: carry the end of the part before, between parts of one section only."""
    most = context.settings.overlap_tokens
    if most:
        for before, draft in pairwise(drafts):
            if before.part is not None and before.section == draft.section:
                draft.overlap = context.text[max(before.start, before.end - most) : before.end]
                # Counted, because weights do not add up at an overlap that begins at any character.
                if context.settings.oversized == "split" and size(context, draft) > context.settings.max_tokens:
                    draft.overlap = ""
    return drafts


# -- Sections that are too large → parts that fit.

_ANY_WEIGHT = 1 << 62
_CARRIED_VALUES = {"paragraph": 5, "list": 4, "code": 3, "table": 2}
"""How useful the kinds are as overlap; any other counts 1."""


def pack(context: ChunkingContext, drafts: list[Draft]) -> list[Draft]:
    """Split every draft that does not fit, and with `greedy` every one past its target."""
    settings = context.settings
    fills_to_target = settings.packing == "greedy" and settings.boundaries != "heading"
    max_whole = settings.target_tokens * context.counter.unit if fills_to_target else _ANY_WEIGHT
    safe_weight = context.safe_weight
    packed: list[Draft] = []
    whole_blocks: _WholeBlocks | None = None
    for draft in drafts:
        if draft.weight <= max_whole and (draft.weight <= safe_weight or fits(context, draft)):
            packed.append(draft)
        else:
            whole_blocks = whole_blocks or _WholeBlocks(context)
            packed += _parts(context, whole_blocks, draft)
    return packed


def _parts(context: ChunkingContext, whole_blocks: _WholeBlocks, draft: Draft) -> list[Draft]:
    """A draft, cut between its units."""
    settings, unit = context.settings, context.counter.unit
    limit = min([context.text_limit(path) for path in context.paths_between(draft.block_start, draft.block_end)])
    units = whole_blocks if whole_blocks.suffice(draft, limit) else _SplitBlocks(context, draft, limit)
    sequence, first, end = units.sequence(draft, limit)
    if settings.packing == "stable":
        lower = max(settings.min_tokens, 2 * settings.target_tokens - settings.max_tokens) * unit
        cuts = stable_cuts(
            sequence,
            first,
            end,
            min_weight=min(lower, limit * 5 // 8),
            max_weight=limit,
            min_last=settings.min_tokens * unit,
        )
    else:
        target = settings.target_tokens * unit if settings.boundaries != "heading" else limit
        cuts = greedy_cuts(sequence, first, end, target=target, max_weight=limit)
    if len(cuts) == 2:
        # What stands above the first heading may have its path; where that leaves no room, it goes without.
        alone = units.part(first, end, draft.section, draft.part)
        return [alone if not fits(context, draft) and fits(context, alone) else draft]
    return [units.part(first, last, draft.section, number) for number, (first, last) in enumerate(pairwise(cuts))]


class _WholeBlocks:
    """The blocks of a document as units. They suffice for every draft whose blocks all fit.

    All drafts share the lists of their sequences: only strengths and the safe weight depend on the draft.
    """

    def __init__(self, context: ChunkingContext) -> None:
        self.context = context
        count = len(context.blocks)
        glued = {index + 1 for index in context.headings}
        # Headings at the very end announce nothing: they stay with the text before them.
        glued.update(range(context.first_heading_before(count), count))
        self._glued = glued
        self._strengths = [0] * count
        self._nothing = [0] * count

    def suffice(self, draft: Draft, limit: int) -> bool:
        """Whether no block of a draft has to be split."""
        if draft.suffix:
            return False
        totals, most = self.context.totals, _max_whole_block(self.context, limit)
        indices = range(draft.block_start, draft.block_end + 1)
        return all(totals[index + 1] - totals[index] <= most for index in indices)

    def sequence(self, draft: Draft, limit: int) -> tuple[UnitSequence, int, int]:
        """The units, and the first and the end of those that make up a draft."""
        first, end = draft.block_start, draft.block_end + 1
        context = self.context
        self._strengths[first:end] = _block_strengths(context, first, end)
        # Not kept: it knows methods of this object, and a circle is freed only by the garbage collector.
        sequence = UnitSequence(
            text=context.text,
            starts=context.starts,
            totals=context.totals,
            strengths=self._strengths,
            glued=self._glued,
            opening=self._nothing,
            closing=self._nothing,
            safe_weight=_safe_weight(context, limit),
            fits=self._fits,
            carried=self._carried if _may_carry(context) else None,
        )
        return sequence, first, end

    def part(self, first: int, last: int, section: int, number: int | None = None) -> Draft:
        """The blocks between two cuts as a draft."""
        context = self.context
        _, start, _, level, _ = context.blocks[first]
        return Draft(
            start=start,
            end=context.blocks[last - 1][2],
            block_start=first,
            block_end=last - 1,
            heading_path=context.content_path(first, last - 1),
            section=section,
            level=level,
            part=number,
            weight=context.totals[last] - context.totals[first],
        )

    def _fits(self, first: int, last: int) -> bool:
        return fits(self.context, self.part(first, last, 0))

    def _carried(self, before: int, first: int) -> Carried:
        return _carried(self.context, before if before < first else None, first)


class _SplitBlocks:
    """The units of one draft: its blocks, and in place of each that is too large, what it is split into."""

    def __init__(self, context: ChunkingContext, draft: Draft, limit: int) -> None:
        self.context = context
        self.draft = draft
        self.units = units = _blocks_as_units(context, draft)
        self.totals: list[int] = context.totals[draft.block_start : draft.block_end + 2]
        self.off_seam_totals: list[int] = []
        max_whole = _max_whole_block(context, limit)
        heavy = [number for number, weight in enumerate(units.weights) if weight > max_whole]
        splits = [(number, inner) for number in heavy if (inner := self._split(number))]
        split_blocks = {units.blocks[number] for number, _ in splits}
        for number, inner in reversed(splits):
            units.replace(number, inner)
        if splits:
            self._add_up()
            self._make_fit(split_blocks, _safe_weight(context, limit))

    def _add_up(self) -> None:
        self.totals = list(accumulate(self.units.weights, initial=0))
        off_seam = self.units.off_seam
        self.off_seam_totals = list(accumulate(off_seam, initial=0)) if any(off_seam) else []

    def _split(self, number: int) -> Units | None:
        """The units of a block that is too large; None if it may stay whole."""
        context, index = self.context, self.units.blocks[number]
        kind, start, end, _, _ = context.blocks[index]
        alone = Draft(
            start=start,
            end=end,
            block_start=index,
            block_end=index,
            heading_path=context.path_at(index),
            section=0,
            suffix=self.units.suffixes[number],
            weight=self.units.weights[number],
        )
        may_cut = context.settings.oversized == "split" and kind not in context.settings.keep_whole
        if not may_cut or fits(context, alone):
            return None
        # The first unit leaves space for the headings above the block, which stay with it.
        headings = context.totals[index] - context.totals[context.first_heading_before(index)]
        full = context.text_limit(alone.heading_path)
        limit = max(full - headings - min(context.margin, full // 8), full // 2, 1)
        source = context.text[start : context.starts[index + 1]]
        measure = Measure(context, source, start, kind in CODE_LIKE)
        inner = split_block(source, kind, end - start, limit, measure, context.mdx)
        inner.starts = [start + offset for offset in inner.starts]
        return inner

    def _make_fit(self, split_blocks: set[int], safe_weight: int) -> None:
        """See to it that each unit of these blocks keeps the cap by itself, and that none is blank."""
        units = self.units
        weights, opening, closing = units.weights, units.opening, units.closing
        near = [
            number
            for number, weight in enumerate(weights)
            if weight + opening[number] + closing[number] > safe_weight and units.blocks[number] in split_blocks
        ]
        large = [number for number in near if self._is_blank(number) or not self._fits(number, number + 1)]
        for number in reversed(large):
            units.replace(number, self._split_bare(number))
        if large:
            self._add_up()

    def _is_blank(self, number: int) -> bool:
        part = self.part(number, number + 1, 0)
        return part.start == part.end

    def _split_bare(self, number: int) -> Units:
        """A unit without what it carries, in stretches that keep the cap: for chunks with hardly any space.

        Stretches are cut by a limit of weight, but what counts is the size of the chunk with its breadcrumb. The limit
        is halved until all stretches keep the cap, or until it cannot be lowered any more.
        """
        context, whole = self.context, self.part(number, number + 1, 0)
        stop = self.units.starts[number + 1] if number + 1 < len(self.units.starts) else whole.end
        source = context.text[whole.start : stop]
        measure = Measure(context, source, whole.start, context.blocks[whole.block_start][0] in CODE_LIKE)
        limit = context.text_limit(whole.heading_path)
        while True:
            inner = split_bare(source, limit, measure)
            inner.starts = [whole.start + offset for offset in inner.starts]
            extents = pairwise([*inner.starts, whole.end])
            stretches = [_stretch(whole, start, end) for start, end in extents]
            most = context.settings.max_tokens
            if limit <= context.counter.unit or all(size(context, stretch) <= most for stretch in stretches):
                return inner
            limit //= 2

    def sequence(self, draft: Draft, limit: int) -> tuple[UnitSequence, int, int]:
        """The units, and the first and the end of those that make up the draft: all of them."""
        context, units = self.context, self.units
        headings = context.headings_between(draft.block_start, draft.block_end - 1)
        glued = {bisect_left(units.blocks, index + 1) for index in headings}
        if draft.block_end == len(context.blocks) - 1:
            last = context.first_heading_before(len(context.blocks))
            glued.update(range(bisect_left(units.blocks, last), len(units.blocks)))
        sequence = UnitSequence(
            text=context.text,
            starts=units.starts,
            totals=self.totals,
            strengths=units.strengths,
            glued=glued,
            opening=units.opening,
            closing=units.closing,
            safe_weight=_safe_weight(context, limit),
            fits=self._fits,
            off_seam_totals=self.off_seam_totals,
            carried=self._carried if _may_carry(context) else None,
        )
        return sequence, 0, len(units.starts)

    def part(self, first: int, last: int, section: int, number: int | None = None) -> Draft:
        """The units between two cuts as a draft."""
        context, units = self.context, self.units
        start, stop = units.starts[first], self.draft.end if last == len(units.starts) else units.starts[last]
        first_block, last_block = units.blocks[first], units.blocks[last - 1]
        _, block_start, _, level, _ = context.blocks[first_block]
        return Draft(
            start=start,
            end=start + len(context.text[start:stop].rstrip()),
            block_start=first_block,
            block_end=last_block,
            heading_path=context.content_path(first_block, last_block),
            section=section,
            level=level if start == block_start else 0,
            part=number,
            prefix=units.prefixes[first],
            suffix=units.suffixes[last - 1],
            weight=self.totals[last] - self.totals[first] + units.opening[first] + units.closing[last - 1],
            adds_up=not self.off_seam_totals or self.off_seam_totals[first] == self.off_seam_totals[last],
        )

    def _fits(self, first: int, last: int) -> bool:
        return fits(self.context, self.part(first, last, 0))

    def _carried(self, before: int, first: int) -> Carried:
        blocks = self.units.blocks
        if before == first:
            return _carried(self.context, None, blocks[first])
        if self._begins_inside_block(first):
            return _carried(self.context, blocks[first], blocks[first])
        return _carried(self.context, blocks[before] + self._begins_inside_block(before), blocks[first])

    def _begins_inside_block(self, unit: int) -> bool:
        return self.units.starts[unit] > self.context.starts[self.units.blocks[unit]]


def _stretch(whole: Draft, start: int, end: int) -> Draft:
    """A part of a draft with nothing around it."""
    part = whole.copy()
    part.start, part.end = start, end
    part.prefix = part.suffix = ""
    return part


def _may_carry(context: ChunkingContext) -> bool:
    """Whether parts repeat anything of the part before them."""
    return context.settings.overlap_tokens > 0


def _carried(context: ChunkingContext, before: int | None, first: int) -> Carried:
    """What a part carries, by its first whole block and that of the part before; None if it begins a section."""
    settings = context.settings
    if settings.strategy == "header":
        return Carried(value=0, weight=settings.overlap_tokens * context.counter.unit)
    if before is None:
        before = context.first_block if crosses_sections(context) else first
    weight = carried_weight(context, before, first)
    if not weight:
        return NOTHING
    return Carried(value=_CARRIED_VALUES.get(context.blocks[first - 1][0], 1), weight=weight)


def _max_whole_block(context: ChunkingContext, limit: int) -> int:
    """A block of at most this weight need not be split."""
    return limit - context.margin if context.adds_up else limit // 2


def _safe_weight(context: ChunkingContext, limit: int) -> int:
    """A part of at most this weight keeps the cap, so nothing has to be counted."""
    return limit - context.margin if context.adds_up else -1


def _block_weights(context: ChunkingContext, draft: Draft) -> Iterable[int]:
    """Weight of each block of a draft."""
    first, end = draft.block_start, draft.block_end + 1
    return map(sub, context.totals[first + 1 : end + 1], context.totals[first:end])


def _blocks_as_units(context: ChunkingContext, draft: Draft) -> Units:
    first, end = draft.block_start, draft.block_end + 1
    count = end - first
    units = Units()
    units.starts = context.starts[first:end]
    units.blocks = list(range(first, end))
    units.weights = list(_block_weights(context, draft))
    units.off_seam = [False] * count
    units.strengths = _block_strengths(context, first, end)
    units.prefixes, units.suffixes = [""] * count, [""] * count
    units.opening, units.closing = [0] * count, [0] * count
    if context.final_suffix and end == len(context.blocks):
        units.suffixes[-1] = context.final_suffix
        units.closing[-1] = context.weigh_texts((context.final_suffix,), True)[0]
    return units


def _block_strengths(context: ChunkingContext, first: int, end: int) -> list[int]:
    """How good a place to cut the beginning of each block is.

    A heading or thematic break divides. A list or code belongs to the sentence that announces it with a colon.
    """
    text = context.text
    strengths: list[int] = []
    announces = False
    for block in context.blocks[first:end]:
        kind, stop, level = block[0], block[2], block[3]
        if strengths and (kind == "heading" or kind == "rule"):
            strengths.append(BETWEEN_BLOCKS + 8 - (level or 7))
        else:
            strengths.append(NO_SEAM if announces else BETWEEN_BLOCKS)
        announces = kind == "paragraph" and (text[stop - 1] == ":" or text[stop - 1] == "：")
    return strengths

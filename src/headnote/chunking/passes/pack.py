"""Sections that are too large → parts that fit.

A section that fits stays whole. From a larger one every block becomes a unit, a block that is too large by itself
becomes several, and the units are packed into parts.
"""

from __future__ import annotations

import zlib
from itertools import accumulate, pairwise

from headnote.chunking.draft import Draft
from headnote.chunking.page import CODE_LIKE, UNSURE, Page
from headnote.chunking.passes.cuts import Row, greedy_cuts, stable_cuts
from headnote.chunking.passes.split import BETWEEN_BLOCKS, NO_SEAM, Unit, Weigh, take_apart
from headnote.markdown.rules.base import Span

_HASHED = 64
"""Characters from the beginning of a unit that decide how likely a cut in front of it is."""


def pack(page: Page, drafts: list[Draft]) -> list[Draft]:
    """Every draft that does not fit, and with `greedy` every one past its target, in parts."""
    settings = page.settings
    fills_to_target = settings.packing == "greedy" and settings.boundaries != "heading"
    target = settings.target_tokens * page.counter.unit
    packed: list[Draft] = []
    for draft in drafts:
        past_target = fills_to_target and draft.weight > target
        if not past_target and page.fits(draft):
            packed.append(draft)
        else:
            packed += _in_parts(page, draft)
    return packed


def _in_parts(page: Page, draft: Draft) -> list[Draft]:
    """Cut a draft between its units."""
    settings, unit = page.settings, page.counter.unit
    room = min(page.room(path) for path in set(page.paths[draft.block_start : draft.block_end + 1]))
    upper = max(room - settings.overlap_tokens * unit, room // 2)
    bench = _Bench(page, draft, room)
    row = bench.row()
    if settings.packing == "stable":
        lower = max(settings.min_tokens, 2 * settings.target_tokens - settings.max_tokens) * unit
        cuts = stable_cuts(row, min(lower, upper * 5 // 8), upper, settings.min_tokens * unit)
    else:
        target = settings.target_tokens * unit if settings.boundaries != "heading" else upper
        cuts = greedy_cuts(row, min(target, upper), upper)
    if len(cuts) == 2:
        return [draft]
    return [bench.piece(first, last, part) for part, (first, last) in enumerate(pairwise(cuts))]


class _Bench:
    """The units of one draft, laid out in a row."""

    def __init__(self, page: Page, draft: Draft, room: int) -> None:
        self.page = page
        self.draft = draft
        self.units: list[Unit] = []
        self.blocks: list[int] = []
        """Index of the block each unit comes from."""
        weights: list[int] = []
        for index in range(draft.block_start, draft.block_end + 1):
            units, unit_weights = _units_of(page, index, room)
            self.units += units
            weights += unit_weights
            self.blocks += [index] * len(units)
        self.totals = list(accumulate(weights, initial=0))
        self.opening = page.weigh_texts([unit.prefix for unit in self.units], True)
        self.closing = page.weigh_texts([unit.suffix for unit in self.units], True)
        self._take_off_blanks(weights)

    def _take_off_blanks(self, weights: list[int]) -> None:
        """Many blanks after a unit weigh only if something follows them in the same piece."""
        for number, (unit, following) in enumerate(pairwise(self.units)):
            text = self.page.text[unit.start : following.start]
            bare = text.rstrip()
            if len(text) - len(bare) > UNSURE:
                is_code = self.page.blocks[self.blocks[number]][0] in CODE_LIKE
                self.closing[number] -= weights[number] - self.page.weigh_texts((bare,), is_code)[0]

    def row(self) -> Row:
        kinds = [self.page.blocks[index][0] for index in self.blocks]
        glued = [False, *(kind == "heading" for kind in kinds[:-1]), False]
        return Row(self.totals, self.opening, self.closing, glued, self._rank, self._fits)

    def piece(self, first: int, last: int, part: int | None = None) -> Draft:
        """The units between two cuts as a draft."""
        page, units, draft = self.page, self.units, self.draft
        start = units[first].start
        end = draft.end if last == len(units) else start + len(page.text[start : units[last].start].rstrip())
        first_block, last_block = self.blocks[first], self.blocks[last - 1]
        opened = page.blocks[first_block]
        return Draft(
            start,
            end,
            first_block,
            last_block,
            page.content_path(first_block, last_block),
            draft.section,
            opened[3] if start == opened[1] else 0,
            part,
            prefix=units[first].prefix,
            suffix=units[last - 1].suffix,
            weight=self.totals[last] - self.totals[first] + self.opening[first] + self.closing[last - 1],
        )

    def _fits(self, first: int, last: int) -> bool:
        return self.page.fits(self.piece(first, last))

    def _rank(self, cut: int) -> int:
        """Structure first, then a hash of what begins here, so that equal surroundings decide alike."""
        unit = self.units[cut]
        text = self.page.text
        beginning = text[unit.start : unit.start + _HASHED].encode("utf-8", "surrogatepass")
        strength = unit.strength
        block = self.page.blocks[self.blocks[cut]]
        if unit.start == block[1]:
            strength = _strength(text, self.page.blocks[self.blocks[cut] - 1], block)
        return (strength << 32) | zlib.crc32(beginning)


def _strength(text: str, before: Span, block: Span) -> int:
    """A heading or thematic break divides; a list or code belongs to the sentence that announces it."""
    if block[0] == "heading":
        return BETWEEN_BLOCKS + 8 - block[3]
    if block[0] == "rule":
        return BETWEEN_BLOCKS + 1
    if before[0] == "paragraph" and text[before[2] - 1] in ":：":
        return NO_SEAM
    return BETWEEN_BLOCKS


def _scales(page: Page, is_code: bool) -> Weigh:
    unit = page.counter.unit
    return Weigh(
        lambda texts: page.weigh_texts(texts, is_code),
        lambda text, start, end, limit: page.counter.fit(text, limit // unit, start, end, is_code),
    )


def _units_of(page: Page, index: int, room: int) -> tuple[list[Unit], list[int]]:
    """One block as units, with their weights."""
    block = page.blocks[index]
    kind, start, end, _, _ = block
    weight = page.totals[index + 1] - page.totals[index]
    suffix = page.final_suffix if index == len(page.blocks) - 1 else ""
    alone = Draft(start, end, index, index, page.paths[index], 0, weight=weight, suffix=suffix)
    may_cut = page.settings.oversized == "split" and kind not in page.settings.keep_whole
    if not may_cut or page.fits(alone):
        return [Unit(start, BETWEEN_BLOCKS, "", suffix)], [weight]
    headings = page.totals[index] - page.totals[page.first_heading_before(index)]
    limit = max(room - headings - UNSURE * page.counter.unit, room // 2, 1)
    units = take_apart(page.lines, block, limit, _scales(page, kind in CODE_LIKE), page.mdx)
    starts = [*(unit.start for unit in units), page.blocks[index + 1][1] if index + 1 < len(page.blocks) else end]
    return units, page.weigh_texts([page.text[a:b] for a, b in pairwise(starts)], kind in CODE_LIKE)

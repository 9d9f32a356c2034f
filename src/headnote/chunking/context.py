"""One document on the workbench: its text, its blocks, and how large any part of it is."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, compress, pairwise
from operator import sub
from typing import Protocol

from headnote.chunking.data_uris import strip_data_uris
from headnote.chunking.draft import Draft
from headnote.chunking.settings import Settings
from headnote.markdown.document import Document
from headnote.markdown.headings import HeadingStack, heading_text, labels
from headnote.markdown.rules.base import Span
from headnote.markdown.scanner import with_plain_line_ends
from headnote.model import breadcrumb_of
from headnote.tokens import Counter, get_counter

CODE_LIKE = frozenset({"code", "mdx_esm", "mdx_jsx", "mdx_expression", "html", "frontmatter"})
UNSURE = 8
"""Tokens. Weights are added up with the blank lines after a block; this near the cap, the text itself is counted."""
_OVERLAP_IN_TEXT = {"window": "", "header": "\n\n"}
"""Where the text a reader is shown begins with the overlap, and what stands between them."""
_ODD_START = re.compile(r"[\s/]")
"""A block that begins with none of these is not blank, and weights add up where it begins."""
_FENCE = re.compile(r"([ \t]*+)(`{3,}+|~{3,}+)")


class Part(Protocol):
    """What a draft and a chunk have in common."""

    start: int
    end: int
    prefix: str
    suffix: str
    overlap: str
    heading_path: tuple[str, ...]
    block_start: int
    block_end: int


class ChunkingContext:
    """What the passes work on. They share it, and none changes it."""

    def __init__(self, document: Document, settings: Settings) -> None:
        self.document = document
        self.text = text = document.text
        self.path = document.path
        self.settings = settings
        self.mdx = document.mdx
        self.blocks: list[Span] = document.spans
        has_odd_starts = _ODD_START.search("".join([text[block[1]] for block in self.blocks])) is not None
        self._numbers = self._leave_out_blank_blocks() if has_odd_starts else None
        self.first_block = self._skipped()
        self.counter: Counter = get_counter(settings.counter, settings.bias)
        self.max_weight = settings.max_tokens * self.counter.unit
        self.has_pictures = ";base64," in text
        self.parents_in_text = settings.include_parent_headers and settings.strategy == "header"
        self.crumb_room = min(self.max_weight // 2, max(self.max_weight - self.counter.widest * self.counter.unit, 0))
        """Weight that a breadcrumb may have: half of a chunk, and never so much that no character fits below it."""
        crumb = self.crumb_room if settings.breadcrumb or self.parents_in_text else 0
        self.adds_up = self.counter.adds != "never" and not (has_odd_starts and self._begin_off_seams())
        """Whether the weights of blocks add up, give or take what stands at the very end."""
        self.surely_fits = self.max_weight - crumb - UNSURE * self.counter.unit if self.adds_up else -1
        """Text of at most this weight keeps the cap, whatever its breadcrumb."""
        self._crumbs: dict[tuple[str, ...], tuple[str, int]] = {(): ("", 0)}

    def _leave_out_blank_blocks(self) -> list[int] | None:
        """A block of blanks that are none to Markdown (U+00A0, a form feed) says nothing: it is a gap between blocks.

        What comes back is the number that each block has in the document, if that is another than here.
        """
        text, blocks = self.text, self.blocks
        is_content = [not text[start:end].isspace() for _, start, end, _, _ in blocks]
        if all(is_content):
            return None
        self.blocks = list(compress(blocks, is_content))
        return list(compress(range(len(blocks)), is_content))

    def _begin_off_seams(self) -> bool:
        """Whether there are blocks at whose beginning weights do not add up."""
        starts = self.starts[1:-1]
        return self.counter.seams_before(self.text, starts) != starts

    def number_of(self, index: int) -> int:
        """The number of a block in the document, where blocks of blanks count too."""
        return self._numbers[index] if self._numbers else index

    def _skipped(self) -> int:
        has_matter = bool(self.blocks) and self.blocks[0][0] == "frontmatter"
        return 1 if has_matter and self.settings.frontmatter != "include" else 0

    # -- where things are

    @cached_property
    def starts(self) -> list[int]:
        """Where each block begins, then where the last one ends."""
        starts = [block[1] for block in self.blocks]
        starts.append(self.blocks[-1][2] if self.blocks else 0)
        return starts

    @cached_property
    def headings(self) -> list[int]:
        """Indices of the blocks that are headings."""
        return [index for index, block in enumerate(self.blocks) if block[0] == "heading"]

    @property
    def first_heading(self) -> int:
        """Index of the first block that is a heading; past the end if there is none."""
        return self.headings[0] if self.headings else len(self.blocks)

    @cached_property
    def _labels(self) -> dict[str, str]:
        """What a link in a heading may refer to."""
        return labels(self.blocks)

    @cached_property
    def _heading_paths(self) -> list[tuple[str, ...]]:
        """Heading stack before the first heading, then after each."""
        stack = HeadingStack()
        text, blocks = self.text, self.blocks
        found: list[tuple[str, ...]] = [()]
        for index in self.headings:
            _, start, end, level, _ = blocks[index]
            labels = self._labels if text.find("[", start, end) >= 0 else None
            found.append(stack.push(level, heading_text(text, start, end, labels)))
        return found

    def headings_between(self, first: int, last: int) -> list[int]:
        """Indices of the headings among these blocks."""
        return self.headings[bisect_left(self.headings, first) : bisect_right(self.headings, last)]

    def path_at(self, index: int) -> tuple[str, ...]:
        """Heading stack at a block, a heading included in its own."""
        return self._heading_paths[bisect_right(self.headings, index)]

    def paths_between(self, first: int, last: int) -> list[tuple[str, ...]]:
        """The heading stacks at these blocks, each once."""
        return self._heading_paths[bisect_right(self.headings, first) : bisect_right(self.headings, last) + 1]

    def content_path(self, first: int, last: int) -> tuple[str, ...]:
        """Heading stack at the first of these blocks that is no heading; at the last one if all are.

        What stands above the first heading of the page goes with that heading, if it is one of them.
        """
        if first < self.first_heading <= last:
            first = self.first_heading
        while first < last and self.blocks[first][0] == "heading":
            first += 1
        return self.path_at(first)

    def first_heading_before(self, index: int) -> int:
        """Index of the first of the headings that stand directly before a block; its own if there is none."""
        while index > self.first_block and self.blocks[index - 1][0] == "heading":
            index -= 1
        return index

    def is_above_headings(self, draft: Draft) -> bool:
        return draft.block_end < self.first_heading

    def is_headings_only(self, draft: Draft) -> bool:
        first, last = draft.block_start, draft.block_end
        if self.blocks[last][0] != "heading":
            return False
        return bisect_right(self.headings, last) - bisect_left(self.headings, first) == last - first + 1

    def ends_in_heading(self, draft: Draft) -> bool:
        """Whether a heading is the last of it, although something follows in the document."""
        return self.blocks[draft.block_end][0] == "heading" and draft.block_end + 1 < len(self.blocks)

    @cached_property
    def final_suffix(self) -> str:
        """What closes the last block, if it is a fence that is left open to the end of the file."""
        if not self.blocks or self.blocks[-1][0] != "code":
            return ""
        _, start, end, _, _ = self.blocks[-1]
        fence = _FENCE.match(self.text, start)
        if fence is None or (not self.mdx and len(fence[1].expandtabs(4)) > 3):
            return ""  # indented code may show a fence and has none
        mark = fence[2]
        _, _, rest = with_plain_line_ends(self.text[start:end]).rstrip().partition("\n")
        last = rest.rpartition("\n")[2].strip(" \t")
        return "" if len(last) >= len(mark) and not last.strip(mark[0]) else f"\n{mark}"

    # -- how large things are

    @cached_property
    def totals(self) -> list[int]:
        """Weight of everything before each block; the difference of two is the weight of the blocks between them."""
        if self.counter.per_character == 1 and not self.has_pictures:
            return self.starts
        code = [block[0] in CODE_LIKE for block in self.blocks]
        if self.has_pictures:
            texts = [strip_data_uris(self.text[start:end]) for start, end in pairwise(self.starts)]
            weights = self.counter.weigh(texts, code)
        else:
            weights = self.counter.weigh_pieces(self.text, self.starts, code)
        return list(accumulate(weights, initial=0))

    def weigh_texts(self, texts: Sequence[str], code: bool) -> list[int]:
        """Weight of each text, pictures left out."""
        if self.has_pictures:
            texts = [strip_data_uris(text) for text in texts]
        return self.counter.weigh(texts, [code] * len(texts))

    def weigh_pieces(self, text: str, cuts: Sequence[int], code: bool) -> list[int]:
        """Weight of what lies between each two cuts, pictures left out."""
        if self.has_pictures:
            return self.weigh_texts([text[start:end] for start, end in pairwise(cuts)], code)
        if self.counter.per_character == 1:
            return list(map(sub, cuts[1:], cuts))
        return self.counter.weigh_pieces(text, cuts, [code] * (len(cuts) - 1))

    def crumb(self, path: tuple[str, ...]) -> tuple[str, int]:
        """The breadcrumb as it stands at the head of what is embedded, and its weight.

        It may take half of a chunk at most: from a longer one, the outermost headings are left out.
        """
        known = self._crumbs.get(path)
        if known is None and not (self.settings.breadcrumb or self.parents_in_text):
            known = ("", 0)
        if known is None:
            text = breadcrumb_of(path)
            text = f"{text}\n\n" if text else ""
            weight = self.counter.weigh((text,))[0]
            known = (text, weight) if weight <= self.crumb_room else self.crumb(path[1:])
            self._crumbs[path] = known
        return known

    def room(self, path: tuple[str, ...]) -> int:
        """Weight that is left for text under a breadcrumb."""
        return self.max_weight - self.crumb(path)[1]

    # -- what a chunk says

    def shown(self, part: Part) -> str:
        """What a reader is shown."""
        own = part.prefix + self.text[part.start : part.end] + part.suffix
        if self.parents_in_text:
            own = self.crumb(part.heading_path)[0] + own
        if part.overlap and self.settings.strategy in _OVERLAP_IN_TEXT:
            return part.overlap + _OVERLAP_IN_TEXT[self.settings.strategy] + own
        return own

    def embedded(self, part: Part) -> str:
        """What is embedded and indexed."""
        text = self.shown(part)
        if part.overlap and self.settings.strategy not in _OVERLAP_IN_TEXT:
            text = f"{part.overlap}\n\n{text}"
        if not self.parents_in_text:
            text = self.crumb(part.heading_path)[0] + text
        return strip_data_uris(text) if self.has_pictures else text

    def fits(self, draft: Draft) -> bool:
        """Whether a draft keeps the cap. Far from it, the sum of weights says so; near it, the text is counted."""
        estimate = draft.weight + self.crumb(draft.heading_path)[1]
        if self.adds_up and draft.adds_up:
            unsure = UNSURE * self.counter.unit
            if estimate <= self.max_weight - unsure:
                return True
            if estimate > self.max_weight + unsure and not self._has_long_gap_behind(draft):
                return False
        return self.size(draft) <= self.settings.max_tokens

    def _has_long_gap_behind(self, draft: Draft) -> bool:
        """Whether so many blanks follow that they, and not the text, may be what weighs too much."""
        following = draft.block_end + 1
        return following < len(self.blocks) and self.blocks[following][1] - draft.end > UNSURE

    def size(self, part: Part) -> int:
        """Tokens of what is embedded, counted."""
        return self.sizes((part,))[0]

    def sizes(self, parts: Sequence[Part]) -> list[int]:
        """The same for many."""
        if self.counter.adds == "anywhere" and self.counter.per_character is None:
            return [self._size_by_blocks(part) for part in parts]
        return self.counter.count_many([self.embedded(part) for part in parts])

    def _size_by_blocks(self, part: Part) -> int:
        """An estimate depends on which blocks are code, so they are weighed one by one, carried ones included."""
        first = max(bisect_right(self.starts, part.start, hi=len(self.blocks)) - 1, 0)
        own = self._texts_of_blocks(part.start, part.end, first, bisect_left(self.starts, part.end, first + 1) - 1)
        own[0] = (part.prefix + own[0][0], own[0][1])
        own[-1] = (own[-1][0] + part.suffix, own[-1][1])
        carried: list[tuple[str, bool]] = []
        if part.overlap and self.settings.strategy == "block":
            # Whole blocks, up to the one before.
            last = first - 1
            first = bisect_left(self.starts, self.blocks[last][2] - len(part.overlap))
            carried = [*self._texts_of_blocks(self.starts[first], self.blocks[last][2], first, last), ("\n\n", False)]
        elif part.overlap:
            carried = [(part.overlap + _OVERLAP_IN_TEXT[self.settings.strategy], False)]
        texts = [(self.crumb(part.heading_path)[0], False), *carried, *own]
        weights = self.counter.weigh([strip_data_uris(text) for text, _ in texts], [code for _, code in texts])
        return self.counter.size(sum(weights))

    def _texts_of_blocks(self, start: int, end: int, first: int, last: int) -> list[tuple[str, bool]]:
        """This part of the text by blocks, each with the blank lines behind it, and whether it is code."""
        cuts = [start, *self.starts[first + 1 : last + 1], end]
        kinds = [block[0] in CODE_LIKE for block in self.blocks[first : last + 1]]
        return [(self.text[at:stop], code) for (at, stop), code in zip(pairwise(cuts), kinds, strict=True)]

"""What the passes share: the document, its settings, its blocks and headings, and weights."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, compress
from operator import sub
from typing import Any, Final

from headnote.chunking.draft import Draft
from headnote.chunking.masking import MASK, condensed, masked, may_hold_data_uris, strip_data_uris
from headnote.chunking.settings import Settings
from headnote.lines import with_plain_line_ends
from headnote.markdown.document import Document
from headnote.markdown.headings import HeadingStack
from headnote.markdown.rules.rule import Span
from headnote.model import CODE_LIKE
from headnote.model.chunk import leading_breadcrumb
from headnote.tokens import Counter, get_counter
from headnote.tokens.seams import pieces_between, seams_of_lines

MARGIN: Final = 8
"""Tokens. Weights include the blank lines after a block. This near the cap they decide nothing: the text is counted."""
_CHARACTERS_PER_TOKEN: Final = 4
"""A low estimate. A block with more characters than that for each allowed token will probably be split."""
MANY_BLANKS: Final = 8
"""Characters. A longer run of blanks may weigh so much that it is weighed apart from the text beside it."""
_FENCE = re.compile(r"([ \t]*+)(`{3,}+|~{3,}+)")


def _folded(name: str) -> str:
    """A name without differences of case and blanks."""
    return " ".join(name.casefold().split())


def seen(text: str) -> str:
    """What is embedded of a masked text."""
    return strip_data_uris(condensed(text))


class ChunkingContext:
    """A document and the settings to chunk it by. No pass changes what it says.

    Blocks are known by their index in `blocks`, where blocks of nothing but blanks are missing.
    """

    def __init__(self, document: Document, settings: Settings, totals: list[int] | None = None) -> None:
        self.document = document
        self.text = text = document.text
        self.masked = text if settings.comments else masked(text, document.comments)
        """The text with masks in place of comments that do not count."""
        self.path = document.path
        self.settings = settings
        self.mdx = document.mdx
        self.blocks: list[Span] = document.spans
        self.starts: list[int] = []
        """Where each block begins, then where the last one ends."""
        self.headings: list[int] = []
        """Indices of the blocks that are headings."""
        has_odd_starts = self._look_through_blocks()
        self._numbers = self._leave_out_blank_blocks() if has_odd_starts else None
        self.first_heading: int = self.headings[0] if self.headings else len(self.blocks)
        """Index of the first block that is a heading; past the end if there is none."""
        self._heading_paths = self._paths()
        """Heading stack before the first heading, then after each."""
        self.final_suffix = self._final_suffix()
        """What closes the last block, if it is a fence that is left open to the end of the file."""
        self.first_block = self._first_block()
        self.counter: Counter = get_counter(settings.counter, settings.bias)
        self._per_character: int | None = self.counter.per_character
        self.margin: int = MARGIN * self.counter.unit
        """Weight of `MARGIN` tokens."""
        self.max_weight = settings.max_tokens * self.counter.unit
        self._may_have_pictures = may_hold_data_uris(text)
        self.leaves_out: bool = MASK in self.masked or self._may_have_pictures
        """Whether something may not be embedded: comments and pictures."""
        self.parents_in_text = settings.include_parent_headers and settings.strategy == "header"
        self.has_breadcrumbs = settings.breadcrumb or self.parents_in_text
        self._title: str | None = None if settings.document_title else ""
        self._names_title: dict[str, bool] = {}
        """Outermost heading → whether it says what the title says."""
        self.max_breadcrumb_weight = self._max_breadcrumb_weight()
        self._breadcrumbs: dict[tuple[str, ...], tuple[str, int]] = {}
        self._heading_breadcrumbs: dict[tuple[str, ...], tuple[str, int]] = {(): ("", 0)}
        self.adds_up = self.counter.adds != "never" and not (has_odd_starts and self._begin_off_seams())
        """Whether the weights of blocks add up, give or take the blank lines at the very end."""
        self._may_begin_on_seams = self.adds_up and not has_odd_starts
        self._begins_on_seams: bool | None = None
        self.safe_weight = self._safe_weight()
        """Text of at most this weight keeps the cap, whatever its breadcrumb."""
        self.weight_before: dict[int, int] = {}
        """Weight of everything before a seam, at blocks and at lines of blocks that are likely to be split."""
        self.totals: list[int] = self._totals() if totals is None else totals
        """Weight of everything before each block; the difference of two is the weight of the blocks between them."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled objects have no dictionary to pickle. What costs time, the spans and the weights, is sent.
        return ChunkingContext, (self.document, self.settings, self.totals)

    def _look_through_blocks(self) -> bool:
        """Note where blocks begin and which of them are headings.

        Returns whether one begins with a blank or a slash. All others are not blank, and weights add up where they
        begin.
        """
        text = self.text
        starts: list[int] = []
        headings: list[int] = []
        has_odd_starts = False
        for index, block in enumerate(self.blocks):
            start = block[1]
            starts.append(start)
            first = text[start]
            if first == "/" or first.isspace():
                has_odd_starts = True
            if block[0] == "heading":
                headings.append(index)
        starts.append(self.blocks[-1][2] if self.blocks else 0)
        self.starts, self.headings = starts, headings
        return has_odd_starts

    def _leave_out_blank_blocks(self) -> list[int] | None:
        """Drop blocks of blanks that are none to Markdown (U+00A0, a form feed): they are gaps between blocks.

        Returns the number of each block in the document, or None if nothing was dropped.
        """
        text, blocks = self.text, self.blocks
        has_content = [not text[start].isspace() or not text[start:end].isspace() for _, start, end, _, _ in blocks]
        if all(has_content):
            return None
        self.blocks = list(compress(blocks, has_content))
        self._look_through_blocks()
        return list(compress(range(len(blocks)), has_content))

    @property
    def begins_on_seams(self) -> bool:
        """Whether the weights of blocks also add up with any lines before them, such as a breadcrumb."""
        if self._begins_on_seams is None:
            before = {self.text[start - 1] for start in self.starts[1:-1]} if self._may_begin_on_seams else {""}
            self._begins_on_seams = before <= {"\n", "\r"}
        return self._begins_on_seams

    def _first_block(self) -> int:
        """Index of the first block that belongs to a chunk."""
        has_frontmatter = bool(self.blocks) and self.blocks[0][0] == "frontmatter"
        return 1 if has_frontmatter and self.settings.frontmatter != "include" else 0

    def _max_breadcrumb_weight(self) -> int:
        """Half of a chunk, and never so much that no character fits below it."""
        below_a_character = self.max_weight - self.counter.widest * self.counter.unit
        return min(self.max_weight // 2, max(below_a_character, 0))

    def _begin_off_seams(self) -> bool:
        """Whether there are blocks at whose beginning weights do not add up."""
        starts = self.starts[1:-1]
        return self.counter.seams_before(self.text, starts) != starts

    def _safe_weight(self) -> int:
        if not self.adds_up:
            return -1
        breadcrumb = self.max_breadcrumb_weight if self.has_breadcrumbs else 0
        return self.max_weight - breadcrumb - self.margin

    # -- blocks and headings

    def number_of(self, index: int) -> int:
        """The number of a block in the document, where blocks of blanks count too."""
        return self._numbers[index] if self._numbers else index

    def _paths(self) -> list[tuple[str, ...]]:
        stack = HeadingStack()
        blocks = self.blocks
        paths: list[tuple[str, ...]] = [()]
        texts: list[str] = self.document.heading_texts(blocks, self.headings)
        for number, index in enumerate(self.headings):
            paths.append(stack.push(blocks[index][3], texts[number]))
        return paths

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

        Text above the first heading of the document belongs to that heading, if it is one of them.
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
        """Whether its last block is a heading, although something follows in the document."""
        return self.blocks[draft.block_end][0] == "heading" and draft.block_end + 1 < len(self.blocks)

    def _final_suffix(self) -> str:
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

    # -- weights

    def _totals(self) -> list[int]:
        if self._per_character == 1 and not self.leaves_out:
            return self.starts
        if self.counter.adds == "seams" and not self._may_have_pictures:
            return self._totals_by_lines()
        return list(accumulate(self._weights_of_blocks(), initial=0))

    def _weights_of_blocks(self) -> list[int]:
        """Weight of what is embedded of each block. Where only lengths count, just those with a mask are taken out."""
        starts, masked_text, each = self.starts, self.masked, self._per_character
        if each is None or self._may_have_pictures:
            code = [block[0] in CODE_LIKE for block in self.blocks]
            if not self.leaves_out:
                return self.counter.weigh_pieces(self.text, starts, code)
            return self.counter.weigh(self._seen(pieces_between(masked_text, starts)), code)
        weights = self._weights_by_length(starts, each)
        for index in self._masked_blocks():
            weights[index] = self.weigh_texts((masked_text[starts[index] : starts[index + 1]],), False)[0]
        return weights

    def _masked_blocks(self) -> list[int]:
        """Indices of the blocks that have a mask."""
        found: list[int] = []
        at = self.masked.find(MASK) if self.leaves_out else -1
        while at >= 0:
            index = bisect_right(self.starts, at) - 1
            found.append(index)
            at = self.masked.find(MASK, self.starts[index + 1])
        return found

    def _totals_by_lines(self) -> list[int]:
        """The same, with every text counted once: to split a block, most often weights of its lines are needed."""
        starts, most = self.starts, self.settings.max_tokens * _CHARACTERS_PER_TOKEN
        masked_blocks = dict.fromkeys(self._masked_blocks())
        large = [
            index
            for index in range(len(self.blocks))
            if starts[index + 1] - starts[index] > most and index not in masked_blocks
        ]
        cuts: list[int] = []
        following = 0
        for index in large:
            cuts += starts[following : index + 1]
            following = index + 1
            cuts += seams_of_lines(self.text, starts[index], starts[following])
        cuts += starts[following:]
        weights = self.counter.weigh_pieces(self.text, cuts)
        if masked_blocks:
            seen_texts = [seen(self.masked[starts[index] : starts[index + 1]]) for index in masked_blocks]
            for index, weight in zip(masked_blocks, self.counter.weigh(seen_texts), strict=True):
                weights[bisect_left(cuts, starts[index])] = weight
        totals = list(accumulate(weights, initial=0))
        if not large:
            return totals
        self.weight_before = before = dict(zip(cuts, totals, strict=True))
        return [before[start] for start in starts]

    def forget_lines(self) -> None:
        """Nothing is split any more. A chunk keeps the context, and a large block may have a million lines."""
        self.weight_before = {}

    def weigh_texts(self, texts: Sequence[str], code: bool) -> list[int]:
        """Weight of what is embedded of each text."""
        if self.leaves_out:
            texts = self._seen(texts)
        return self.counter.weigh(texts, [code] * len(texts))

    def _seen(self, texts: Sequence[str]) -> list[str]:
        """What is embedded of each text: all of it in most documents with a comment, but for the one block."""
        has_pictures = self._may_have_pictures
        return [seen(text) if has_pictures or MASK in text else text for text in texts]

    def weigh_pieces(self, text: str, cuts: Sequence[int], code: bool) -> list[int]:
        """Weight of what is embedded of the text between each two neighbouring cuts."""
        if self._may_have_pictures or (self.leaves_out and MASK in text):
            return self.weigh_texts(pieces_between(text, cuts), code)
        if self._per_character is not None:
            return self._weights_by_length(cuts, self._per_character)
        return self.counter.weigh_pieces(text, cuts, [code] * (len(cuts) - 1))

    def _weights_by_length(self, cuts: Sequence[int], each: int) -> list[int]:
        """The same where every character weighs the same and nothing is left out."""
        lengths = list(map(sub, cuts[1:], cuts))
        return lengths if each == 1 else [length * each for length in lengths]

    def breadcrumb(self, path: tuple[str, ...]) -> tuple[str, int]:
        """The breadcrumb as it stands in front of a chunk, and its weight.

        One that is too heavy loses the title, then its outermost headings.
        """
        known = self._breadcrumbs.get(path)
        if known is None:
            known = self._breadcrumbs[path] = self._weighed_breadcrumb(self.titled(path)) or self.headings_only(path)
        return known

    def headings_only(self, path: tuple[str, ...]) -> tuple[str, int]:
        """The same without the title of the document."""
        known = self._heading_breadcrumbs.get(path)
        if known is None:
            known = self._weighed_breadcrumb(path) or self.headings_only(path[1:])
            self._heading_breadcrumbs[path] = known
        return known

    def _weighed_breadcrumb(self, names: tuple[str, ...]) -> tuple[str, int] | None:
        """Names as a breadcrumb, and its weight; None if it is too heavy."""
        if not self.has_breadcrumbs:
            return "", 0
        text = leading_breadcrumb(names)
        each = self._per_character
        weight = self.counter.weigh((text,))[0] if each is None else len(text) * each
        return (text, weight) if weight <= self.max_breadcrumb_weight else None

    def titled(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """A heading path below the title of the document, unless its outermost heading says the same."""
        title = self._title
        if title is None:
            # Most frontmatter is never read: only what is heavy asks how much room its breadcrumb leaves.
            title = self._title = self.document.given_title
        if not title:
            return path
        outermost = next(filter(None, path), "")
        is_said = self._names_title.get(outermost)
        if is_said is None:
            is_said = self._names_title[outermost] = _folded(outermost) == _folded(title)
        return path if is_said else (title, *path)

    def text_limit(self, path: tuple[str, ...]) -> int:
        """Weight that a breadcrumb leaves for the text below it."""
        return self.max_weight - self.breadcrumb(path)[1]

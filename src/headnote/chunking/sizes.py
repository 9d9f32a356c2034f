"""How large a chunk is, and whether it keeps the cap.

Sums of weights answer most questions for free, but they are exact only up to the blank lines at the end of a chunk. So
the weight decides far from the cap, and near it the text itself is counted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import add

from headnote.chunking.context import MANY_BLANKS, ChunkingContext
from headnote.chunking.data_uris import strip_data_uris
from headnote.chunking.draft import Draft
from headnote.chunking.rendering import OVERLAP_SEPARATORS, ChunkLike, embedded_text
from headnote.model import CODE_LIKE


def fits(context: ChunkingContext, draft: Draft) -> bool:
    """Whether a draft keeps the cap."""
    if context.adds_up and draft.adds_up:
        estimate = draft.weight + context.breadcrumb(draft.heading_path)[1]
        if estimate <= context.max_weight - context.margin:
            return True
        if estimate > context.max_weight + context.margin and not _has_long_gap_behind(context, draft):
            return False
    return size(context, draft) <= context.settings.max_tokens


def _has_long_gap_behind(context: ChunkingContext, draft: Draft) -> bool:
    """Whether so many blanks follow that they, and not the text, may be what weighs too much."""
    following = draft.block_end + 1
    return following < len(context.blocks) and context.blocks[following][1] - draft.end > MANY_BLANKS


def size(context: ChunkingContext, chunk: ChunkLike) -> int:
    """Tokens of what is embedded, counted."""
    return sizes(context, (chunk,))[0]


def sizes(context: ChunkingContext, chunks: Sequence[ChunkLike]) -> list[int]:
    """The same for many."""
    if context.counter.adds == "anywhere" and context.counter.per_character is None:
        if context.settings.strategy == "window":  # measured as it was cut: by the text, whatever the blocks in it
            return [context.counter.count(embedded_text(context, chunk)) for chunk in chunks]
        return [_size_by_blocks(context, chunk) for chunk in chunks]
    known: list[int] = []
    texts: list[str] = []
    for chunk in chunks:
        weight, rest = _weighed(context, chunk)
        known.append(weight)
        texts.append(rest)
    return list(map(context.counter.size, map(add, known, context.counter.weigh(texts))))


def _weighed(context: ChunkingContext, chunk: ChunkLike) -> tuple[int, str]:
    """What is known of the weight of a chunk, and the text that is still to be weighed: its last block, where the blank
    lines behind it are left out, or all of it where weights do not add up."""
    first, last = chunk.block_start, chunk.block_end
    has_more = chunk.prefix or chunk.suffix or chunk.overlap or context.has_pictures
    if has_more or not context.begins_on_seams or context.starts[first] != chunk.start:
        return 0, embedded_text(context, chunk)
    start = context.starts[last]
    weight = context.breadcrumb(chunk.heading_path)[1] + context.totals[last] - context.totals[first]
    return weight, context.text[start : chunk.end]


def _size_by_blocks(context: ChunkingContext, chunk: ChunkLike) -> int:
    """An estimate depends on which blocks are code, so they are weighed one by one, carried ones included."""
    first = max(bisect_right(context.starts, chunk.start, hi=len(context.blocks)) - 1, 0)
    last = bisect_left(context.starts, chunk.end, first + 1) - 1
    own = _texts_of_blocks(context, chunk.start, chunk.end, first, last)
    own[0] = (chunk.prefix + own[0][0], own[0][1])
    own[-1] = (own[-1][0] + chunk.suffix, own[-1][1])
    texts = [(context.breadcrumb(chunk.heading_path)[0], False), *_carried_texts(context, chunk, first), *own]
    weights = context.counter.weigh([strip_data_uris(text) for text, _ in texts], [is_code for _, is_code in texts])
    return context.counter.size(sum(weights))


def _carried_texts(context: ChunkingContext, chunk: ChunkLike, first: int) -> list[tuple[str, bool]]:
    """The overlap of a chunk that begins in block `first`, by blocks where it consists of whole ones."""
    if not chunk.overlap:
        return []
    if (separator := OVERLAP_SEPARATORS.get(context.settings.strategy)) is not None:
        return [(chunk.overlap + separator, False)]
    last = first - 1
    end = context.blocks[last][2]
    first = bisect_left(context.starts, end - len(chunk.overlap))
    return [*_texts_of_blocks(context, context.starts[first], end, first, last), ("\n\n", False)]


def _texts_of_blocks(context: ChunkingContext, start: int, end: int, first: int, last: int) -> list[tuple[str, bool]]:
    """A range of the text by blocks, each with the blank lines behind it, and whether it is code."""
    cuts = [start, *context.starts[first + 1 : last + 1], end]
    code = [block[0] in CODE_LIKE for block in context.blocks[first : last + 1]]
    return [(context.text[at:stop], is_code) for (at, stop), is_code in zip(pairwise(cuts), code, strict=True)]

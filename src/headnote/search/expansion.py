"""Hits widened to the text around them: their neighbours, or all of their section."""

from __future__ import annotations

from collections.abc import Sequence

from headnote.model import Hit
from headnote.search.query import Expand
from headnote.store.rows import StoredChunk


def widened(hit: Hit, chunks: Sequence[StoredChunk], expand: Expand) -> Hit:
    """The hit over more of its document. `chunks` are all chunks of that document, in order.

    Its score, id and reasons stay its own.
    """
    at = next((place for place, chunk in enumerate(chunks) if chunk.key == hit.key), None)
    if at is None or expand not in _EXTENTS:
        return hit
    first, last = _EXTENTS[expand](chunks, at)
    if first == last:
        return hit
    start, end = chunks[first].row, chunks[last].row
    return hit._replace(
        text=chunks[at].source[start.start : end.end],
        start=start.start,
        end=end.end,
        start_line=start.start_line,
        end_line=end.end_line,
        tokens=sum(chunk.row.tokens for chunk in chunks[first : last + 1]),
        lead=0,
    )


def _neighbours(chunks: Sequence[StoredChunk], at: int) -> tuple[int, int]:
    return max(at - 1, 0), min(at + 1, len(chunks) - 1)


def _section(chunks: Sequence[StoredChunk], at: int) -> tuple[int, int]:
    """The heading above the chunk and everything below that heading."""
    path = chunks[at].row.heading_path
    first = last = at
    while first > 0 and _is_below(chunks[first - 1], path):
        first -= 1
    while last + 1 < len(chunks) and _is_below(chunks[last + 1], path):
        last += 1
    return first, last


def _is_below(chunk: StoredChunk, path: tuple[str, ...]) -> bool:
    # The section before the first heading holds only chunks without a heading.
    own = chunk.row.heading_path
    return own[: len(path)] == path if path else not own


_EXTENTS = {"neighbours": _neighbours, "section": _section}

"""Headings with the extent of everything below each: the map of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headnote.model import Block, Heading


class OutlineEntry(NamedTuple):
    """A heading and its subtree: everything up to the next heading of the same or a higher level."""

    heading: Heading
    """The heading itself."""
    start: int
    """Offset of the first character of the heading."""
    end: int
    """Offset just past the last character of the subtree; blank lines at its end are not part of it."""
    start_line: int
    """Line of the heading, 1-based."""
    end_line: int
    """Last line of the subtree, inclusive."""


def outline(headings: Sequence[Heading], blocks: Sequence[Block]) -> list[OutlineEntry]:
    """Every heading in order. Unlike sections, entries nest: a chapter contains its subchapters."""
    return [
        _entry(heading, blocks[heading.block], blocks[block_after - 1])
        for heading, block_after in zip(headings, _subtree_ends(headings, len(blocks)), strict=True)
    ]


def find_heading(entries: Sequence[OutlineEntry], name: str) -> OutlineEntry | None:
    """The first heading with this text or anchor; case and hashes in front do not matter."""
    plain = name.strip().lstrip("#").strip().casefold()
    named = (entry for entry in entries if plain in (entry.heading.text.casefold(), entry.heading.slug.casefold()))
    return next(named, None)


def _entry(heading: Heading, first: Block, last: Block) -> OutlineEntry:
    return OutlineEntry(heading, first.start, last.end, first.start_line, last.end_line)


def _subtree_ends(headings: Sequence[Heading], block_count: int) -> list[int]:
    """For each heading the index of the first block that no longer belongs to it."""
    ends = [block_count] * len(headings)
    still_open: list[int] = []
    for position, heading in enumerate(headings):
        while still_open and headings[still_open[-1]].level >= heading.level:
            ends[still_open.pop()] = heading.block
        still_open.append(position)
    return ends

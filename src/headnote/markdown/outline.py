"""Headings with the extent of everything below each: the map of a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headnote.lines import with_plain_line_ends
from headnote.markdown.rules.rule import Span
from headnote.model import Heading


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


def outline(text: str, headings: Sequence[Heading], spans: Sequence[Span]) -> list[OutlineEntry]:
    """Every heading in order. Unlike sections, entries nest: a chapter contains its subchapters."""
    if not headings:
        return []
    lines = with_plain_line_ends(text) if "\r" in text else text
    first_lines = {heading.block: heading.start_line for heading in headings}
    last = headings[-1]
    last_line = last.start_line + lines.count("\n", spans[last.block][1], spans[-1][2])
    entries: list[OutlineEntry] = []
    for heading, span_after in zip(headings, _subtree_ends(headings, len(spans)), strict=True):
        start, end = spans[heading.block][1], spans[span_after - 1][2]
        end_line = last_line
        if span_after < len(spans):
            # The line of the next heading is known, and hardly more than a blank line lies in between.
            end_line = first_lines[span_after] - lines.count("\n", end, spans[span_after][1])
        entries.append(tuple.__new__(OutlineEntry, (heading, start, end, heading.start_line, end_line)))
    return entries


def find_heading(entries: Sequence[OutlineEntry], name: str) -> OutlineEntry | None:
    """The first heading with this text or anchor; case and hashes in front do not matter."""
    plain = name.strip().lstrip("#").strip().casefold()
    named = (entry for entry in entries if plain in (entry.heading.text.casefold(), entry.heading.slug.casefold()))
    return next(named, None)


def _subtree_ends(headings: Sequence[Heading], block_count: int) -> list[int]:
    """For each heading the index of the first block that no longer belongs to it."""
    ends = [block_count] * len(headings)
    still_open: list[int] = []
    for position, heading in enumerate(headings):
        while still_open and headings[still_open[-1]].level >= heading.level:
            ends[still_open.pop()] = heading.block
        still_open.append(position)
    return ends

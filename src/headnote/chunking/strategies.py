"""Each strategy is a list of passes, in the order they run."""

from __future__ import annotations

from collections.abc import Callable

from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.passes import lone_headings, merge, overlap, pack, paragraphs, sections, window
from headnote.chunking.settings import Strategy

Pass = Callable[[ChunkingContext, list[Draft]], list[Draft]]

STRATEGIES: dict[Strategy, tuple[Pass, ...]] = {
    "window": (
        sections.by_heading_or_whole,
        window.join_short_file,
        window.split,
    ),
    "header": (
        sections.by_heading_or_paragraph,
        paragraphs.merge_adjacent,
        paragraphs.split,
        overlap.last_characters,
    ),
    "section": (
        sections.by_heading,
        paragraphs.without_heading,
        paragraphs.merge_siblings,
        paragraphs.split,
        overlap.whole_blocks,
    ),
    "block": (
        sections.by_boundaries,
        pack.pack,
        merge.small,
        lone_headings.with_content,
        overlap.whole_blocks,
    ),
    "none": (sections.whole,),
}

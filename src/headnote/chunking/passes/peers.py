"""Other ways to cut a text, imitated exactly, to be compared with ours: what many people use today. They are no
presets: no index is made with them, and they know nothing of headings, fences or tables.

A test holds each against the original, byte for byte.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from headnote.chunking.aliases import translate
from headnote.chunking.budgets import with_changes
from headnote.chunking.context import ChunkingContext
from headnote.chunking.draft import Draft
from headnote.chunking.passes import sections
from headnote.chunking.settings import Settings
from headnote.errors import SettingsError

Range = tuple[int, int]
"""Offsets of a piece of the text, the end not included."""

SEPARATORS = ("\n\n", "\n", " ", "")
"""Those of LangChain's splitter: paragraphs, lines, words, characters. A piece begins with its separator."""


def whole_text(context: ChunkingContext, _: list[Draft]) -> list[Draft]:
    """All of the text, its frontmatter and blanks included, as one draft."""
    return [_draft(context, 0, len(context.text))] if context.blocks else []


def recursively(context: ChunkingContext, _: list[Draft]) -> list[Draft]:
    """As `RecursiveCharacterTextSplitter` of langchain-text-splitters does by default: at the coarsest separator, finer
    where a piece is too large; neighbours are joined while they fit, and the last ones begin the next chunk, too."""
    size, overlap = context.settings.max_tokens, context.settings.overlap_tokens
    drafts: list[Draft] = []
    shown = 0
    for start, end in _recursive(context.text, (0, len(context.text)), SEPARATORS, size, overlap):
        own = max(start, shown)
        drafts.append(_draft(context, own, end, context.text[start:own]))
        shown = end
    return drafts


def _recursive(text: str, within: Range, separators: tuple[str, ...], size: int, overlap: int) -> Iterator[Range]:
    start, end = within
    at = next(at for at, one in enumerate(separators) if text.find(one, start, end) >= 0)
    separator, finer = separators[at], separators[at + 1 :]
    cuts = [start, *_occurrences(text, separator, start, end), end] if separator else range(start, end + 1)
    fitting: list[Range] = []
    for piece in pairwise(cuts):
        if piece[1] - piece[0] < size:
            fitting.append(piece)
            continue
        yield from _joined(text, fitting, size, overlap)
        fitting = []
        yield from _recursive(text, piece, finer, size, overlap) if finer else [piece]
    yield from _joined(text, fitting, size, overlap)


def _occurrences(text: str, separator: str, start: int, end: int) -> Iterator[int]:
    at = text.find(separator, start, end)
    while at >= 0:
        if at > start:
            yield at
        at = text.find(separator, at + len(separator), end)


def _joined(text: str, pieces: Iterable[Range], size: int, overlap: int) -> Iterator[Range]:
    """Neighbours together as long as they fit; without the blanks at their ends, and without those of blanks alone."""
    run: deque[Range] = deque()
    for piece in pieces:
        if run and piece[1] - run[0][0] > size:
            yield from _stripped(text, run)
            while run and (piece[0] - run[0][0] > overlap or piece[1] - run[0][0] > size):
                run.popleft()
        run.append(piece)
    if run:
        yield from _stripped(text, run)


def _stripped(text: str, run: deque[Range]) -> Iterator[Range]:
    start, end = run[0][0], run[-1][1]
    inner = text[start:end].strip()
    if inner:
        start = text.index(inner, start)
        yield start, start + len(inner)


def _draft(context: ChunkingContext, start: int, end: int, overlap: str = "") -> Draft:
    starts = context.starts
    first = max(bisect_right(starts, start) - 1, 0)
    last = max(min(bisect_right(starts, end - 1), len(context.blocks)) - 1, first)
    path = context.content_path(first, last)
    return Draft(start=start, end=end, block_start=first, block_end=last, heading_path=path, section=0, overlap=overlap)


class Peer(NamedTuple):
    """A way to cut, with its usual sizes."""

    about: str
    settings: Settings
    passes: tuple[Callable[[ChunkingContext, list[Draft]], list[Draft]], ...]

    def with_sizes(self, given: Mapping[str, Any]) -> Settings:
        """The same with other sizes; there is nothing else to set."""
        changes = translate(given)
        if others := changes.keys() - SIZES:
            raise SettingsError(
                f"{min(others)} does not apply here", remedy=f"set {' or '.join(SIZES)}, or choose a preset"
            )
        return with_changes(self.settings, changes)


SIZES = ("max_tokens", "overlap_tokens")

# Every character counts, and nothing is added to the text.
_AS_WRITTEN: dict[str, Any] = {
    "strategy": "window",
    "boundaries": "paragraph",
    "min_tokens": 0,
    "merge": False,
    "frontmatter": "include",
    "breadcrumb": False,
    "document_title": False,
    "comments": True,
}

PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "fixed": Peer(
            "A cut after every so many tokens, whatever stands there",
            Settings(**_AS_WRITTEN, max_tokens=512, target_tokens=512),
            (whole_text, sections.split),
        ),
        "langchain": Peer(
            "LangChain's RecursiveCharacterTextSplitter, imitated exactly; sizes are characters",
            Settings(**_AS_WRITTEN, counter="chars", max_tokens=1000, target_tokens=1000, overlap_tokens=200),
            (recursively,),
        ),
    }
)
"""Name → how it cuts."""

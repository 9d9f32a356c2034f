"""The readable view of chunks: where each begins and ends, how large it is, and which of its text is its own."""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from headnote.chunking.data_uris import strip_data_uris
from headnote.chunking.settings import Settings
from headnote.cli.chunk_work import ChunkedFile
from headnote.cli.terminal import Line, Span
from headnote.model import Chunk

WIDEST = 100
WIDTH_WHEN_PIPED = 80
BAR = 16
"""Cells of a bar that is full at the cap."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LINE_END = re.compile(r"\r\n|\r|\n")

OWN, CARRIED, ADDED = Span("│", "dim"), Span("┊", "dim"), Span("+", "green")
"""The gutter of each line: the chunk's own text, overlap, and what was added to make it readable on its own."""
_STYLE_OF_TEXT = {OWN: "", CARRIED: "dim", ADDED: "green"}


class Pieces(NamedTuple):
    """The text of a chunk by origin."""

    overlap: str
    before: str
    """Added in front: headings, a reopened fence, a repeated table header."""
    own: str
    after: str
    """Added at the end: a closing fence."""


def pieces_of(chunk: Chunk) -> Pieces:
    """Own text is as long as its range in the source, and everything after it is the suffix."""
    text = chunk.text
    end = len(text) - len(chunk.suffix)
    start = end - (chunk.end - chunk.start)
    before = text[:start]
    if chunk.overlap and before.startswith(chunk.overlap):
        before = before[len(chunk.overlap) :]
    return Pieces(chunk.overlap, before, text[start:end], chunk.suffix)


def view(file: ChunkedFile, settings: Settings) -> list[Line]:
    """All chunks of one file."""
    if not file.chunks:
        return [[Span(file.document.path, "cyan"), Span("  no chunks: only blank lines", "dim")], []]
    width = _width()
    parts = Counter(chunk.section for chunk in file.chunks)
    seen: Counter[int] = Counter()
    lines: list[Line] = []
    for chunk in file.chunks:
        seen[chunk.section] += 1
        part = f"part {seen[chunk.section]} of {parts[chunk.section]}" if chunk.is_split else ""
        lines.append(_boundary(chunk, width))
        lines.append(_facts(chunk, settings, part))
        lines += _text(chunk)
        lines.append([])
    return lines


def _boundary(chunk: Chunk, width: int) -> Line:
    above = "".join(f"{heading} > " for heading in chunk.heading_path[:-1])
    spans = [Span("── ", "dim"), Span(f"{chunk.index}  ", "bold")]
    if chunk.heading_path:
        spans += [Span(above, "magenta"), Span(chunk.title, "bold magenta")]
    else:
        spans.append(Span("(no heading)", "dim"))
    used = sum(_cells(span.text) for span in spans) + 1
    return [*spans, Span(" " + "─" * max(2, width - used), "dim")]


def _facts(chunk: Chunk, settings: Settings, part: str) -> Line:
    is_over = chunk.tokens > settings.max_tokens
    spans = [
        Span(f"   {chunk.path}:{chunk.start_line}-{chunk.end_line}", "cyan"),
        Span(f"  {chunk.tokens:,} {unit_of(settings)} "),
        *size_bar(chunk.tokens, settings),
        Span(f" max {settings.max_tokens:,}", "bold red" if is_over else "dim"),
    ]
    return [*spans, Span(f"  {part}", "yellow")] if part else spans


def unit_of(settings: Settings) -> str:
    """The unit of all sizes."""
    return "chars" if settings.counter == "chars" else "tokens"


def size_bar(size: int, settings: Settings) -> list[Span]:
    """How full a chunk is, in eighths of a cell."""
    filled = bar(size, settings.max_tokens, BAR)
    return [Span("▕", "dim"), Span(filled.ljust(BAR), _colour_of(size, settings)), Span("▏", "dim")]


def _colour_of(size: int, settings: Settings) -> str:
    if size > settings.max_tokens:
        return "red"
    return "yellow" if size < settings.min_tokens else "green"


def bar(size: int, full: int, cells: int) -> str:
    """A bar with all cells filled at `full` or more, and visible for any size above 0."""
    eighths = min(8 * cells, -(-size * 8 * cells // full)) if full else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _text(chunk: Chunk) -> Iterator[Line]:
    pieces = pieces_of(chunk)
    for gutter, text in ((CARRIED, pieces.overlap), (ADDED, pieces.before), (OWN, pieces.own), (ADDED, pieces.after)):
        for line in _LINE_END.split(strip_data_uris(text).strip("\r\n")) if text.strip() else ():
            shown = line.expandtabs(4).rstrip(" ")
            yield [gutter, Span(f" {shown}", _STYLE_OF_TEXT[gutter])] if shown else [gutter]


def _width() -> int:
    return min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else WIDTH_WHEN_PIPED


def _cells(text: str) -> int:
    """Width on a terminal, where wide characters take two cells."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)

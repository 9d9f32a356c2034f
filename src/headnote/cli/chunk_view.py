"""Chunks as the command shows them, made by worker processes: as JSON lines, as a readable view, or counted."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import msgspec

from headnote.chunking.chunker import chunk_document, read_document
from headnote.chunking.masking import strip_data_uris
from headnote.chunking.presets import make_settings
from headnote.chunking.records import cut_blocks
from headnote.chunking.settings import Settings
from headnote.cli.formatting import counted
from headnote.cli.terminal import StyledLine, StyledText, escape_json
from headnote.errors import SourceError
from headnote.markdown.document import Document
from headnote.model import Chunk
from headnote.sources.chunks import on_each_file
from headnote.sources.files import STDIN, decode, read_dated

# -- Chunk files in worker processes, and turn the chunks of each into output there.


Output = TypeVar("Output")

_ENCODER = msgspec.json.Encoder()


class ChunkRecipe(NamedTuple):
    """How to chunk every file. It is sent to worker processes, so it holds plain data."""

    preset: str
    settings: dict[str, Any]
    """Every setting by name."""
    name_of_stdin: str


class ChunkedFile(NamedTuple):
    """A file and its chunks."""

    document: Document
    chunks: list[Chunk]


def chunk_all(
    files: Sequence[str | SourceError],
    recipe: ChunkRecipe,
    render: Callable[[ChunkedFile], Output],
    workers: int | None,
) -> Iterator[Output | SourceError]:
    """The output of each file, in the order of the files."""
    work = partial(_output, recipe, render)
    for is_stdin, run in groupby(files, lambda file: file == STDIN):
        # Only this process can read its standard input.
        yield from on_each_file(work, list(run), 1 if is_stdin else workers)


def _output(recipe: ChunkRecipe, render: Callable[[ChunkedFile], Output], path: str) -> Output:
    return render(_chunk_file(recipe, path))


def _chunk_file(recipe: ChunkRecipe, path: str) -> ChunkedFile:
    name, modified = path, None
    if path == STDIN:
        name = recipe.name_of_stdin
        text = decode(sys.stdin.buffer.read(), name)
    else:
        text, modified = read_dated(path)
    settings = make_settings(recipe.preset, **recipe.settings)
    document = read_document(text, name, settings)
    return ChunkedFile(document, chunk_document(document, settings, modified))


def json_lines(file: ChunkedFile, ascii_only: bool = False) -> bytes:
    """One JSON object per chunk and line. `ascii_only` is for streams that take nothing else."""
    records = [chunk.to_dict() for chunk in file.chunks]
    if not ascii_only:
        try:
            return escape_json(_ENCODER.encode_lines(records))
        except UnicodeEncodeError:
            # A file name need not be Unicode. JSON escapes can hold it anyway.
            pass
    return b"".join(json.dumps(record).encode("ascii") + b"\n" for record in records)


# -- The readable view of chunks


WIDEST = 100
WIDTH_WHEN_PIPED = 80
BAR = 16
"""Cells of a bar that is full at the cap."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LINE_END = re.compile(r"\r\n|\r|\n")

OWN, CARRIED, ADDED = StyledText("│", "dim"), StyledText("┊", "dim"), StyledText("+", "green")
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


def view(file: ChunkedFile, settings: Settings) -> list[StyledLine]:
    """All chunks of one file."""
    if not file.chunks:
        return [[StyledText(file.document.path, "cyan"), StyledText("  no chunks: only blank lines", "dim")], []]
    width = _width()
    parts = Counter(chunk.section for chunk in file.chunks)
    seen: Counter[int] = Counter()
    lines: list[StyledLine] = []
    for chunk in file.chunks:
        seen[chunk.section] += 1
        part = f"part {seen[chunk.section]} of {parts[chunk.section]}" if chunk.is_split else ""
        lines.append(_boundary(chunk, width))
        lines.append(_facts(chunk, settings, part))
        lines += _text(chunk)
        lines.append([])
    return lines


def _boundary(chunk: Chunk, width: int) -> StyledLine:
    above = "".join(f"{heading} > " for heading in chunk.heading_path[:-1])
    spans = [StyledText("── ", "dim"), StyledText(f"{chunk.index}  ", "bold")]
    if chunk.heading_path:
        spans += [StyledText(above, "magenta"), StyledText(chunk.title, "bold magenta")]
    else:
        spans.append(StyledText("(no heading)", "dim"))
    used = sum(_cells(span.text) for span in spans) + 1
    return [*spans, StyledText(" " + "─" * max(2, width - used), "dim")]


def _facts(chunk: Chunk, settings: Settings, part: str) -> StyledLine:
    is_over = chunk.tokens > settings.max_tokens
    spans = [
        StyledText(f"   {chunk.path}:{chunk.start_line}-{chunk.end_line}", "cyan"),
        StyledText(f"  {chunk.tokens:,} {unit_of(settings)} "),
        *size_bar(chunk.tokens, settings),
        StyledText(f" max {settings.max_tokens:,}", "bold red" if is_over else "dim"),
    ]
    return [*spans, StyledText(f"  {part}", "yellow")] if part else spans


def unit_of(settings: Settings) -> str:
    """The unit of all sizes."""
    return "chars" if settings.counter == "chars" else "tokens"


def size_bar(size: int, settings: Settings) -> list[StyledText]:
    """How full a chunk is, in eighths of a cell."""
    filled = bar(size, settings.max_tokens, BAR)
    return [StyledText("▕", "dim"), StyledText(filled.ljust(BAR), _colour_of(size, settings)), StyledText("▏", "dim")]


def _colour_of(size: int, settings: Settings) -> str:
    if size > settings.max_tokens:
        return "red"
    return "yellow" if size < settings.min_tokens else "green"


def bar(size: int, full: int, cells: int) -> str:
    """A bar with all cells filled at `full` or more, and visible for any size above 0."""
    eighths = min(8 * cells, -(-size * 8 * cells // full)) if full else 0
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _text(chunk: Chunk) -> Iterator[StyledLine]:
    pieces = pieces_of(chunk)
    for gutter, text in ((CARRIED, pieces.overlap), (ADDED, pieces.before), (OWN, pieces.own), (ADDED, pieces.after)):
        for line in _LINE_END.split(strip_data_uris(text).strip("\r\n")) if text.strip() else ():
            shown = line.expandtabs(4).rstrip(" ")
            yield [gutter, StyledText(f" {shown}", _STYLE_OF_TEXT[gutter])] if shown else [gutter]


def _width() -> int:
    return min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else WIDTH_WHEN_PIPED


def _cells(text: str) -> int:
    """Width on a terminal, where wide characters take two cells."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


# -- Statistics of chunks: how many, how large, and which blocks were cut.


BINS = 8
HISTOGRAM_BAR = 32


class FileStats(NamedTuple):
    """The statistics of one file."""

    sizes: list[int]
    sections: int
    """Sections with a chunk; merged ones count once."""
    split_sections: int
    overlapping: int
    """Chunks that repeat text of the one before."""
    cut_blocks: Counter[str]
    """Kind → blocks that no chunk holds whole."""


class Bin(NamedTuple):
    """A row of the histogram."""

    least: int
    most: int | None
    """Inclusive; None for everything above the cap."""
    chunks: int


def count_file(file: ChunkedFile) -> FileStats:
    """Count the chunks of one file."""
    split = {chunk.section for chunk in file.chunks if chunk.is_split}
    sections = {chunk.section for chunk in file.chunks}
    overlapping = sum(bool(chunk.overlap) for chunk in file.chunks)
    return FileStats([chunk.tokens for chunk in file.chunks], len(sections), len(split), overlapping, _cut_blocks(file))


def _cut_blocks(file: ChunkedFile) -> Counter[str]:
    return Counter(str(file.document.blocks[index].kind) for index in cut_blocks(file.chunks, file.document))


@dataclass(slots=True)
class ChunkTotals:
    """The statistics of all files."""

    settings: Settings
    preset: str
    files: int = 0
    sizes: list[int] = field(default_factory=list)
    sections: int = 0
    split_sections: int = 0
    overlapping: int = 0
    cut_blocks: Counter[str] = field(default_factory=Counter)

    def add(self, file: FileStats) -> None:
        self.files += 1
        self.sizes += file.sizes
        self.sections += file.sections
        self.split_sections += file.split_sections
        self.overlapping += file.overlapping
        self.cut_blocks += file.cut_blocks

    @property
    def below_min(self) -> int:
        return sum(size < self.settings.min_tokens for size in self.sizes)

    @property
    def over_max(self) -> int:
        return sum(size > self.settings.max_tokens for size in self.sizes)

    def histogram(self) -> list[Bin]:
        """Equal steps up to the cap, and one more row if there are chunks above it."""
        largest = self.settings.max_tokens
        step = -(-largest // BINS)
        counts = Counter(max(size - 1, 0) // step for size in self.sizes if size <= largest)
        rows = [
            Bin(least + 1 if least else 0, min(least + step, largest), counts[number])
            for number, least in enumerate(range(0, largest, step))
        ]
        return [*rows, Bin(largest + 1, None, self.over_max)] if self.over_max else rows

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        counter = self.settings.counter
        # Without chunks there is no mean; zero would be wrong.
        sizes = self.sizes
        mean, median = (round(statistics.fmean(sizes), 1), statistics.median(sizes)) if sizes else (None, None)
        tokens = {"total": sum(sizes), "mean": mean, "median": median}
        tokens |= {"min": min(sizes, default=None), "max": max(sizes, default=None)}
        return {
            "preset": self.preset,
            "counter": counter if isinstance(counter, str) else str(counter),
            "files": self.files,
            "chunks": len(self.sizes),
            "tokens": tokens,
            "histogram": [{"from": row.least, "to": row.most, "chunks": row.chunks} for row in self.histogram()],
            "below_min": self.below_min,
            "over_max": self.over_max,
            "sections": self.sections,
            "split_sections": self.split_sections,
            "overlapping": self.overlapping,
            "cut_blocks": dict(self.cut_blocks.most_common()),
        }

    def lines(self) -> list[StyledLine]:
        """As text."""
        unit = unit_of(self.settings)
        tokens = f"{sum(self.sizes):,} {unit}" + (f" ({self.settings.counter})" if unit == "tokens" else "")
        title = f"{counted(self.files, 'file')}, {counted(len(self.sizes), 'chunk')}, {tokens}"
        lines: list[StyledLine] = [[StyledText(title, "bold"), StyledText(f"  preset {self.preset}", "dim")]]
        if self.sizes:
            lines += [[], self._averages(unit), [], *self._bars(), []]
        return [*lines, *self._remarks()]

    def _averages(self, unit: str) -> StyledLine:
        middle = statistics.median(self.sizes)
        numbers = {
            "mean": f"{statistics.fmean(self.sizes):,.0f}",
            "median": f"{middle:,.0f}",
            "min": f"{min(self.sizes):,}",
            "max": f"{max(self.sizes):,}",
        }
        spans = [StyledText(f"{unit} in a chunk", "dim")]
        for name, number in numbers.items():
            spans += [StyledText(f"   {name} ", "dim"), StyledText(number, "bold")]
        return spans

    def _bars(self) -> list[StyledLine]:
        rows = self.histogram()
        most = max(row.chunks for row in rows)
        names = [f"over {row.least - 1:,}" if row.most is None else f"{row.least:,}–{row.most:,}" for row in rows]
        name_width, count_width = max(map(len, names)), len(f"{most:,}")
        return [
            [
                StyledText(f"  {name:>{name_width}}", "red" if row.most is None else "cyan"),
                StyledText(f"  {row.chunks:>{count_width},}"),
                StyledText(
                    f"  {bar(row.chunks, most, HISTOGRAM_BAR)}" if row.chunks else "",
                    "red" if row.most is None else "green",
                ),
            ]
            for row, name in zip(rows, names, strict=True)
        ]

    def _remarks(self) -> list[StyledLine]:
        chunks = len(self.sizes)
        cut = ", ".join(f"{kind} {count:,}" for kind, count in self.cut_blocks.most_common())
        rows = {
            f"below min_tokens {self.settings.min_tokens:,}": share(self.below_min, chunks),
            f"over max_tokens {self.settings.max_tokens:,}": share(self.over_max, chunks),
            "split sections": share(self.split_sections, self.sections),
            "cut blocks": cut or "none",
        }
        if overlap := self.settings.overlap_tokens:
            # Only parts of one section repeat anything, so what was asked for may be in few chunks, or in none.
            rows[f"with overlap, at most {overlap:,}"] = share(self.overlapping, chunks)
        width = max(map(len, rows))
        return [[StyledText(name.ljust(width), "dim"), StyledText(f"   {value}")] for name, value in rows.items()]


def share(number: int, whole: int) -> str:
    """`3 of 40 (7.5%)`."""
    return f"{number:,} of {whole:,}" + (f" ({number / whole:.1%})" if number else "")

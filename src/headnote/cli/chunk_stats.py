"""Statistics of chunks: how many, how large, and which blocks were cut."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from headnote.chunking.cut_blocks import cut_blocks
from headnote.chunking.settings import Settings
from headnote.cli.chunk_view import bar, unit_of
from headnote.cli.chunk_work import ChunkedFile
from headnote.cli.formatting import counted
from headnote.cli.terminal import Line, Span

BINS = 8
BAR = 32


class FileStats(NamedTuple):
    """The statistics of one file."""

    sizes: list[int]
    sections: int
    """Sections with a chunk; merged ones count once."""
    split_sections: int
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
    return FileStats([chunk.tokens for chunk in file.chunks], len(sections), len(split), _cut_blocks(file))


def _cut_blocks(file: ChunkedFile) -> Counter[str]:
    return Counter(str(file.document.blocks[index].kind) for index in cut_blocks(file.chunks, file.document))


@dataclass(slots=True)
class Totals:
    """The statistics of all files."""

    settings: Settings
    preset: str
    files: int = 0
    sizes: list[int] = field(default_factory=list)
    sections: int = 0
    split_sections: int = 0
    cut_blocks: Counter[str] = field(default_factory=Counter)

    def add(self, file: FileStats) -> None:
        self.files += 1
        self.sizes += file.sizes
        self.sections += file.sections
        self.split_sections += file.split_sections
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
            "cut_blocks": dict(self.cut_blocks.most_common()),
        }

    def lines(self) -> list[Line]:
        """As text."""
        unit = unit_of(self.settings)
        tokens = f"{sum(self.sizes):,} {unit}" + (f" ({self.settings.counter})" if unit == "tokens" else "")
        title = f"{counted(self.files, 'file')}, {counted(len(self.sizes), 'chunk')}, {tokens}"
        lines: list[Line] = [[Span(title, "bold"), Span(f"  preset {self.preset}", "dim")]]
        if self.sizes:
            lines += [[], self._averages(unit), [], *self._bars(), []]
        return [*lines, *self._remarks()]

    def _averages(self, unit: str) -> Line:
        middle = statistics.median(self.sizes)
        numbers = {
            "mean": f"{statistics.fmean(self.sizes):,.0f}",
            "median": f"{middle:,.0f}",
            "min": f"{min(self.sizes):,}",
            "max": f"{max(self.sizes):,}",
        }
        spans = [Span(f"{unit} in a chunk", "dim")]
        for name, number in numbers.items():
            spans += [Span(f"   {name} ", "dim"), Span(number, "bold")]
        return spans

    def _bars(self) -> list[Line]:
        rows = self.histogram()
        most = max(row.chunks for row in rows)
        names = [f"over {row.least - 1:,}" if row.most is None else f"{row.least:,}–{row.most:,}" for row in rows]
        name_width, count_width = max(map(len, names)), len(f"{most:,}")
        return [
            [
                Span(f"  {name:>{name_width}}", "red" if row.most is None else "cyan"),
                Span(f"  {row.chunks:>{count_width},}"),
                Span(f"  {bar(row.chunks, most, BAR)}" if row.chunks else "", "red" if row.most is None else "green"),
            ]
            for row, name in zip(rows, names, strict=True)
        ]

    def _remarks(self) -> list[Line]:
        chunks = len(self.sizes)
        cut = ", ".join(f"{kind} {count:,}" for kind, count in self.cut_blocks.most_common())
        rows = {
            f"below min_tokens {self.settings.min_tokens:,}": share(self.below_min, chunks),
            f"over max_tokens {self.settings.max_tokens:,}": share(self.over_max, chunks),
            "split sections": share(self.split_sections, self.sections),
            "cut blocks": cut or "none",
        }
        width = max(map(len, rows))
        return [[Span(name.ljust(width), "dim"), Span(f"   {value}")] for name, value in rows.items()]


def share(number: int, whole: int) -> str:
    """`3 of 40 (7.5%)`."""
    return f"{number:,} of {whole:,}" + (f" ({number / whole:.1%})" if number else "")

"""What is wrong with a chunk? Counted in the same way for every chunker.

The judge is pyromark (pulldown-cmark), a parser that none of the Python chunkers use and that ours was not built on:
it reads the source, and it reads every chunk on its own, as a search would retrieve it.

Chunks are laid beside the source first. Whoever says where a chunk begins is believed if that is true; all others
are looked for, from the end of the chunk before, with blank space left out on both sides, so that a chunker may
trim and join lines without being charged for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import pyromark

OVER_CAP = "over cap"
FENCE_CUT = "fence cut"
TABLE_HEADLESS = "headless table"
LOST = "chars lost"
REWRITTEN = "rewritten"
WRONG_POSITION = "wrong place"
HEADING_ONLY = "heading only"
HEADING_LAST = "heading last"
HEADING_FROM_CODE = "code heading"
KINDS = [
    OVER_CAP,
    FENCE_CUT,
    TABLE_HEADLESS,
    LOST,
    REWRITTEN,
    WRONG_POSITION,
    HEADING_ONLY,
    HEADING_LAST,
    HEADING_FROM_CODE,
]


class Piece(NamedTuple):
    """One chunk, as far as faults can be seen in it."""

    text: str
    embedded: str
    """What an embedding model would be given."""
    start: int | None = None
    """Where it says that it begins in the source; None if it does not say."""
    end: int | None = None
    headings: tuple[str, ...] = ()
    """The headings that it says it stands under."""
    prefix: str = ""
    suffix: str = ""
    lines: tuple[int, int] | None = None
    """First and last line, where it says so."""

    @property
    def own(self) -> str:
        """What it has from the source."""
        return self.text[len(self.prefix) : len(self.text) - len(self.suffix)]


class Fault(NamedTuple):
    kind: str
    weight: int
    """1, or the number of characters lost."""
    line: int
    """Where in the source, as far as that is known; else 0."""


# ── the judge's reading of a text ──


class Code(NamedTuple):
    """A code block of any nesting depth."""

    start: int
    end: int
    first: int
    """Where what is between the fences begins; `last` where it ends."""
    last: int
    fenced: bool
    closed: bool


class Structure(NamedTuple):
    codes: list[Code]
    tables: list[tuple[int, int]]
    rows: list[tuple[int, int]]
    """The body of each table: from its first row to the end of its last."""
    headings: list[tuple[int, int]]
    """At top level: one inside a list or quote begins no section."""
    inner_headings: list[tuple[int, int]]
    blocks: list[tuple[int, int]]
    """Everything else at top level."""


_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES | pyromark.Options.ENABLE_GFM
_FRONTMATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?:.*\n)*?---[ \t]*(?:\r?\n|\Z)")
_CONTINUATION = re.compile(rb"[\x80-\xbf]")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_HASH_LINE = re.compile(r"^[ \t>]*#{1,6}[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)


def frontmatter_end(text: str) -> int:
    frontmatter = _FRONTMATTER.match(text)
    return frontmatter.end() if frontmatter else 0


def read_structure(text: str, body: int = 0) -> Structure:
    """What the judge sees in a text, of which the first `body` characters are frontmatter."""
    if body:
        # Blanked and not cut off, so that every offset stays what it is.
        text = re.sub(r"[^\n]", " ", text[:body]) + text[body:]
    structure = Structure([], [], [], [], [], [])
    opened: list[int] = []
    for name, start, end, flag in _events(text):
        if name == "Block":
            structure.blocks.append((start, end))
        elif name == "CodeBlock":
            opened = [start, end, flag]
        elif name == "CodeText":
            opened.append(start)
            opened.append(end)
        elif name == "CodeEnd":
            structure.codes.append(_code(text, opened))
        elif name == "Table":
            structure.tables.append((start, end))
            structure.rows.append((end, end))
        elif name == "TableRow":
            structure.rows[-1] = (min(start, structure.rows[-1][0]), end)
        elif name == "Heading":
            (structure.headings if flag else structure.inner_headings).append((start, end))
    return structure


def _events(text: str) -> Iterator[tuple[str, int, int, int]]:
    """Name, start and end in characters, and a flag, of the events that matter here.

    The flag of a code block says that it is fenced, that of a heading that it stands at top level.
    """
    after = [match.start() for match in _CONTINUATION.finditer(text.encode())] if not text.isascii() else []
    within: list[str] = []
    for event, place in pyromark.events_with_range(text, options=_OPTIONS):
        if not isinstance(event, dict):
            continue
        (kind, value), *_ = cast("dict[str, Any]", event).items()
        if kind == "End":
            if within.pop() == "CodeBlock":
                yield "CodeEnd", 0, 0, 0
            continue
        start = place["start"] - bisect_left(after, place["start"])
        end = place["end"] - bisect_left(after, place["end"])
        if kind == "Start":
            name = value if isinstance(value, str) else next(iter(value))
            if not within and name != "Heading":
                yield "Block", start, end, 0
            fenced = name == "CodeBlock" and isinstance(value["CodeBlock"], dict)
            yield name, start, end, int(fenced or (name == "Heading" and not within))
            within.append(name)
        elif kind == "Text" and within and within[-1] == "CodeBlock":
            yield "CodeText", start, end, 0


def _code(text: str, opened: Sequence[int]) -> Code:
    start, end, fenced, *content = opened
    first, last = (content[0], content[-1]) if content else (end, end)
    return Code(start, end, first, last, bool(fenced), not fenced or _is_closed(text[start:end]))


def _is_closed(fence: str) -> bool:
    opening = _FENCE.match(fence)
    lines = fence.rstrip().splitlines()
    if not opening or len(lines) < 2:
        return False
    closing = _FENCE.match(lines[-1])
    return bool(closing and closing[1].startswith(opening[1]) and not lines[-1][closing.end() :].strip())


# ── beside the source ──


class Run(NamedTuple):
    """So many visible characters in a row are the same in chunk and source, from these positions on."""

    piece: int
    source: int
    length: int


class Part(NamedTuple):
    """A part of the source, in visible characters."""

    start: int
    end: int


def visible(text: str) -> tuple[str, list[int]]:
    """The text without blank space and what cannot be printed, and where each character of it stood."""
    places = [index for index, character in enumerate(text) if character.isprintable() and character != " "]
    return "".join(map(text.__getitem__, places)), places


def count_unprintable(text: str) -> int:
    if text.isascii() and text.isprintable():
        return 0
    return sum(not character.isprintable() and not character.isspace() for character in text)


class Source:
    """A document as the judge reads it, and which of its characters the chunks seen so far have."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.body = frontmatter_end(text)
        self.structure = read_structure(text, self.body)
        self.visible, self.places = visible(text)
        self.unprintable = count_unprintable(text)
        self.line_starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
        self.code_parts = [self._part(code.first, code.last) for code in self.structure.codes if code.fenced]
        self.row_parts = [self._part(first, last) for first, last in self.structure.rows]
        self.content_end = self._last_content()
        self.code_headings = self._code_headings()

    def _last_content(self) -> int:
        """Offset just past the last character that belongs to no heading; 0 if there is none."""
        end = len(self.places)
        for start, stop in reversed(self.structure.headings):
            if end and self.places[end - 1] < stop:
                end = min(end, self.index(start))
        return self.places[end - 1] + 1 if end and self.places[end - 1] >= self.body else 0

    def _code_headings(self) -> set[str]:
        """Lines of code that look like a heading, less those that are the text of a real one as well."""
        contents = (self.text[self.line_start(code.first) : code.last] for code in self.structure.codes)
        in_code = {line[1].strip() for content in contents for line in _HASH_LINE.finditer(content)}
        headings = self.structure.headings + self.structure.inner_headings
        real = {_heading_text(self.text[start:end]) for start, end in headings}
        return in_code - real

    def _part(self, start: int, end: int) -> Part:
        return Part(self.index(start), self.index(end))

    def line_start(self, offset: int) -> int:
        return self.line_starts[self.line(offset) - 1]

    def index(self, offset: int) -> int:
        """Number of visible characters before an offset."""
        return bisect_left(self.places, offset)

    def in_heading(self, offset: int) -> bool:
        heading = bisect_right(self.structure.headings, (offset, len(self.text))) - 1
        return heading >= 0 and offset < self.structure.headings[heading][1]

    def line(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)


def _heading_text(block: str) -> str:
    lines = block.strip().splitlines()
    return lines[0].lstrip("#> \t").rstrip("# \t") if lines else ""


def lay(piece: Piece, text: str, source: Source, after: int, *, believed: bool) -> list[Run]:
    """Where the visible `text` of a piece lies in the source; no run for text that is not there."""
    if believed and piece.start is not None:
        before = sum(character.isprintable() and character != " " for character in piece.prefix)
        first, last = source.index(piece.start), source.index(piece.end or piece.start)
        return [Run(before, first, last - first)]
    if source.visible.startswith(text, after):
        return [Run(0, after, len(text))]
    first = source.visible.find(text, after)
    return [Run(0, first, len(text))] if first >= 0 else list(_lay_lines(piece.text, source, after))


def _lay_lines(text: str, source: Source, after: int) -> Iterator[Run]:
    """Line by line, for a text that was changed somewhere. A line is not looked for far away from the one before."""
    done = 0
    for line in text.splitlines():
        shown, _ = visible(line)
        first = source.visible.find(shown, after, after + len(text) + 2000) if shown else -1
        if first >= 0:
            yield Run(done, first, len(shown))
            after = first + len(shown)
        done += len(shown)


# ── the faults ──


class Judge:
    """Goes through the chunks of one document in order and collects what is wrong with them."""

    def __init__(
        self,
        source: Source,
        count: Callable[[str], int],
        limit: int,
        *,
        keeps_frontmatter: bool = True,
        cuts_at_hashes: bool = False,
    ) -> None:
        """`cuts_at_hashes`: it names no headings, but cuts where a line begins like one."""
        self.source = source
        self.count = count
        self.limit = limit
        self.cuts_at_hashes = cuts_at_hashes
        self.faults: list[Fault] = []
        self.spared = 0
        """Headings without their text that were not charged, because both would not fit."""
        self.covered = bytearray(len(source.visible))
        self.unprintable = source.unprintable
        self.after = 0
        self.last_end = 0
        if not keeps_frontmatter:
            # It is metadata there, and declared as such.
            self.covered[: source.index(source.body)] = b"\x01" * source.index(source.body)
            self.unprintable -= count_unprintable(source.text[: source.body])

    def add(self, piece: Piece) -> None:
        shown, places = visible(piece.text)
        believed = self._check_position(piece)
        runs = lay(piece, shown, self.source, self.after, believed=believed)
        for run in runs:
            self.covered[run.source : run.source + run.length] = b"\x01" * run.length
        if runs:
            self.after = runs[-1].source + runs[-1].length
        self.unprintable -= count_unprintable(piece.own)
        line = self.source.line(self.source.places[runs[0].source]) if runs and runs[0].length else 0
        starts_file = bool(runs) and runs[0].source == 0 and runs[0].piece == 0
        structure = read_structure(piece.text, frontmatter_end(piece.text) if starts_file else 0)
        if self.count(piece.embedded) > self.limit:
            self._fault(OVER_CAP, line)
        if self._cuts_fence(structure, runs, places):
            self._fault(FENCE_CUT, line)
        if self._shown_outside(self.source.row_parts, structure.tables, runs, places):
            self._fault(TABLE_HEADLESS, line)
        if not believed and piece.own not in self.source.text:
            self._fault(REWRITTEN, line)
        self._check_headings(piece, structure, runs, len(shown), line)

    def finish(self) -> list[Fault]:
        missing = self.covered.count(0)
        if missing:
            self._fault(LOST, self.source.line(self.source.places[self.covered.index(0)]), missing)
        if self.unprintable > 0:
            self._fault(LOST, 0, self.unprintable)
        return self.faults

    def _fault(self, kind: str, line: int, weight: int = 1) -> None:
        self.faults.append(Fault(kind, weight, line))

    def _check_position(self, piece: Piece) -> bool:
        """Whether the piece says where it lies, and that is true."""
        if piece.start is None or piece.end is None:
            return False
        own = self.source.text[piece.start : piece.end] if piece.start >= 0 else None
        right = own is not None and piece.text == piece.prefix + own + piece.suffix
        # No splitter was set to overlap, so a chunk that begins inside the one before was located in the wrong place.
        placed = right and piece.start >= self.last_end
        if not (placed and self._lines_are_true(piece)):
            self._fault(WRONG_POSITION, self.source.line(max(piece.start, 0)))
        if placed:
            self.last_end = piece.end
        return placed

    def _lines_are_true(self, piece: Piece) -> bool:
        if piece.lines is None or piece.start is None or piece.end is None:
            return True
        own = self.source.text[piece.start : piece.end].rstrip("\r\n")
        last = piece.start + max(len(own) - 1, 0)
        return piece.lines == (self.source.line(piece.start), self.source.line(last))

    def _cuts_fence(self, structure: Structure, runs: list[Run], places: list[int]) -> bool:
        """Code that is shown outside a code block, or a fence left open that the source closes."""
        spans = [(code.start, code.end) for code in structure.codes]
        return self._shown_outside(self.source.code_parts, spans, runs, places) or any(
            self._opened_in_vain(code, runs, places) for code in structure.codes if not code.closed
        )

    def _opened_in_vain(self, code: Code, runs: list[Run], places: list[int]) -> bool:
        index = bisect_left(places, code.start)
        for run in runs:
            if index < run.piece + run.length:
                offset = self.source.places[run.source + max(0, index - run.piece)]
                return any(c.fenced and c.closed and c.start <= offset < c.end for c in self.source.structure.codes)
        return False

    def _shown_outside(
        self, parts: Sequence[Part], spans: Sequence[tuple[int, int]], runs: list[Run], places: list[int]
    ) -> bool:
        """Whether the first character that a chunk has of one of the parts lies in none of the chunk's spans."""
        for run in runs:
            for part in parts:
                first = max(run.source, part.start)
                if first < min(run.source + run.length, part.end):
                    place = places[run.piece + first - run.source]
                    if not any(start <= place < end for start, end in spans):
                        return True
        return False

    def _check_headings(self, piece: Piece, structure: Structure, runs: list[Run], shown: int, line: int) -> None:
        if runs and structure.headings and self.source.content_end:
            first, last = self.source.places[runs[0].source], self.source.places[self.after - 1]
            in_headings = sum(len(visible(piece.text[start:end])[0]) for start, end in structure.headings)
            # A comment alone looks like a heading too. It has been charged as code that was cut.
            only = in_headings == shown and self.source.in_heading(first)
            ends = self.source.in_heading(last) and last < self.source.content_end
            if (only or ends) and not self._has_room(piece, structure.headings[-1], last):
                self.spared += 1
            elif only or ends:
                self._fault(HEADING_ONLY if only else HEADING_LAST, line)
        if self._takes_code_for_heading(piece, runs):
            self._fault(HEADING_FROM_CODE, line)

    def _has_room(self, piece: Piece, heading: tuple[int, int], last: int) -> bool:
        """Whether the heading could stand in one chunk with what follows.

        It cannot if the next block just fits by itself: cutting that would be the greater evil.
        """
        following = bisect_left(self.source.structure.blocks, (last, 0))
        if following == len(self.source.structure.blocks):
            return True
        start, end = self.source.structure.blocks[following]
        block = self.source.text[start:end].rstrip()
        added = piece.embedded.removesuffix(piece.text)
        text = piece.text[heading[0] : heading[1]].rstrip()
        fits_alone = self.count(added + block) <= self.limit
        return not fits_alone or self.count(f"{added}{text}\n\n{block}") <= self.limit

    def _takes_code_for_heading(self, piece: Piece, runs: list[Run]) -> bool:
        if not self.cuts_at_hashes:
            return any(heading in self.source.code_headings for heading in piece.headings)
        if not runs or not _HASH_LINE.match(piece.text.lstrip("\r\n")):
            return False
        offset = self.source.places[runs[0].source]
        return any(code.first <= offset < code.last for code in self.source.structure.codes)


def total(faults: Sequence[Fault]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for fault in faults:
        counts[fault.kind] += fault.weight
    return counts

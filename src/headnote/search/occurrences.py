"""Every occurrence of a pattern in the documents of an index, line by line.

A search ranks what is near; this counts what is there. The text is that of the index, character for character, so it is
as exact as the files of its last update, and packs and databases have it, too.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from headnote.errors import FilterError, SettingsError
from headnote.formats.kinds import open_document
from headnote.model import MatchedDocument, Matches, Occurrence, breadcrumb_of
from headnote.processes import worked_within
from headnote.search.matching import Job, LineMatch, WrongPattern, answered, matched_texts
from headnote.search.query import check_length
from headnote.store.filters import Filter
from headnote.store.interface import Reader
from headnote.store.rows import DocumentRow
from headnote.tokens import get_counter

SECONDS = 10.0
"""Default time limit of a pattern."""
BATCH_CHARS = 16_000_000
"""Characters that are looked through at once: few processes for a large index, and little memory."""
MAX_LINE_CHARS = 240
"""Characters of a line that are shown where there is little room; its first match is among them."""

MAX_COUNTS = 50
"""Documents whose counts are shown before their lines."""
_SHARE_OF_COUNTS = 3
"""Of a budget, a third is for them at most."""

_FLAGS = re.compile(r"\(\?([aimsux]+)\)")
_HAS_WAYS = re.compile(r"[*+?{\[(|]")
"""Without repetition, choice, groups and sets, there is one way to match, and nothing takes long to compile."""
_SHORT = 100
"""Characters of a pattern that can be compared at every place of the text in almost no time."""


@dataclass(frozen=True, slots=True)
class LinePattern:
    """What to look for: one pattern or several, of which one must match."""

    texts: tuple[str, ...]
    literal: bool = False
    """Whether they are ordinary text."""
    ignore_case: bool = False
    words: bool = False
    """Whether only whole words match."""

    def __post_init__(self) -> None:
        if not any(self.texts):
            raise SettingsError("the pattern is empty", remedy="say what to look for")
        for text in self.texts:
            check_length(text)
            if re.search(r"[\r\n]", text):
                raise SettingsError("a pattern matches within a line, and this one has several", remedy="give one line")

    @property
    def regex(self) -> str:
        if len(self.texts) == 1 and not self.words:
            return re.escape(self.texts[0]) if self.literal else self.texts[0]
        joined = "|".join(f"(?:{re.escape(text) if self.literal else _scoped(text)})" for text in self.texts)
        return rf"(?<!\w)(?:{joined})(?!\w)" if self.words else joined

    @property
    def flags(self) -> int:
        return int(re.IGNORECASE) if self.ignore_case else 0

    @property
    def may_take_long(self) -> bool:
        has_ways = not self.literal and any(map(_HAS_WAYS.search, self.texts))
        return has_ways or sum(map(len, self.texts)) > _SHORT


def _scoped(text: str) -> str:
    """A pattern that can stand among others: `(?i)a` is `(?i:a)`."""
    flags = _FLAGS.match(text)
    return f"(?{flags[1]}:{text[flags.end() :]})" if flags else text


def find_occurrences(reader: Reader, pattern: LinePattern, only: Filter, budget: int | None, seconds: float) -> Matches:
    """All documents that pass and have the pattern. Lines that the budget has no room for are only counted; without a
    budget, all are."""
    paths = reader.passing_documents(only)
    finder = _Finder(pattern, time.monotonic() + seconds, seconds)
    found = [
        _Found(row.path, row.title, matches)
        for batch in _batches(filter(None, map(reader.document, paths)))
        for row, matches in finder(batch)
        if matches
    ]
    counted = [one.counted for one in found]
    matches = Matches(
        lines=sum(one.lines for one in counted),
        occurrences=sum(one.occurrences for one in counted),
        documents=tuple(counted),
        searched=len(paths),
    )
    if budget is None:
        return replace(matches, left_out=matches.lines)
    return _with_lines(reader, found, matches, budget)


def _batches(rows: Iterable[DocumentRow]) -> Iterator[list[DocumentRow]]:
    batch, size = [], 0
    for row in rows:
        batch.append(row)
        size += len(row.text)
        if size >= BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class _Found:
    """A document with the places of its matches."""

    path: str
    title: str
    matches: list[LineMatch]

    @property
    def counted(self) -> MatchedDocument:
        occurrences = sum(len(match.spans) for match in self.matches)
        return MatchedDocument(self.path, self.title, len(self.matches), occurrences)


@dataclass(frozen=True, slots=True)
class _Finder:
    """Looks through documents until the time is over."""

    pattern: LinePattern
    deadline: float
    seconds: float

    def __call__(self, rows: list[DocumentRow]) -> Iterator[tuple[DocumentRow, list[LineMatch]]]:
        job: Job = (self.pattern.regex, self.pattern.flags, [row.text for row in rows])
        matched = self._in_time(job) if self.pattern.may_take_long else matched_texts(job)
        if isinstance(matched, WrongPattern):
            shown = self.pattern.texts[0] if len(self.pattern.texts) == 1 and not self.pattern.words else job[0]
            raise FilterError(
                f"not a regular expression: {matched.message}",
                text=shown,
                position=matched.position,
                remedy="ordinary text needs literal, on the command line -F",
            )
        return zip(rows, matched, strict=True)

    def _in_time(self, job: Job) -> list[list[LineMatch]] | WrongPattern:
        try:
            kind, result = worked_within(max(self.deadline - time.monotonic(), 0.0), answered, job)
        except TimeoutError:
            remedy = "make the pattern simpler, search fewer documents, or allow more time"
            raise SettingsError(f"the pattern takes more than {self.seconds:g} seconds", remedy=remedy) from None
        return WrongPattern(*result) if kind == "wrong" else [[LineMatch(*one) for one in many] for many in result]


# -- The lines that are shown


def _with_lines(reader: Reader, found: Sequence[_Found], matches: Matches, budget: int) -> Matches:
    """The matches with as many lines as fit, in their order; the first line is always among them."""
    room = _Room(budget)
    room.take(f"{line}\n" for line in count_lines(matches, budget))
    documents = list(matches.documents)
    for number, one in enumerate(found):
        shown = list(_fitting(reader, one, room))
        documents[number] = replace(documents[number], shown=tuple(shown))
        if room.is_full:
            break
    left_out = matches.lines - sum(len(document.shown) for document in documents)
    return replace(matches, documents=tuple(documents), left_out=left_out)


def count_lines(matches: Matches, budget: int = 0) -> Iterator[str]:
    """How many lines of which documents, most first: what is shown before any line, within its share of a budget."""
    ordered = sorted(matches.documents, key=lambda one: (-one.lines, one.path))
    room = _Room(budget // _SHARE_OF_COUNTS)
    listed = [f"{one.lines:,} {one.path}" for one in ordered[:MAX_COUNTS]]
    shown = list(takewhile(lambda line: room.fits(f"{line}\n"), listed))
    yield from shown
    if len(ordered) > len(shown):
        yield f"and {len(ordered) - len(shown):,} more documents"


class _Room:
    """What is left of a budget; without one, there is always room."""

    def __init__(self, budget: int) -> None:
        self._rest = budget
        self._has_end = budget > 0
        self.is_full = False
        self._is_new = True

    def take(self, texts: Iterable[str]) -> None:
        if self._has_end:
            self._rest -= sum(get_counter().count_many(list(texts)))

    def fits(self, text: str) -> bool:
        """Take the room for a text, if there is enough or nothing is shown yet."""
        if not self._has_end:
            return True
        size = get_counter().count(text)
        self.is_full = size > self._rest and not self._is_new
        self._rest -= 0 if self.is_full else size
        self._is_new = False
        return not self.is_full

    def shown(self, occurrence: Occurrence) -> Occurrence:
        """The whole line, or what is around its first match where there is little room."""
        return clipped(occurrence) if self._has_end else occurrence


def _fitting(reader: Reader, found: _Found, room: _Room) -> Iterator[Occurrence]:
    row = reader.document(found.path)
    assert row is not None, "one reader sees one generation"
    breadcrumb, last = _breadcrumbs(row), None
    for match in found.matches:
        line = Occurrence(match.line, row.text[match.start : match.end], breadcrumb(match.line), match.spans)
        occurrence = room.shown(line)
        head = "" if occurrence.breadcrumb == last else f"{found.path}:{match.line} {occurrence.breadcrumb}\n"
        if not room.fits(f"{head}{match.line}: {occurrence.text}\n"):
            return
        last = occurrence.breadcrumb
        yield occurrence


def _breadcrumbs(row: DocumentRow) -> Callable[[int], str]:
    """Line → the headings above it."""
    headings = [entry.heading for entry in open_document(row.text, row.path, row.mdx).outline]
    lines = [heading.start_line for heading in headings]

    def of(line: int) -> str:
        place = bisect_right(lines, line) - 1
        return breadcrumb_of(headings[place].path) if place >= 0 else ""

    return of


def clipped(occurrence: Occurrence, width: int = MAX_LINE_CHARS) -> Occurrence:
    """The line where there is little room: of a long one, what is around the first match."""
    text = occurrence.text
    if len(text) <= width:
        return occurrence
    kept = width - len("……")
    first = occurrence.spans[0][0] if occurrence.spans else 0
    start = max(0, min(first - kept // 4, len(text) - kept))
    end = min(start + kept, len(text))
    before, after = "…" if start else "", "…" if end < len(text) else ""
    inside = ((max(a, start), min(b, end)) for a, b in occurrence.spans if a < end and b > start)
    moved = tuple((a - start + len(before), b - start + len(before)) for a, b in inside)
    return replace(occurrence, text=f"{before}{text[start:end]}{after}", spans=moved)


def first_lines(matches: Matches, number: int) -> Matches:
    """The same matches with only this many lines."""
    documents = []
    for one in matches.documents:
        documents.append(replace(one, shown=one.shown[:number]))
        number -= len(documents[-1].shown)
    left_out = matches.lines - sum(len(one.shown) for one in documents)
    return replace(matches, documents=tuple(documents), left_out=left_out)

"""Several documents or sections at once, within a token budget, and how to get what was left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from headnote.api.reading import Library, document_row, find_section, passage
from headnote.api.reports import LeftOut, Passages
from headnote.errors import HeadnoteError, MissingSource
from headnote.lines import whole_lines
from headnote.model import Passage
from headnote.store.filters import path_matcher
from headnote.store.interface import Reader, Store
from headnote.tokens import get_counter

_LINES = re.compile(r"(.+?):([0-9]{1,9})(?:-([0-9]{1,9}))?")
_GLOB = re.compile(r"[*?\[]")


def read_many(store: Store, library: Library, places: Sequence[str], budget: int | None) -> Passages:
    """What the places name, each passage once, in this order, until the budget is spent."""
    with store.reading() as reader:
        found, problems = _passages(reader, library, places)
    if problems and not found:
        raise problems[0]
    return _within(found, problems, budget)


def _passages(reader: Reader, library: Library, places: Sequence[str]) -> tuple[list[Passage], list[HeadnoteError]]:
    found: dict[tuple[str, int, int], Passage] = {}
    problems: list[HeadnoteError] = []
    for place in places:
        try:
            for one in _of_place(reader, library, place):
                found.setdefault((one.path, one.start_line, one.end_line), one)
        except HeadnoteError as error:
            problems.append(error)
    return list(found.values()), problems


def _of_place(reader: Reader, library: Library, place: str) -> Iterator[Passage]:
    """A document by path or name, a glob of documents, `path:first-last`, or `path#heading`. A path that exists is
    taken literally."""
    if (document := reader.document(place)) is not None:
        yield passage(document, 1, None)
    elif lines := _LINES.fullmatch(place):
        first, last = int(lines[2]), int(lines[3] or lines[2])
        yield passage(document_row(reader, library, lines[1]), first, last)
    elif "#" in place:
        path, _, heading = place.partition("#")
        document = document_row(reader, library, path)
        section = find_section(document, heading)
        yield passage(document, section.start_line, section.end_line)
    elif _GLOB.search(place):
        yield from _of_glob(reader, library, place)
    else:
        yield passage(document_row(reader, library, place), 1, None)


def _of_glob(reader: Reader, library: Library, glob: str) -> Iterator[Passage]:
    matches = path_matcher((glob,))
    paths = [path for path in reader.document_paths() if matches(path)]
    if not paths:
        with suppress(MissingSource):  # a title may be a question
            paths = [document_row(reader, library, glob).path]
    if not paths:
        remedy = 'in quotes, as in "guide/**"; without a slash, a glob is a name at any depth'
        raise MissingSource("no document matches", path=glob, remedy=remedy)
    for path in paths:
        if (document := reader.document(path)) is not None:
            yield passage(document, 1, None)


def _within(found: Sequence[Passage], problems: list[HeadnoteError], budget: int | None) -> Passages:
    count = get_counter().count
    shown: list[Passage] = []
    left_out: list[LeftOut] = []
    spent = 0
    for one in found:
        size = count(one.text)
        rest = 0 if left_out else None if budget is None else budget - spent
        if rest is None or size <= rest:
            shown.append(one)
            spent += size
            continue
        kept = _beginning(one, rest, count) if rest else None
        if kept:
            shown.append(kept)
            spent += count(kept.text)
        first = kept.end_line + 1 if kept else one.start_line
        left_out.append(LeftOut(one.path, first, one.end_line, size - (count(kept.text) if kept else 0)))
    return Passages(shown, left_out, spent, problems)


def _beginning(one: Passage, rest: int, count: Callable[[str], int]) -> Passage | None:
    """The first lines of a passage, as many as fit; None if not even one does."""
    lines = whole_lines(one.text)
    low, high = 0, len(lines)
    while low < high:  # how many lines fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count("".join(lines[:middle])) <= rest else (low, middle - 1)
    if not low:
        return None
    return one._replace(end_line=one.start_line + low - 1, text="".join(lines[:low]))

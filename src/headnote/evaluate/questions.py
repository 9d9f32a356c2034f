"""Questions and what should be found: JSON lines, one question each.

    {"question": "How often do I calibrate?", "gold": {"path": "calibration.md", "heading": "How good is it?"}}

`gold` is one passage or a list of them. `path` alone means the whole document; `heading` (its text, its anchor, or
`A > B`) means the section with all below it, `lines` is `[first, last]` or one number, `excerpt` is text that stands
there, `start` and `end` are characters. `leave_out` lists documents that must not count as found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from headnote.errors import HeadnoteError
from headnote.sources.files import read_source

KEYS = {"question", "gold", "leave_out"}
PLACES = ("heading", "lines", "excerpt", "start", "end")


class Place(NamedTuple):
    """Where a question stands, for those who have to mend it."""

    file: str
    line: int

    def error(self, message: str, remedy: str = "") -> HeadnoteError:
        return HeadnoteError(message, path=self.file, line=self.line, remedy=remedy)


class Gold(NamedTuple):
    """A passage that should be found, as somebody wrote it down."""

    path: str
    heading: str = ""
    lines: tuple[int, int] | None = None
    excerpt: str = ""
    characters: tuple[int, int] | None = None


class Question(NamedTuple):
    text: str
    gold: tuple[Gold, ...]
    place: Place
    leave_out: frozenset[str] = frozenset()
    """Documents that do not count, such as the one the question was taken from."""


def read_questions(file: Path) -> list[Question]:
    """All questions of a file. The first that is wrong is an error that names its line."""
    questions = []
    for number, line in enumerate(read_source(file).splitlines(), 1):
        if line.strip():
            questions.append(_question(line, Place(str(file), number)))
    if not questions:
        raise HeadnoteError("no questions", path=str(file), remedy='one JSON object a line: {"question", "gold"}')
    return questions


def _question(line: str, place: Place) -> Question:
    record = parsed(line, place)
    text = record.get("question")
    if not isinstance(text, str) or not text.strip():
        raise place.error("no question", 'say {"question": "…", "gold": {"path": "…"}}')
    if unknown := sorted(record.keys() - KEYS):
        raise place.error(f"unknown key {unknown[0]!r}", f"use {', '.join(sorted(KEYS))}")
    gold = record.get("gold")
    items = gold if isinstance(gold, list) else [gold]
    if gold is None or not items:
        raise place.error("no gold", 'say where the answer stands: "gold": {"path": "…"}')
    leave_out = record.get("leave_out", [])
    if not isinstance(leave_out, list) or not all(isinstance(path, str) for path in leave_out):
        raise place.error("leave_out is no list of paths")
    return Question(text, tuple(_gold(item, place) for item in items), place, frozenset(leave_out))


def parsed(line: str, place: Place) -> dict[str, Any]:
    """The object on a line."""
    try:
        record = json.loads(line.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        said = str(error).partition(": line")[0]
        raise place.error(f"no JSON: {said}", "one JSON object a line") from None
    if not isinstance(record, dict):
        raise place.error("no JSON object", "one JSON object a line")
    return record


def _gold(item: object, place: Place) -> Gold:
    if not isinstance(item, dict):
        raise place.error("gold is no object", 'say {"path": "…"}')
    path = item.get("path")
    if not isinstance(path, str) or not path:
        raise place.error("gold without a path")
    if unknown := sorted(item.keys() - {"path", *PLACES}):
        raise place.error(f"unknown key {unknown[0]!r} in gold", f"use path, {', '.join(PLACES)}")
    given = [name for name in ("heading", "lines", "excerpt") if name in item]
    if "start" in item or "end" in item:
        given.append("start and end")
    if len(given) > 1:
        raise place.error(f"{' and '.join(given)} in one gold", "keep one of them")
    return Gold(
        path.removeprefix("./"),
        _text(item, "heading", place),
        _lines(item, place),
        _text(item, "excerpt", place),
        _characters(item, place),
    )


def _text(item: dict[str, Any], name: str, place: Place) -> str:
    value = item.get(name, "")
    if not isinstance(value, str) or (name in item and not value.strip()):
        raise place.error(f"{name} in gold is no text")
    return value


def _lines(item: dict[str, Any], place: Place) -> tuple[int, int] | None:
    value = item.get("lines")
    if value is None:
        return None
    first, last = value if isinstance(value, list) and len(value) == 2 else (value, value)
    if not _is_range(first, last, least=1):
        raise place.error("lines in gold are no range", "say [first, last], counted from 1")
    return first, last


def _characters(item: dict[str, Any], place: Place) -> tuple[int, int] | None:
    if "start" not in item and "end" not in item:
        return None
    start, end = item.get("start"), item.get("end")
    if not _is_range(start, end, least=0) or start == end:
        raise place.error("start and end in gold are no range", "say both, counted from 0")
    return start, end  # type: ignore[return-value]  # checked above


def _is_range(first: object, last: object, least: int) -> bool:
    # True and False are whole numbers to Python, and to nobody else.
    whole = type(first) is int and type(last) is int
    return whole and least <= first <= last  # type: ignore[operator]

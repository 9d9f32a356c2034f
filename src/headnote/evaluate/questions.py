"""Questions and the passages that answer them: JSON lines, one question each.

    {"question": "How often do I calibrate?", "gold": {"path": "calibration.md", "heading": "How good is it?"}}

`gold` is one passage or a list. `path` alone means the whole document. `heading` (its text, its anchor, or `A > B`)
means the section with everything below it, `lines` is `[first, last]` or one number, `excerpt` is a quotation, `start`
and `end` are characters. `leave_out` lists documents that do not count.
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
    """The file and line of a question, for error messages."""

    file: str
    line: int

    def error(self, message: str, remedy: str = "") -> HeadnoteError:
        return HeadnoteError(message, path=self.file, line=self.line, remedy=remedy)


class Gold(NamedTuple):
    """A passage that answers the question, as written in the file."""

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
    """All questions of a file. A malformed one is an error that names its line."""
    questions = []
    for number, line in enumerate(read_source(file).splitlines(), 1):
        if line.strip():
            questions.append(_question(line, Place(str(file), number)))
    if not questions:
        raise HeadnoteError("no questions", path=str(file), remedy='write one object per line: {"question", "gold"}')
    return questions


def _question(line: str, place: Place) -> Question:
    record = parse_object(line, place)
    text = record.get("question")
    if not isinstance(text, str) or not text.strip():
        raise place.error("no question", 'write {"question": "…", "gold": {"path": "…"}}')
    if unknown := sorted(record.keys() - KEYS):
        raise place.error(f"unknown key {unknown[0]!r}", f"use {', '.join(sorted(KEYS))}")
    gold = record.get("gold")
    items = gold if isinstance(gold, list) else [gold]
    if gold is None or not items:
        raise place.error("no gold", 'say where the answer is: "gold": {"path": "…"}')
    leave_out = record.get("leave_out", [])
    if not isinstance(leave_out, list) or not all(isinstance(path, str) for path in leave_out):
        raise place.error("leave_out is not a list of paths")
    return Question(text, tuple(_gold(item, place) for item in items), place, frozenset(leave_out))


def parse_object(line: str, place: Place) -> dict[str, Any]:
    """The JSON object on a line."""
    try:
        record = json.loads(line.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(": line")[0]
        raise place.error(f"not JSON: {reason}", "write one JSON object per line") from None
    if not isinstance(record, dict):
        raise place.error("not a JSON object", "write one JSON object per line")
    return record


def _gold(item: object, place: Place) -> Gold:
    if not isinstance(item, dict):
        raise place.error("gold is not an object", 'write {"path": "…"}')
    path = item.get("path")
    if not isinstance(path, str) or not path:
        raise place.error("gold without a path")
    if unknown := sorted(item.keys() - {"path", *PLACES}):
        raise place.error(f"unknown key {unknown[0]!r} in gold", f"use path, {', '.join(PLACES)}")
    locators = [name for name in ("heading", "lines", "excerpt") if name in item]
    if "start" in item or "end" in item:
        locators.append("start and end")
    if len(locators) > 1:
        raise place.error(f"{' and '.join(locators)} in one gold", "keep one of them")
    return Gold(
        path=path.removeprefix("./"),
        heading=_text(item, "heading", place),
        lines=_lines(item, place),
        excerpt=_text(item, "excerpt", place),
        characters=_characters(item, place),
    )


def _text(item: dict[str, Any], name: str, place: Place) -> str:
    value = item.get(name, "")
    if not isinstance(value, str) or (name in item and not value.strip()):
        raise place.error(f"{name} in gold is not text")
    return value


def _lines(item: dict[str, Any], place: Place) -> tuple[int, int] | None:
    value = item.get("lines")
    if value is None:
        return None
    first, last = value if isinstance(value, list) and len(value) == 2 else (value, value)
    if not _is_range(first, last, least=1):
        raise place.error("lines in gold are not a range", "write [first, last], counted from 1")
    return first, last


def _characters(item: dict[str, Any], place: Place) -> tuple[int, int] | None:
    if "start" not in item and "end" not in item:
        return None
    start, end = item.get("start"), item.get("end")
    if not _is_range(start, end, least=0) or start == end:
        raise place.error("start and end in gold are not a range", "write both, counted from 0")
    return start, end  # type: ignore[return-value]  # checked above


def _is_range(first: object, last: object, least: int) -> bool:
    # Not isinstance: booleans are integers in Python.
    are_integers = type(first) is int and type(last) is int
    return are_integers and least <= first <= last  # type: ignore[operator]

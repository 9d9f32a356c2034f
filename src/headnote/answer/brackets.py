"""The citations in an answer: `[a.md:12-30]`, `[a.md:12]`, `[a.md:12-30, 40; b.md:7]`.

Names of files may hold blanks, commas and brackets, so the names of the sources are tried first. Everything else in the
form of a citation counts as one, too: it will be removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_LARGEST = 10**9
_BLANKS = re.compile(r"[ \t]*+")
_LINES = re.compile(r"[ \t]*+[:#,][ \t]*+(?:lines?[ \t]*+|L)?([0-9]++)(?:[ \t]*+[-–—‑][ \t]*+L?([0-9]++))?")
_MORE_LINES = re.compile(r"(?:lines?[ \t]*+|L)?([0-9]++)(?:[ \t]*+[-–—‑][ \t]*+L?([0-9]++))?(?=[ \t]*+[,;\]])")
_BEHIND = re.compile(r"[ \t]*+([,;\]])")
_NAME = re.compile(r"[^\[\],;\r\n]{1,300}+")
_NAME_AND_LINES = re.compile(rf"(.*?)({_LINES.pattern.replace('[:#,]', '[:#]')})", re.DOTALL)
_OF_A_DOCUMENT = re.compile(r".*\.(?:md|mdx|markdown)", re.IGNORECASE | re.DOTALL)
_ONE_WORD = re.compile(r"[^\W\d]\S*+|\S*[^\W\d]\S*+")
_BACKTICKS = re.compile(r"`++")


class Item(NamedTuple):
    """One cited place."""

    written: str
    path: str
    """As it is written."""
    start_line: int | None
    """None if no lines are named."""
    end_line: int


class Bracket(NamedTuple):
    """A pair of brackets in a text, and the places it cites."""

    start: int
    end: int
    items: tuple[Item, ...]


def find_brackets(text: str, names: Sequence[str], in_code: bool = False) -> list[Bracket]:
    """Every citation in a text. `names` are those of the sources.

    In code, only names of sources and documents make a citation: `a[i:10]` is none.
    """
    code = [(0, len(text))] if in_code else list(_code_spans(text))
    brackets = []
    at = text.find("[")
    while at >= 0:
        bracket = read_bracket(text, at, names)
        if bracket and any(start <= at < end for start, end in code):
            bracket = bracket if all(_is_document(item.path, names) for item in bracket.items) else None
        if bracket:
            brackets.append(bracket)
        at = text.find("[", bracket.end if bracket else at + 1)
    return brackets


def read_bracket(text: str, start: int, names: Sequence[str]) -> Bracket | None:
    """The citation that begins with this bracket, if it is one."""
    items: list[Item] = []
    at = start + 1
    while True:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        read = (items and _read_more(text, at, items[-1].path)) or _read_item(text, at, names)
        if not read:
            return None
        item, at = read
        items.append(item)
        behind = _BEHIND.match(text, at)
        if behind is None:
            return None
        at = behind.end()
        if behind[1] == "]":
            break
    if text.startswith("(", at) and any(item.start_line is None for item in items):
        return None  # a link
    return Bracket(start, at, tuple(items))


def _read_item(text: str, at: int, names: Sequence[str]) -> tuple[Item, int] | None:
    for name in sorted(names, key=len, reverse=True):
        if name and text.startswith(name, at):
            end = at + len(name)
            if lines := _LINES.match(text, end):
                return _item(text[at : lines.end()], name, lines[1], lines[2]), lines.end()
            if _BEHIND.match(text, end):
                return Item(name, name, None, 0), end
    name_match = _NAME.match(text, at)
    if name_match is None:
        return None
    written = name_match[0].rstrip()
    end = at + len(written)
    if lines := _NAME_AND_LINES.fullmatch(written):
        name = lines[1].strip()
        # `[see #12]` and `[ratio 3:4]` are none.
        plausible = lines[2].lstrip()[0] == ":" and ("/" in name or _ONE_WORD.fullmatch(name))
        if plausible or _OF_A_DOCUMENT.fullmatch(name):
            return _item(written, name, lines[3], lines[4]), end
        return None
    if _OF_A_DOCUMENT.fullmatch(written):
        # `[evil.md, 12-30]`: the comma may stand where the colon should.
        if lines := _LINES.match(text, end):
            return _item(text[at : lines.end()], written, lines[1], lines[2]), lines.end()
        return Item(written, written, None, 0), end
    return None


def _read_more(text: str, at: int, path: str) -> tuple[Item, int] | None:
    """Further lines of the same document."""
    if lines := _MORE_LINES.match(text, at):
        return _item(f"{path}:{lines[0]}", path, lines[1], lines[2]), lines.end()
    return None


def _item(written: str, path: str, start: str, end: str | None) -> Item:
    first = _number(start)
    return Item(written, path, first, _number(end) if end else first)


def _number(digits: str) -> int:
    return int(digits) if len(digits) < 10 else _LARGEST


def _is_document(path: str, names: Sequence[str]) -> bool:
    return path in names or _OF_A_DOCUMENT.fullmatch(path) is not None


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Runs of backticks, and the text between two of the same length."""
    runs = [match.span() for match in _BACKTICKS.finditer(text)]
    at = 0
    while at < len(runs):
        start, opened = runs[at]
        closing = next((n for n in range(at + 1, len(runs)) if runs[n][1] - runs[n][0] == opened - start), None)
        if closing is not None:
            yield start, runs[closing][1]
            at = closing
        at += 1

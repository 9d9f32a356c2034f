"""The YAML that most frontmatter is made of, line by line: names, texts, numbers, dates, lists of them, fields below a
field, texts of several lines, and comments.

A fifth of the time that a YAML loader takes. It reads only what can have but one meaning, and leaves everything else to
the loader: `simple_fields` is None, or exactly what the loader says.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from itertools import islice, takewhile
from typing import Any

_MAX_LINES = 200
_MAX_CHARACTERS = 100_000
"""Less than what the loader refuses."""

_LETTERS = r"A-Za-z\u00c0-\u00d6\u00d8-\u1fff\u2c00-\u2dff\u3040-\ud7ff"
"""Those that YAML takes for nothing else, in scripts that are often written."""
# A colon before a blank ends a name, and a `#` after a blank begins a comment; so there are only colons of addresses.
_PLAIN = rf"[{_LETTERS}/](?:[{_LETTERS}0-9 ,;.!?()/+*&=@%$~_'\"\u2010-\u2027-]|:(?=[{_LETTERS}0-9/]))*+"
_QUOTED = rf"[{_LETTERS}0-9 ,;.!?()/+*&=@%$~_:#<>|\[\]{{}}\u2010-\u2027-]++"
_SIMPLE = rf"(?P<plain>{_PLAIN})|(?P<date>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})|(?P<number>0|[1-9][0-9]{{0,8}})"
_VALUE = rf"{_SIMPLE}|\"(?P<double>(?:{_QUOTED}|')*+)\"|'(?P<single>(?:{_QUOTED})?+)'"
_NAME = r"(?P<name>[A-Za-z_][A-Za-z0-9_-]{0,63})"
_LIST = r"\[(?P<list>[A-Za-z0-9_./, '\"-]*+)\]"
_FIELD = re.compile(rf"{_NAME}:(?: +(?:{_VALUE}|{_LIST}|(?P<block>[>|]-?)))?+ *+")
_INNER_FIELD = re.compile(rf"(?P<indent> {{1,8}}){_NAME}: +(?:{_VALUE}|{_LIST}) *+")
_ITEM = re.compile(rf"(?P<indent> {{0,8}})- +(?:{_VALUE}) *+")
_ANYTHING = rf"[ -~{_LETTERS}\u2010-\u2027]*+"
_COMMENT = re.compile(f"#{_ANYTHING}")
_BLOCK_LINE = re.compile(f"( {{1,8}})(?=[^ ])({_ANYTHING})")
"""Of a text of several lines."""
_IN_LIST = re.compile(
    r" *+(?:(?P<plain>[A-Za-z][A-Za-z0-9_./]*+(?:[ -]+[A-Za-z0-9_./]++)*+)"
    r"|(?P<mark>['\"])(?P<quoted>[^'\"]*+)(?P=mark)) *+"
)
_CONSTANTS = {"true": True, "false": False, "null": None}
_WORDS_FOR_OTHERS = frozenset("y n yes no on off true false null".split())
"""Plain words that may stand for something else than a text, in small letters."""


class _NotSimple(Exception):
    """Only the loader can tell."""


def simple_fields(lines: Sequence[str]) -> dict[str, Any] | None:
    """The fields of simple YAML; None if it is not, or has none."""
    if len(lines) > _MAX_LINES or sum(map(len, lines)) > _MAX_CHARACTERS:
        return None
    try:
        return _fields(lines)
    except (_NotSimple, ValueError):
        return None


def _fields(lines: Sequence[str]) -> dict[str, Any] | None:
    fields: dict[str, Any] = {}
    inner: _Inner | None = None
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if (field := _FIELD.fullmatch(line)) is not None:
            name = field["name"]
            if field["block"]:
                fields[name], at = _block(field["block"], lines, at)
                inner = None
                continue
            fields[name] = _field_value(field)
            inner = _Inner(fields, name) if field.lastgroup == "name" else None
        elif not line.strip(" ") or _COMMENT.fullmatch(line):
            continue
        elif inner is None or not inner.takes(line):
            return None
    return fields or None


class _Inner:
    """What stands below a name: the items of a list, or fields."""

    def __init__(self, fields: dict[str, Any], name: str) -> None:
        self._fields = fields
        self._name = name
        self._indent: str | None = None

    def takes(self, line: str) -> bool:
        """Whether the line is a part of it. The first one decides which of both it is."""
        item = _ITEM.fullmatch(line)
        match = item or _INNER_FIELD.fullmatch(line)
        if match is None:
            return False
        if self._indent is None:
            self._indent = match["indent"]
            self._fields[self._name] = [] if item else {}
        whole = self._fields[self._name]
        if match["indent"] != self._indent or isinstance(whole, list) != bool(item):
            return False
        if item:
            whole.append(_value(item))
        else:
            whole[match["name"]] = _field_value(match)
        return True


def _block(style: str, lines: Sequence[str], start: int) -> tuple[str, int]:
    """The text below a `>`, whose line ends are blanks, or a `|`; and where it ends."""
    found = list(takewhile(bool, map(_BLOCK_LINE.fullmatch, islice(lines, start, None))))
    end = start + len(found)
    below = next((line for line in islice(lines, end, None) if line), "")
    if len({match[1] for match in found if match}) != 1 or below.startswith(" "):
        raise _NotSimple
    text = (" " if style[0] == ">" else "\n").join(match[2] for match in found if match)
    return text if style.endswith("-") or end == len(lines) else f"{text}\n", end


def _field_value(match: re.Match[str]) -> Any:
    if match.lastgroup == "name":
        return None
    if match.lastgroup == "list":
        return _listed(match["list"])
    return _value(match)


def _value(match: re.Match[str]) -> Any:
    kind = str(match.lastgroup)
    source = match[kind]
    if kind == "plain":
        return _plain(source)
    if kind == "number":
        return int(source)
    if kind == "date":
        return datetime.date(int(source[:4]), int(source[5:7]), int(source[8:]))
    return source


def _plain(source: str) -> str | bool | None:
    text = source.rstrip(" ")
    if text.lower() not in _WORDS_FOR_OTHERS:
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    raise _NotSimple


def _listed(source: str) -> list[str | bool | None]:
    """`[a, b]`"""
    if not source.strip(" "):
        return []
    items: list[str | bool | None] = []
    for part in source.split(","):
        item = _IN_LIST.fullmatch(part)
        if item is None:
            raise _NotSimple
        items.append(item["quoted"] if item["mark"] else _plain(item["plain"]))
    return items

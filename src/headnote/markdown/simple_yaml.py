"""The YAML that most frontmatter is made of, line by line: names, texts, numbers, dates and lists of them.

A tenth of the time that a YAML loader takes. It reads only what can have but one meaning, and leaves everything else to
the loader: `simple_fields` is None, or exactly what the loader says.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

_MOST_LINES = 200

_LETTERS = r"A-Za-z\u00c0-\u00d6\u00d8-\u1fff\u2c00-\u2dff\u3040-\ud7ff"
"""Those that YAML takes for nothing else, in scripts that are often written."""
# A colon before a blank ends a name, and a `#` after a blank begins a comment; so there are only colons of addresses.
_PLAIN = rf"[{_LETTERS}/](?:[{_LETTERS}0-9 ,;.!?()/+*&=@%$~_'\"\u2010-\u2027-]|:(?=[{_LETTERS}0-9/]))*+"
_QUOTED = rf"[{_LETTERS}0-9 ,;.!?()/+*&=@%$~_:#<>|\[\]{{}}\u2010-\u2027-]++"
_SIMPLE = rf"(?P<plain>{_PLAIN})|(?P<date>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})|(?P<number>0|[1-9][0-9]{{0,8}})"
_VALUE = rf"{_SIMPLE}|\"(?P<double>(?:{_QUOTED}|')*+)\"|'(?P<single>(?:{_QUOTED})?+)'"
_FIELD = re.compile(
    rf"(?P<name>[A-Za-z_][A-Za-z0-9_-]{{0,63}}):(?: +(?:{_VALUE}|\[(?P<list>[A-Za-z0-9_./, -]*+)\]))?+ *+"
)
_ITEM = re.compile(rf"(?P<indent> {{0,8}})- +(?:{_VALUE}) *+")
_IN_LIST = re.compile(r" *+([A-Za-z][A-Za-z0-9_./]*+(?:[ -]+[A-Za-z0-9_./]++)*+) *+")
_FLAGS = {"true": True, "false": False}
_WORDS_FOR_OTHERS = frozenset("y n yes no on off true false null".split())
"""Plain words that may stand for something else than a text, in small letters."""


class _NotSimple(Exception):
    """Only the loader can tell."""


def simple_fields(lines: Sequence[str]) -> dict[str, Any] | None:
    """The fields of simple YAML; None if it is not, or has none."""
    if len(lines) > _MOST_LINES:
        return None
    try:
        return _fields(lines)
    except (_NotSimple, ValueError):
        return None


def _fields(lines: Sequence[str]) -> dict[str, Any] | None:
    fields: dict[str, Any] = {}
    open_field, indent = "", ""
    for line in lines:
        if (field := _FIELD.fullmatch(line)) is not None:
            name = field["name"]
            fields[name] = _field_value(field)
            open_field = name if fields[name] is None else ""
        elif open_field and (item := _ITEM.fullmatch(line)) is not None:
            items = fields[open_field]
            if items is None:
                items = fields[open_field] = []
                indent = item["indent"]
            if item["indent"] != indent:
                raise _NotSimple
            items.append(_value(item))
        elif line.strip(" "):
            return None
    return fields or None


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


def _plain(source: str) -> str | bool:
    text = source.rstrip(" ")
    if text.lower() not in _WORDS_FOR_OTHERS:
        return text
    if text in _FLAGS:
        return _FLAGS[text]
    raise _NotSimple


def _listed(source: str) -> list[str | bool]:
    """`[a, b]`"""
    if not source.strip(" "):
        return []
    items: list[str | bool] = []
    for part in source.split(","):
        item = _IN_LIST.fullmatch(part)
        if item is None:
            raise _NotSimple
        items.append(_plain(item[1]))
    return items

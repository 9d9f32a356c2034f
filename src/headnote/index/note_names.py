"""Names of notes that are not the names of their files, as Logseq has them: journals by date, pages in namespaces."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from urllib.parse import unquote

_JOURNAL = re.compile(r"(?:.*/)?journals/(\d{4})[_-](\d{2})[_-](\d{2})\.[A-Za-z]+")
_PAGE = re.compile(r"(?:.*/)?pages/([^/]+)\.[A-Za-z]+")
_PROPERTIES = re.compile(r"\ufeff?(?:- )?((?:[ \t]*[\w\-]+::[^\r\n]*(?:\r?\n|\Z))+)")
_ALIAS = re.compile(r"^[ \t]*alias::[ \t]*([^\r\n]*)", re.MULTILINE | re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()


def other_names(path: str) -> Iterator[str]:
    """What a note may be called, by where it lies."""
    if journal := _JOURNAL.fullmatch(path):
        yield from _dates(*map(int, journal.groups()))
    elif (page := _PAGE.fullmatch(path)) and ("___" in page[1] or "%" in page[1]):
        yield unquote(page[1]).replace("___", "/")


def property_aliases(text: str) -> list[str]:
    """The names in the property `alias::` with which a page of Logseq begins."""
    if "alias::" not in text[:10_000]:
        return []
    properties = _PROPERTIES.match(text)
    found = _ALIAS.search(properties[1]) if properties else None
    return [name.strip(" []") for name in found[1].split(",") if name.strip(" []")] if found else []


def _dates(year: int, month: int, day: int) -> Iterator[str]:
    try:
        date = datetime.date(year, month, day)
    except ValueError:
        return
    name = _MONTHS[month - 1]
    ordinal = f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
    yield f"{name[:3]} {ordinal}, {year}"
    yield f"{name} {ordinal}, {year}"
    yield date.isoformat()
    yield date.strftime("%Y/%m/%d")
    yield date.strftime("%Y_%m_%d")

"""The formats that are read besides Markdown, by the endings of their files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from headnote.errors import SettingsError


class Format(NamedTuple):
    """A format as settings name it."""

    name: str
    suffixes: tuple[str, ...]
    """Endings of its files."""


FORMATS = (
    Format("html", (".html", ".htm")),
    Format("notebook", (".ipynb",)),
    Format("rst", (".rst", ".rest")),
)
"""A format is here only if its parser tells where everything stands in the file."""

_REFUSED = {
    "adoc": "AsciiDoc",
    "asciidoc": "AsciiDoc",
    "docx": "Word",
    "pdf": "PDF",
}
_WITHOUT_POSITIONS = "no parser for Python tells where in the file its text stands, so hits could not name a line"


def suffixes_of(names: Iterable[str]) -> tuple[str, ...]:
    """The endings of the files of these formats."""
    known = {form.name: form.suffixes for form in FORMATS}
    return tuple(suffix for name in dict.fromkeys(names) for suffix in known[name])


def format_of(path: str) -> str:
    """The format of a file by its name; empty for Markdown and for text."""
    name = path.lower()
    return next((form.name for form in FORMATS if name.endswith(form.suffixes)), "")


def check_format(name: str) -> str:
    """The name of a format. One that is refused says why."""
    names = [form.name for form in FORMATS]
    if name in names:
        return name
    remedy = f"formats: {', '.join(names)}"
    if name in _REFUSED:
        raise SettingsError(
            f"{_REFUSED[name]} is not read: {_WITHOUT_POSITIONS}", remedy=f"convert it to Markdown; {remedy}"
        )
    raise SettingsError(f"unknown format {name!r}", remedy=remedy)

"""One setting as somebody wrote it, and who is to blame if it makes no sense."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from headnote.errors import SettingsError


class Entry(NamedTuple):
    """One setting as somebody wrote it."""

    name: str
    value: Any
    path: str
    """File, variable or flag."""
    line: int | None = None

    @property
    def place(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


class Meant(NamedTuple):
    """The value of one of our settings, and who said so."""

    value: Any
    origin: str


Said = dict[str, Meant]
"""Setting, under our name → what it shall be. The preset is one of them."""

Layer = list[Entry]
"""What one file, the environment or the flags say."""


@contextmanager
def blaming(entry: Entry) -> Iterator[None]:
    """What goes wrong inside is the fault of this entry and reported with its place."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(error.message, path=entry.path, line=entry.line, remedy=error.remedy) from None


def flag_of(name: str) -> str:
    """`max_tokens` → `--max-tokens`."""
    return "--" + name.replace("_", "-")


def is_given(value: Any) -> bool:
    """A flag that is None or an empty list was not given."""
    return value is not None and value not in ([], ())

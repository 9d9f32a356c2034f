"""A setting as written in a file, a variable or a flag, and as a value with its origin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from headnote.errors import SettingsError


class Entry(NamedTuple):
    """One setting as written."""

    name: str
    value: Any
    path: str
    """File, variable or flag."""
    line: int | None = None

    @property
    def place(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


Layer = list[Entry]
"""The entries of one source: the file, the environment or the flags."""


class Value(NamedTuple):
    """The checked value of a setting, and where it comes from."""

    value: Any
    origin: str


Values = dict[str, Value]
"""Setting, by our name → its value. The preset counts as a setting."""


@contextmanager
def errors_at(entry: Entry) -> Iterator[None]:
    """Add the place of the entry to errors raised inside."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(error.message, path=entry.path, line=entry.line, remedy=error.remedy) from None


def flag_of(name: str) -> str:
    """`max_tokens` → `--max-tokens`."""
    return "--" + name.replace("_", "-")


def is_given(value: Any) -> bool:
    """Whether a flag was given: None and an empty list stand for flags that were not."""
    return value is not None and value not in ([], ())

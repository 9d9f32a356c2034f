"""Parsed data made harmless: string keys, no cycles, no shared parts that grow without bound when written out. And a
TOML loader for untrusted files."""

from __future__ import annotations

import datetime
import re
from typing import Any

MAX_CHARACTERS = 250_000
"""The worst text of this length takes the YAML and TOML readers about two seconds."""
MAX_DEPTH = 64
MAX_VALUES = 100_000
MAX_BITS = 4096
"""Python refuses to print much larger numbers."""


class TooLarge(Exception):
    """The data are too long, nest too deeply, or expand to too much."""


def plain_mapping(data: dict[Any, Any]) -> dict[str, Any]:
    """A copy of mappings with string keys, lists and scalars only."""
    copied = _Copier().copy(data, 0)
    assert isinstance(copied, dict)
    return copied


class _Copier:
    """Copies a tree and counts what it copies: a chain of aliases can stand for billions of values."""

    def __init__(self) -> None:
        self._values = 0

    def copy(self, value: Any, depth: int) -> Any:
        self._values += 1
        if self._values > MAX_VALUES:
            raise TooLarge(f"it expands to more than {MAX_VALUES:,} values")
        if depth > MAX_DEPTH:
            raise TooLarge(f"it nests deeper than {MAX_DEPTH} levels")
        if isinstance(value, dict):
            return {str(key): self.copy(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.copy(item, depth + 1) for item in value]
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            return hex(value)
        if value is None or isinstance(value, str | int | float | datetime.date | datetime.time):
            return value
        return str(value)


# -- A TOML loader for untrusted files: input that would take more than linear time is refused before it is parsed.
#
# The reader of the standard library copies a dotted key once for each of its parts, and calls itself for every bracket.
# Keys and nesting of a bounded depth make it linear.


# Strings and comments are matched to hide what is in them. An unclosed one reaches to the end of the line or text:
# the reader fails there, and what follows does not matter.
_TOKEN = re.compile(
    r'''
    \#[^\n]*+
    | """(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?
    | \'\'\'(?:[^']|'(?!''))*+(?:'{3,5})?
    | "(?:[^"\\\n]|\\.)*+"?
    | '[^'\n]*+'?
    | (?P<dot>\.)
    | (?P<opening>[\[{])
    | (?P<closing>[\]}])
    | (?P<end>[=,\n])
    ''',
    re.VERBOSE | re.DOTALL,
)


def load(body: str) -> dict[str, Any]:
    import tomllib

    _refuse_deep_nesting(body)
    return tomllib.loads(body)


def _refuse_deep_nesting(body: str) -> None:
    depth = dots = 0
    for token in _TOKEN.finditer(body):
        match token.lastgroup:
            case "dot":
                dots += 1
            case "opening":
                depth, dots = depth + 1, 0
            case "closing":
                depth, dots = depth - 1, 0
            case "end":
                dots = 0
        if depth > MAX_DEPTH or dots > MAX_DEPTH:
            raise TooLarge(f"it nests deeper than {MAX_DEPTH} levels")

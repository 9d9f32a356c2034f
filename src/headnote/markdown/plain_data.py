"""Parsed data made harmless: string keys, no cycles, no shared parts that grow without bound when written out."""

from __future__ import annotations

import datetime
from typing import Any

MAX_CHARACTERS = 250_000
"""The worst that can be written in as many takes the readers of YAML and TOML about two seconds."""
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

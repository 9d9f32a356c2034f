"""Standard input without lone surrogates.

The SDK drops messages that contain one, and the client would wait forever.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_ESCAPES = re.compile(
    rb"""
      \\\\                                                # a backslash that escapes nothing
    | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}  # a pair: one character
    | (?P<lone> \\u[dD][89a-fA-F][0-9a-fA-F]{2} )         # half of one
    """,
    re.VERBOSE,
)


def without_lone_surrogates(message: bytes) -> bytes:
    """The message with a replacement character for each lone surrogate escape."""
    return _ESCAPES.sub(lambda match: rb"\ufffd" if match["lone"] else match[0], message)


class MendedInput(io.RawIOBase):
    """The lines of a stream without lone surrogates."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines = lines
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        line = self._rest or without_lone_surrogates(self._lines.readline())
        taken = line[: len(buffer)]
        self._rest = line[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)


@contextmanager
def mended_stdin() -> Iterator[None]:
    """Replace `sys.stdin` by one without lone surrogates."""
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BufferedReader(MendedInput(before.buffer)), encoding="utf-8", errors="replace")
    try:
        yield
    finally:
        sys.stdin = before

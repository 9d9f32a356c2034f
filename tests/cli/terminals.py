"""What a person at a terminal gets to see."""

from __future__ import annotations

import os
import re


def read_all(descriptor: int) -> str:
    """Everything a pseudo terminal is told until the other side closes it."""
    pieces: list[bytes] = []
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # how Linux says that the other side is closed
            piece = b""
        if not piece:
            return b"".join(pieces).decode()
        pieces.append(piece)


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)

"""The place of an error in what was typed, below the error."""

from __future__ import annotations

import sys

from headnote.cli.folding import columns
from headnote.cli.terminal import harmless, printable, window_width

_INDENT = "  "


def point_at(text: str, position: int) -> None:
    """On a terminal, the text and a caret below the place. For programs, an error is one line."""
    if not sys.stderr.isatty():
        return
    width = max((window_width(sys.stderr) or 80) - len(_INDENT) - 1, 20)
    start = max(0, position - width // 2) if position >= width else 0
    before = columns(printable(text[start:position]))
    sys.stderr.write(f"{_INDENT}{harmless(text[start : start + width])}\n{_INDENT}{' ' * before}^\n")

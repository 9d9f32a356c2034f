"""Writing to people and to programs: colour on a terminal, plain text anywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TextIO


class Span(NamedTuple):
    """A piece of a line and how it looks on a terminal."""

    text: str
    style: str = ""


# A heading or file name may hold escape sequences; shown as they are, they would steer the terminal.
UNPRINTABLE = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], "\N{REPLACEMENT CHARACTER}")


def printable(text: str) -> str:
    """The text on one line, with nothing in it that a terminal would obey."""
    return text.translate(UNPRINTABLE)


def complain(message: str) -> None:
    """One line on standard error, whatever the message contains."""
    sys.stderr.write(f"error: {printable(' '.join(message.split()))}\n")


def write_lines(lines: Iterable[Sequence[Span]]) -> None:
    """Lines of any length, never cut to the width of a window."""
    if not _colours_wanted(sys.stdout):
        sys.stdout.writelines("".join(span.text for span in line) + "\n" for line in lines)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((span.text, span.style) for span in line)))


def accept_any_character() -> None:
    """A file name need not be Unicode, and a terminal need not know every character: neither may stop us."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _colours_wanted(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return stream.isatty() or bool(os.environ.get("FORCE_COLOR"))

"""Writing to people and to programs: colour on a terminal, plain text anywhere else."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, NamedTuple, TextIO, TypeVar


class Span(NamedTuple):
    """A piece of a line and how it looks on a terminal."""

    text: str
    style: str = ""


Line = Sequence[Span]
Item = TypeVar("Item")

# A heading or file name may hold escape sequences; shown as they are, they would steer the terminal. Marks of direction
# would show the rest of a line in another order than it is written in: `exe.md` for `dm.exe`.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
UNPRINTABLE = dict.fromkeys((*_CONTROLS, *_DIRECTIONS), "\N{REPLACEMENT CHARACTER}")
_JSON_ESCAPES = {code: f"\\u{code:04x}" for code in UNPRINTABLE if code >= 0x7F}
"""JSON escapes the first of them by itself."""
_ENCODED = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2(?:\x80[\x8e\x8f\xa8-\xae]|\x81[\xa6-\xa9])")
"""The same in UTF-8. Written by hand it is twice as fast as a list of them."""

MANY_FILES = 40
"""From here on a run may take long enough that people want to see how far it is."""


def printable(text: str) -> str:
    """The text on one line, with nothing in it that a terminal would obey. It is as long as before."""
    return text.translate(UNPRINTABLE)


def escaped(lines: bytes) -> bytes:
    """JSON in UTF-8 that means the same, with nothing in it that a terminal would obey."""
    if lines.isascii() and b"\x7f" not in lines:
        return lines
    return _ENCODED.sub(lambda match: _JSON_ESCAPES[ord(match[0].decode())].encode(), lines)


def counted(number: int, unit: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def complain(message: str) -> None:
    """One line on standard error, whatever the message contains."""
    say(f"error: {message}")


def say(message: str) -> None:
    """One line on standard error, as it is."""
    sys.stderr.write(f"{printable(' '.join(message.split()))}\n")


def remark(message: str, only_on_a_terminal: bool = False) -> None:
    """One line on standard error about something that is no error."""
    if sys.stderr.isatty() or not only_on_a_terminal:
        say(f"note: {message}")


def write_lines(lines: Iterable[Line]) -> None:
    """Lines of any length, never cut to the width of a window. What they say is made printable here, for all views."""
    paint = (_painter() if _colours_wanted(sys.stdout) else None) or _unpainted
    sys.stdout.writelines("".join(map(paint, line)) + "\n" for line in lines)


def table(rows: Mapping[str, Line]) -> list[Line]:
    """A name and what is said about it, one below the other."""
    width = max(map(len, rows), default=0)
    return [[Span(f"  {name.ljust(width)}  ", "dim"), *line] for name, line in rows.items()]


def write_bytes(data: bytes) -> None:
    """What is encoded already, as it is."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode())
    else:
        buffer.write(data)


def write_json(record: dict[str, Any]) -> None:
    """One object on one line, with nothing in it that a terminal would obey."""
    text = json.dumps(record, ensure_ascii=knows_only_ascii(sys.stdout))
    sys.stdout.write(text.translate(_JSON_ESCAPES) + "\n")


def knows_only_ascii(stream: TextIO) -> bool:
    """Whether characters have to be escaped; a stream without an encoding takes them all."""
    return (stream.encoding or "utf-8").lower().replace("-", "") != "utf8"


def show_progress(items: Iterator[Item], total: int) -> Iterator[Item]:
    """The items as they are, with a bar on standard error meanwhile, if somebody is there to see it.

    Not while the items themselves are shown on a terminal: both would write into the same lines.
    """
    if total < MANY_FILES or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("files"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    # The bar has a thread of its own. What starts processes does so with the first item, before there are two threads.
    first = list(islice(items, 1))
    # Complaints go above the bar, each on one line. Standard output is not touched: it is what the user asked for.
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        yield from progress.track(chain(first, items), total=total)


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


@cache
def _painter() -> Callable[[Span], str] | None:
    """Span → text with escape sequences; None if the terminal knows no colours."""
    from rich.color import ColorSystem
    from rich.console import Console
    from rich.style import Style

    console = Console()
    if console.color_system is None or console.legacy_windows:
        return None
    # Only colours that every terminal has are used. Rich's own printing lays out text, which is slow and not wanted.
    return lambda span: Style.parse(span.style).render(printable(span.text), color_system=ColorSystem.STANDARD)


def _unpainted(span: Span) -> str:
    return printable(span.text)

"""Output for people and programs: colour on a terminal, plain text everywhere else."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from headnote.errors import SkippedSource, SourceError


class StyledText(NamedTuple):
    """A piece of a line and how it looks on a terminal."""

    text: str
    style: str = ""
    link: str = ""
    """The address that a click opens; `search_view.py` knows where there may be one."""


StyledLine = Sequence[StyledText]

# A heading or file name may hold escape sequences, which would steer the terminal, or direction marks, which would show
# the rest of a line in another order than it is written in: `exe.md` for `dm.exe`.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
UNPRINTABLE = dict.fromkeys((*_CONTROLS, *_DIRECTIONS), "\N{REPLACEMENT CHARACTER}")
_JSON_ESCAPES = {code: f"\\u{code:04x}" for code in UNPRINTABLE if code >= 0x7F}
"""Without those that every JSON encoder escapes."""
_JSON_ESCAPED_BYTES = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2(?:\x80[\x8e\x8f\xa8-\xae]|\x81[\xa6-\xa9])")
"""The same characters in UTF-8. Written by hand, the pattern is twice as fast as an alternation of them."""

# What runs a job reads what its steps write, and obeys `::name::` where a line begins, and `##[name]` (`##vso[name]`,
# `##teamcity[name]`) anywhere. It compares as people do: what is not to be seen makes no difference.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
)
_OLD_COMMAND = re.compile(rf"(?P<before>#[{_UNSEEN}]*)(?P<sign>#)(?=[\w{_UNSEEN}]*\[)")
_NEW_COMMAND = re.compile(
    rf"(?P<before>[\r\n](?:[{_UNSEEN}]|[^\S\r\n])*:[{_UNSEEN}]*)(?P<sign>:)(?=[^\r\n]*:[{_UNSEEN}]*:)"
)
"""With the end of the line before, by which it is found quickly."""


# Standard error


def write_error(message: str) -> None:
    """One line on standard error, whatever the message contains."""
    write_message(f"error: {message}")


def write_note(message: str, only_on_a_terminal: bool = False) -> None:
    """One line on standard error about something that is not an error."""
    if sys.stderr.isatty() or not only_on_a_terminal:
        write_message(f"note: {message}")


def write_message(message: str) -> None:
    """One line on standard error, without a label."""
    sys.stderr.write(f"{harmless(' '.join(message.split()))}\n")


def write_unread(error: SourceError) -> bool:
    """One line about a file that could not be read, or was skipped. Return whether the command has failed."""
    if isinstance(error, SkippedSource):
        write_note(f"skipped {error}")
        return False
    write_error(str(error))
    return True


# Standard output


def write_lines(lines: Iterable[StyledLine]) -> None:
    """Write lines in full, whatever the width of the window. Every view goes through here to become printable."""
    paint = (_painter() if _use_colour(sys.stdout) else None) or _unpainted
    sys.stdout.writelines("".join(_linked(span, paint(span)) for span in _harmless(line)) + "\n" for line in lines)


def write_command(name: str, rest: str) -> None:
    """A line that the runner of a job is to obey: the command is ours, and no other one is in the rest."""
    sys.stdout.write(f"::{name} {harmless(rest)}\n")


def _harmless(line: StyledLine) -> StyledLine:
    """The same spans. A command may begin in one of them and end in another."""
    text = printable("".join(span.text for span in line))
    harmless = without_commands(text)
    if harmless == text:
        return line
    ends = list(accumulate(len(span.text) for span in line))
    return [span._replace(text=harmless[end - len(span.text) : end]) for span, end in zip(line, ends, strict=True)]


def _linked(span: StyledText, painted: str) -> str:
    """The text of a span as a link of the terminal, if it is one."""
    if not span.link:
        return painted
    return f"\x1b]8;;{printable(span.link)}\x1b\\{painted}\x1b]8;;\x1b\\"


def table(rows: Mapping[str, StyledLine]) -> list[StyledLine]:
    """Name and value, one row each, with the values aligned."""
    width = max(map(len, rows), default=0)
    return [[StyledText(f"  {name.ljust(width)}  ", "dim"), *line] for name, line in rows.items()]


def write_json(record: dict[str, Any]) -> None:
    """One object on one line, with nothing in it that a terminal would obey."""
    text = json.dumps(record, ensure_ascii=is_ascii_only(sys.stdout))
    sys.stdout.write(without_commands(text.translate(_JSON_ESCAPES), json_escape) + "\n")


def write_bytes(data: bytes) -> None:
    """Text that is already encoded."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode())
    else:
        buffer.write(data)


# What a stream can take


def window_width(stream: TextIO | None = None) -> int | None:
    """Columns of the window; None if the stream, standard output by default, is no terminal."""
    if not (stream or sys.stdout).isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def printable(text: str) -> str:
    """The text on one line, of the same length, with nothing in it that a terminal would obey."""
    return text.translate(UNPRINTABLE)


def harmless(text: str) -> str:
    """The text on one line, of the same length, with nothing in it that a terminal or a runner would obey."""
    return without_commands(printable(text))


def without_commands(text: str, written: Callable[[str], str] = lambda _: "\N{REPLACEMENT CHARACTER}") -> str:
    """The text, of any number of lines, with one sign of each command for the runner of a job `written` otherwise."""

    def broken(command: re.Match[str]) -> str:
        return command["before"] + written(command["sign"])

    return _NEW_COMMAND.sub(broken, "\n" + _OLD_COMMAND.sub(broken, text))[1:]


def json_escape(character: str) -> str:
    """As JSON writes any character."""
    return f"\\u{ord(character):04x}"


def escape_json(lines: bytes) -> bytes:
    """The same JSON in UTF-8, with nothing in it that a terminal or the runner of a job would obey."""
    if not lines.isascii() or b"\x7f" in lines:
        lines = _JSON_ESCAPED_BYTES.sub(lambda match: _JSON_ESCAPES[ord(match[0].decode())].encode(), lines)
    return without_commands(lines.decode(), json_escape).encode()


def is_ascii_only(stream: TextIO) -> bool:
    """Whether other characters must be escaped. A stream without an encoding takes them all."""
    return (stream.encoding or "utf-8").lower().replace("-", "") != "utf8"


def accept_any_character() -> None:
    """Escape what a stream cannot encode: a file name need not be Unicode, and a terminal need not know Unicode. A
    stream that was closed takes everything: without it, the next file that is opened would be in its place."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _use_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return stream.isatty() or bool(os.environ.get("FORCE_COLOR"))


@cache
def _painter() -> Callable[[StyledText], str] | None:
    """Span → text with escape sequences; None if the terminal has no colours."""
    # Late: rich takes longer to import than a short command runs, and piped output does without it.
    from rich.color import ColorSystem
    from rich.console import Console
    from rich.style import Style

    console = Console()
    if console.color_system is None or console.legacy_windows:
        return None
    # Rich only knows the escape sequences here; its own printing also wraps text, which is slow.
    return lambda span: Style.parse(span.style).render(printable(span.text), color_system=ColorSystem.STANDARD)


def _unpainted(span: StyledText) -> str:
    return printable(span.text)


# -- Lines → rows of a window: words stay whole, and each row begins below the text of the first.


MIN_COLUMNS = 16
"""Columns for text beside an indent. In a narrower window the indent gives way."""
_JOINS = "\u200d"
"""Makes one picture of two."""
_NEVER_FIRST = frozenset("、。，．・：；？！）」』】〉》〕］｝ーっゃゅょッャュョ々…‥,.;:?!)]}%")
"""Characters that no row begins with, where there are no blanks to break at."""
_WORD_OR_BLANKS = re.compile(r"\s+|\S+")
_UP_TO_A_SLASH = re.compile(r"[^/]*/+|[^/]+")


def folded(line: StyledLine, width: int | None, indent: str) -> Iterator[StyledLine]:
    """The line in rows of at most `width` columns, those below the first behind an indent; as it is without a width.

    A word is broken only if it is wider than a row, after a slash if it has one. Where no blanks are written, a row may
    end after any character.
    """
    text = "".join(span.text for span in line)
    if width is None or columns(text) <= width:
        yield line
        return
    indent = indent if width - columns(indent) >= MIN_COLUMNS else ""
    for number, (start, end) in enumerate(_rows(text, width, columns(indent))):
        row = _part(line, start, end)
        yield row if number == 0 else [StyledText(indent, "dim"), *row]


def columns(text: str) -> int:
    """How many columns of a window a text takes."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


@lru_cache(maxsize=4096)
def _columns_of(character: str) -> int:
    # Late: rich takes longer to import than a short command runs, and most text is ASCII.
    from rich.cells import cell_len

    return cell_len(character)


def _rows(text: str, width: int, indent: int) -> Iterator[tuple[int, int]]:
    """Beginning and end of each row, without the blanks between them."""
    start = end = 0
    room = width
    for first, last in _pieces(text, width - indent):
        if text[first:last].isspace():
            if first == start > 0:  # a row begins with a word
                start = end = last
            continue
        if end > start and columns(text[start:last]) > room:
            yield start, end
            start, room = first, width - indent
        end = last
    if end > start:
        yield start, end


def _pieces(text: str, width: int) -> Iterator[tuple[int, int]]:
    """What stays together: blanks, words, single characters where there are no blanks, parts of what is too wide."""
    for word in _WORD_OR_BLANKS.finditer(text):
        if word[0].isascii() and len(word[0]) <= width:
            yield word.span()
        else:
            for part in _UP_TO_A_SLASH.finditer(text, *word.span()):
                yield from _pieces_of_word(text, part.start(), part.end(), width)


def _pieces_of_word(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    first, used = start, 0
    for at in range(start, end):
        own = _columns_of(text[at])
        is_break = own == 2 or (at > first and _columns_of(text[at - 1]) == 2)
        glued = own == 0 or text[at] in _NEVER_FIRST or text[at - 1] in _JOINS
        if at > first and ((is_break and not glued) or used + own > width):
            yield first, at
            first, used = at, 0
        used += own
    yield first, end


def _part(line: StyledLine, start: int, end: int) -> list[StyledText]:
    """The spans of a part of the line."""
    part = []
    at = 0
    for span in line:
        text = span.text[max(start - at, 0) : max(end - at, 0)]
        if text:
            part.append(span._replace(text=text))
        at += len(span.text)
    return part


# -- The place of an error in what was typed, below the error.


_INDENT = "  "


def point_at(text: str, position: int) -> None:
    """On a terminal, the text and a caret below the place. For programs, an error is one line."""
    if not sys.stderr.isatty():
        return
    width = max((window_width(sys.stderr) or 80) - len(_INDENT) - 1, 20)
    start = max(0, position - width // 2) if position >= width else 0
    before = columns(printable(text[start:position]))
    sys.stderr.write(f"{_INDENT}{harmless(text[start : start + width])}\n{_INDENT}{' ' * before}^\n")

"""Lines that open and close a box around the blocks between them: `:::note`, `/// tip`, `<Tabs>`, `{{< note >}}`.

Each notation has a reader that turns such lines into markers. A marker is a token that stands among the blocks; the
Markdown between two of them is parsed as ever, so that its lines keep their numbers. `containers.py` makes pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from markdown_it.token import Token

TYPE = "marker"
"""Type of the token of a marker."""
LONGEST = 20_000
"""Characters of a marker that is read."""


_SPECIAL = re.compile(r"`[^`\n]+`|[\\`*_\[\]<>$=:#!&{}~|]")


class Marker(NamedTuple):
    """Where a box begins or ends, or something that stands alone."""

    notation: str
    """A marker is closed by one of the same notation."""
    opens: int
    """1 if it opens a box, -1 if it closes one, 0 if it stands alone."""
    name: str
    source: str
    """As written."""
    title: str | None = None
    """Markdown; empty if the author wants none, None if there is none."""
    attributes: Mapping[str, str] = {}
    strength: int = 0
    """Number of colons or slashes: the longer closes the shorter."""
    fold: str = ""
    """`-` for a box that is folded, `+` for one that can be."""


class Reading(NamedTuple):
    """The markers at the beginning of a line, and where they end."""

    markers: Sequence[Marker]
    end: int
    """Offset in the source. What follows on the line is Markdown."""
    tail: Sequence[Marker] = ()
    """The markers that end the line, behind the Markdown."""
    text_end: int = -1
    """Where this Markdown ends."""


def plain(text: str) -> str:
    """Text as Markdown that means this text; what stands in backticks is code."""
    return _SPECIAL.sub(lambda match: match[0] if len(match[0]) > 1 else f"\\{match[0]}", text)


Reader = Callable[[str, int, int], "Reading | None"]
"""(source, offset of the first character, offset of the end of the line) → what stands there."""


def marker_rule(readers: Mapping[str, Sequence[Reader]]) -> Callable[[Any, int, int, bool], bool]:
    """A block rule that asks the readers of the first character of a line."""

    def rule(state: Any, line: int, end_line: int, silent: bool) -> bool:
        start = state.bMarks[line] + state.tShift[line]
        if start >= state.eMarks[line] or state.is_code_block(line):
            return False
        for read in readers.get(state.src[start], ()):
            reading = read(state.src, start, state.eMarks[line])
            if reading is not None and reading.end - start <= LONGEST:
                return silent or _take(state, reading, line, end_line)
        return False

    return rule


def _take(state: Any, reading: Reading, line: int, end_line: int) -> bool:
    last = line
    while state.eMarks[last] < reading.end:
        last += 1
        if last >= end_line:
            return False
    for marker in reading.markers:
        push_marker(state, marker, line, last)
    text_end = reading.text_end if reading.tail else state.eMarks[last]
    if state.src[reading.end : text_end].strip():
        _parse_rest(state, reading, text_end, last, end_line)
    for marker in reading.tail:
        push_marker(state, marker, last, last)
    state.line = max(state.line, last + 1)
    return True


def push_marker(state: Any, marker: Marker, first: int, last: int) -> Token:
    """Add the token of a marker on these lines, counted from zero."""
    token: Token = state.push(TYPE, "", 0)
    token.block, token.map, token.meta = True, [first, last + 1], {"marker": marker}
    return token


def _parse_rest(state: Any, reading: Reading, text_end: int, line: int, end_line: int) -> None:
    """Parse the line as if it began after the markers, together with what continues it, unless markers end it."""
    start = reading.end
    while state.src[start] in " \t":
        start += 1
    before, all_lines = state.eMarks[line], state.lineMax
    state.bMarks[line], state.tShift[line], state.sCount[line] = start, 0, state.blkIndent
    state.eMarks[line], state.lineMax = text_end, line + 1 if reading.tail else all_lines
    for rule in state.md.block.ruler.getRules(""):
        if rule(state, line, line + 1 if reading.tail else end_line, False):
            break
    state.eMarks[line], state.lineMax = before, all_lines

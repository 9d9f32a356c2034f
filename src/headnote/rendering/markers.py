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
MAX_LINE_CHARS = 20_000
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


class LineMarkers(NamedTuple):
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


Reader = Callable[[str, int, int], "LineMarkers | None"]
"""(source, offset of the first character, offset of the end of the line) → what stands there."""


def marker_rule(readers: Mapping[str, Sequence[Reader]]) -> Callable[[Any, int, int, bool], bool]:
    """A block rule that asks the readers of the first character of a line."""

    def rule(state: Any, line: int, end_line: int, silent: bool) -> bool:
        start = state.bMarks[line] + state.tShift[line]
        if start >= state.eMarks[line] or state.is_code_block(line):
            return False
        for read in readers.get(state.src[start], ()):
            reading = read(state.src, start, state.eMarks[line])
            if reading is not None and reading.end - start <= MAX_LINE_CHARS:
                return silent or _take(state, reading, line, end_line)
        return False

    return rule


def _take(state: Any, reading: LineMarkers, line: int, end_line: int) -> bool:
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


def _parse_rest(state: Any, reading: LineMarkers, text_end: int, line: int, end_line: int) -> None:
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


# -- Directives: `:::note[Title]` of Docusaurus, Starlight and VitePress, `/// note | Title` of Python-Markdown.


_COLONS = re.compile(r":{3,}+")
_NAME = re.compile(r"[ \t]*+([A-Za-z][\w-]*+(?:\.[\w-]++)*+)")
_BRACES = re.compile(r"\A\{[^{}\n]*+\}|\{[^{}\n]*+\}\Z")
_OPEN = re.compile(r"\bopen\b")
_ATTRIBUTE = re.compile(r"""([\w:-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'{}]++))""")
_CLASS = re.compile(r"\.([A-Za-z][\w-]*+)")
_LEAF = re.compile(r"::(?=[A-Za-z])")
_SLASHES = re.compile(r"(/{3,}+)(?:[ \t]++([A-Za-z][\w-]*+)[ \t]*+(?:\|([^\n]*+))?)?[ \t]*+$")
_OPTION = re.compile(r"\n[ ]{4}[ \t]*+([a-z_]++):[ \t]*+([^\n]*+)")


def read_colons(source: str, start: int, end: int) -> LineMarkers | None:
    """A line of three colons or more, with the name and title of what it opens, or nothing."""
    colons = _COLONS.match(source, start, end)
    if colons is None:
        return _read_leaf(source, start, end)
    strength = len(colons[0])
    if not source[colons.end() : end].strip():
        return LineMarkers([Marker(":::", -1, "", source[start:end], strength=strength)], end)
    return _named(source, start, colons.end(), end, 1, strength)


def _read_leaf(source: str, start: int, end: int) -> LineMarkers | None:
    """`::name[label]{…}`, which stands alone."""
    leaf = _LEAF.match(source, start, end)
    reading = _named(source, start, leaf.end(), end, 0, 2) if leaf else None
    return reading if reading and source[end - 1] in "]}" else None


def _named(source: str, start: int, at: int, end: int, opens: int, strength: int) -> LineMarkers | None:
    name = _NAME.match(source, at, end)
    label, at = _label(source, name.end() if name else at, end)
    title, inside = _title(source[at:end].strip())
    classes = _CLASS.search(inside)
    if name is None and classes is None:
        return None
    written = name[1] if name else classes[1] if classes else ""
    attributes = read_attributes(inside)
    marker = Marker(
        notation=":::",
        opens=0 if "." in written else opens,  # `::: module.name` is where the documentation of a module goes
        name=written,
        source=source[start:end],
        title=label if label is not None else title or attributes.get("title"),
        attributes=attributes,
        strength=strength,
        fold="+" if _OPEN.search(inside) else "",
    )
    return LineMarkers([marker], end)


def _title(text: str) -> tuple[str, str]:
    """What follows a name: the title, and what stands in braces before or after it."""
    braces = _BRACES.search(text)
    if braces is None:
        return text, ""
    return (text[: braces.start()] + text[braces.end() :]).strip(), braces[0][1:-1]


def _label(source: str, at: int, end: int) -> tuple[str | None, int]:
    """The text in brackets at `at`, and where it ends."""
    depth = 0
    for place in range(at, end if source.startswith("[", at, end) else at):
        depth += (source[place] == "[") - (source[place] == "]")
        if depth == 0:
            return source[at + 1 : place], place + 1
    return None, at


def read_attributes(text: str) -> dict[str, str]:
    """`a="b" c=d` as a mapping."""
    return {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(text)}


def read_slashes(source: str, start: int, end: int) -> LineMarkers | None:
    """A line of three slashes or more. Options may follow on indented lines."""
    line = _SLASHES.match(source, start, end)
    if line is None:
        return None
    strength = len(line[1])
    if line[2] is None:
        return LineMarkers([Marker("///", -1, "", source[start:end], strength=strength)], end)
    options = {}
    while (option := _OPTION.match(source, end)) is not None:
        options[option[1]] = option[2].strip()
        end = option.end()
    fold = "+" if options.get("open", "").lower() == "true" else ""
    title = line[3].strip() if line[3] is not None else None
    marker = Marker("///", 1, line[2], source[start:end], title, options, strength, fold)
    return LineMarkers([marker], end)


_INCLUDE = re.compile(r"\{\*[ \t]++([^\s{}`]++)(?:[ \t]++[^\n{}]*?)?[ \t]*+\*\}[ \t]*+$")


def read_include(source: str, start: int, end: int) -> LineMarkers | None:
    """`{* ../src/app.py hl[6:7] *}` of FastAPI's documentation: a file that a site puts here."""
    include = _INCLUDE.match(source[start:end])
    return LineMarkers([Marker("include", 0, include[1], include[0])], end) if include else None


# -- Boxes whose content is indented, as MkDocs has them: `!!! note "Title"`, `??? note`, `=== "Tab"`.


_OPENING = re.compile(
    r"""(!!!|\?\?\?\+?)[ \t]++([A-Za-z][\w -]*+)(?:"([^"\n]*+)")?[ \t]*+$"""
    r"""|(===[!+]?)[ \t]++"([^"\n]++)"[ \t]*+$"""
)
_INDENT = 4


def indented_rule(state: Any, line: int, end_line: int, silent: bool) -> bool:
    """A block rule: the box holds all lines that are indented by four, as an item of a list does."""
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    if state.is_code_block(line) or not state.src.startswith(("!!!", "???", "==="), start, end):
        return False
    opening = _OPENING.match(state.src, start, end)
    if opening is None:
        return False
    if silent:
        return True
    inner = state.sCount[line] + _INDENT
    last = _last_line(state, line, end_line, inner)
    push_marker(state, _marker(opening), line, line)
    _parse_inside(state, line + 1, last + 1, inner)
    closing = push_marker(state, Marker("indented", -1, "", ""), last, last)
    closing.map = [last, last + 1]
    state.line = last + 1
    return True


def _marker(opening: re.Match[str]) -> Marker:
    if opening[4]:
        return Marker("indented", 1, "tab", opening[0], opening[5])
    fold = {"!!!": "", "???": "-", "???+": "+"}[opening[1]]
    words = opening[2].split()
    return Marker("indented", 1, words[0], opening[0], opening[3], fold=fold)


def _last_line(state: Any, line: int, end_line: int, inner: int) -> int:
    """The last line inside that is not blank; `line` if there is none."""
    last = line
    for at in range(line + 1, end_line):
        if state.isEmpty(at):
            continue
        if state.sCount[at] < inner:
            break
        last = at
    return last


def _parse_inside(state: Any, line: int, end_line: int, inner: int) -> None:
    before = state.blkIndent, state.parentType, state.lineMax, state.tight
    state.blkIndent, state.parentType, state.lineMax = inner, "blockquote", end_line
    state.level += 1  # counts against the deepest nesting that is parsed
    state.md.block.tokenize(state, line, end_line)
    state.level -= 1
    state.blkIndent, state.parentType, state.lineMax, state.tight = before

"""Where a link points: destinations, titles, labels, and the definitions that give labels a destination."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5

# Blank means what CommonMark means: no other Unicode space separates a destination from its title.
_BLANK = r"[ \t\r\n]"
_ANGLED = r"<((?:[^<>\\\r\n]|\\.)*+)>"
_TITLE = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"""

# What nearly every link has: no blank, bracket, escape or title.
_USUAL_DESTINATION = re.compile(r"\(([^\x00-\x20\x7f()\\<{][^\x00-\x20\x7f()\\]*+)\)")
_BEFORE_DESTINATION = re.compile(rf"\({_BLANK}*+")
_ANGLED_DESTINATION = re.compile(_ANGLED, re.DOTALL)
# Hugo puts the address in place of `{{< ref "page.md" >}}`, with its blanks and brackets.
_SHORTCODE_DESTINATION = re.compile(r"\{\{[<%][^{}\r\n]{1,500}+\}\}(?:#[^\s()]*+)?")
_SIMPLE_DESTINATION = re.compile(r"[^\x00-\x20\x7f()\\]++(?=[\x00-\x20)]|\Z)")
_DESTINATION_TURN = re.compile(r"[\x00-\x20\x7f()]|\\.?", re.DOTALL)
_AFTER_DESTINATION = re.compile(rf"(?:{_BLANK}++{_TITLE})?+{_BLANK}*+\)", re.DOTALL)
_MAX_PARENTHESES = 32

LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999}+)\]", re.DOTALL)
_DEFINITION = re.compile(
    r"[ \t]*+\[((?:[^\[\]\\]|\\.){1,999}+)\]:[ \t\r\n]*+(?:<([^<>\r\n]*+)>|([^\s<]\S*+))", re.DOTALL
)
_DEFINITION_TITLE = re.compile(rf"(?:{_BLANK}++{_TITLE})?+[ \t]*+(?:\r\n?|\n|\Z)", re.DOTALL)
_REST_OF_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n|\Z)")

_ESCAPE_OR_ENTITY = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,31}));"
)


def unescape(source: str) -> str:
    """Backslash escapes and entities as the characters they stand for."""
    if "\\" not in source and "&" not in source:
        return source
    return _ESCAPE_OR_ENTITY.sub(_unescaped, source)


def _unescaped(match: re.Match[str]) -> str:
    escaped, hexadecimal, decimal, name = match.groups()
    if escaped:
        return escaped
    if name:
        return html5.get(f"{name};", match[0])
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    valid = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if valid else "\ufffd"


def normal_label(label: str) -> str:
    """Two labels are the same when they differ only in case and in blanks."""
    return " ".join(label.split()).casefold()


def inline_target(text: str, position: int, end: int) -> tuple[int, str] | None:
    """`(destination "title")` at this position: where it ends and the destination, resolved."""
    usual = _USUAL_DESTINATION.match(text, position, end)
    if usual is not None:
        return usual.end(), unescape(usual[1])
    opening = _BEFORE_DESTINATION.match(text, position, end)
    if opening is None:
        return None
    start = opening.end()
    angled = _ANGLED_DESTINATION.match(text, start, end)
    if angled is not None:
        stop, destination = angled.end(), angled[1]
    elif text.startswith("<", start, end):
        return None
    elif (shortcode := _SHORTCODE_DESTINATION.match(text, start, end)) is not None:
        stop, destination = shortcode.end(), shortcode[0]
    else:
        stop = _bare_destination_end(text, start, end)
        destination = text[start:stop]
    closing = _AFTER_DESTINATION.match(text, stop, end)
    return None if closing is None else (closing.end(), unescape(destination))


def _bare_destination_end(text: str, start: int, end: int) -> int:
    """End of a destination without angle brackets: at a blank, or at a parenthesis it did not open itself."""
    simple = _SIMPLE_DESTINATION.match(text, start, end)
    if simple is not None:
        return simple.end()
    depth = 0
    for turn in _DESTINATION_TURN.finditer(text, start, end):
        character = turn[0]
        if character[0] == "\\":
            if character[1:] <= " ":
                return turn.start() + 1
            continue
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        # Without a limit, a million `](` would each read all of the others.
        if depth < 0 or depth > _MAX_PARENTHESES or character not in "()":
            return turn.start()
    return end


def definitions(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Label, normalised, and target of each link reference definition in this range."""
    position = start
    while position < end:
        opening = _DEFINITION.match(text, position, end)
        if opening is None:
            return
        label, angled, bare = opening.groups()
        yield normal_label(label), unescape(bare if angled is None else angled)
        closing = _DEFINITION_TITLE.match(text, opening.end(), end) or _REST_OF_LINE.match(text, opening.end(), end)
        position = closing.end() if closing is not None else end

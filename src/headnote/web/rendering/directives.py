"""Directives: `:::note[Title]` of Docusaurus, Starlight and VitePress, `/// note | Title` of Python-Markdown."""

from __future__ import annotations

import re

from headnote.web.rendering.markers import Marker, Reading

_COLONS = re.compile(r":{3,}+")
_NAME = re.compile(r"[ \t]*+([A-Za-z][\w-]*+(?:\.[\w-]++)*+)")
_BRACES = re.compile(r"\A\{[^{}\n]*+\}|\{[^{}\n]*+\}\Z")
_OPEN = re.compile(r"\bopen\b")
_ATTRIBUTE = re.compile(r"""([\w:-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'{}]++))""")
_CLASS = re.compile(r"\.([A-Za-z][\w-]*+)")
_LEAF = re.compile(r"::(?=[A-Za-z])")
_SLASHES = re.compile(r"(/{3,}+)(?:[ \t]++([A-Za-z][\w-]*+)[ \t]*+(?:\|([^\n]*+))?)?[ \t]*+$")
_OPTION = re.compile(r"\n[ ]{4}[ \t]*+([a-z_]++):[ \t]*+([^\n]*+)")


def read_colons(source: str, start: int, end: int) -> Reading | None:
    """A line of three colons or more, with the name and title of what it opens, or nothing."""
    colons = _COLONS.match(source, start, end)
    if colons is None:
        return _read_leaf(source, start, end)
    strength = len(colons[0])
    if not source[colons.end() : end].strip():
        return Reading([Marker(":::", -1, "", source[start:end], strength=strength)], end)
    return _named(source, start, colons.end(), end, 1, strength)


def _read_leaf(source: str, start: int, end: int) -> Reading | None:
    """`::name[label]{…}`, which stands alone."""
    leaf = _LEAF.match(source, start, end)
    reading = _named(source, start, leaf.end(), end, 0, 2) if leaf else None
    return reading if reading and source[end - 1] in "]}" else None


def _named(source: str, start: int, at: int, end: int, opens: int, strength: int) -> Reading | None:
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
    return Reading([marker], end)


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


def read_slashes(source: str, start: int, end: int) -> Reading | None:
    """A line of three slashes or more. Options may follow on indented lines."""
    line = _SLASHES.match(source, start, end)
    if line is None:
        return None
    strength = len(line[1])
    if line[2] is None:
        return Reading([Marker("///", -1, "", source[start:end], strength=strength)], end)
    options = {}
    while (option := _OPTION.match(source, end)) is not None:
        options[option[1]] = option[2].strip()
        end = option.end()
    fold = "+" if options.get("open", "").lower() == "true" else ""
    title = line[3].strip() if line[3] is not None else None
    marker = Marker("///", 1, line[2], source[start:end], title, options, strength, fold)
    return Reading([marker], end)

"""What the configuration of a site says, as far as it can be read without running it.

YAML, TOML and JSON are parsed. In a configuration that is a program, only literals count: `path: "docs"` says
something, `path: somewhere()` does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from headnote.markdown.untrusted import load_data

# A comment that is not closed reaches to the end: looking for its end again and again would take quadratic time.
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|(?<![:\"'\w])//[^\n]*", re.DOTALL)
_STRING = r"""["'`]([^"'`\n]*)["'`]"""
_BRACE = re.compile(r"[{}]")
_PAIR = re.compile(rf"{_STRING}\s*:\s*{_STRING}")
# MkDocs names Python functions in its YAML; they are dropped.
_YAML_TAG = re.compile(r"(?<=[:\-] )!+[\w.:/\-]+(?=\s|$)", re.MULTILINE)
LARGEST = 1_000_000
"""Characters; nobody writes a longer configuration by hand."""
MOST_OBJECTS = 100
"""Of one name, in one program; each is searched to its end."""


class Program:
    """A configuration written in JavaScript or TypeScript."""

    def __init__(self, text: str, has_comments: bool = True) -> None:
        self._text = _COMMENT.sub("", text[:LARGEST]) if has_comments else text

    def _part(self, start: int, end: int) -> Program:
        return Program(self._text[start:end], has_comments=False)

    def string(self, name: str) -> str | None:
        """The first literal string with this name."""
        match = re.search(rf"\b{name}[\"']?\s*:\s*{_STRING}", self._text)
        return match[1] if match else None

    def is_false(self, name: str) -> bool:
        return re.search(rf"\b{name}\s*:\s*false\b", self._text) is not None

    def objects(self, opening: str) -> Iterator[Program]:
        """Each object that begins behind this pattern."""
        for match in islice(re.finditer(rf"{opening}\s*{{", self._text), MOST_OBJECTS):
            yield self._part(match.end(), self._end(match.end()))

    def without(self, name: str) -> Program:
        """The same without the object of this name."""
        match = re.search(rf"\b{name}\s*:\s*{{", self._text)
        if match is None:
            return self
        return Program(self._text[: match.start()] + self._text[self._end(match.end()) + 1 :])

    def pairs(self, name: str) -> list[tuple[str, str]]:
        """The literal strings in the object with this name: `name: {'a': 'b'}`."""
        mapping = next(self.objects(rf"\b{name}\s*:"), None)
        return [] if mapping is None else [(pair[1], pair[2]) for pair in _PAIR.finditer(mapping._text)]

    def strings_in(self, name: str) -> list[str]:
        """The literal strings in the list with this name: `name: ['a', 'b']`."""
        match = re.search(rf"\b{name}\s*:\s*\[", self._text)
        end = self._text.find("]", match.end()) if match else -1
        return (
            [string[1] for string in re.finditer(_STRING, self._text[match.end() : end])] if match and end > 0 else []
        )

    def _end(self, position: int) -> int:
        """Where the object ends that begins there, behind its brace."""
        return self._ends.get(position, len(self._text))

    @cached_property
    def _ends(self) -> dict[int, int]:
        ends, open_braces = {}, []
        for brace in _BRACE.finditer(self._text):
            if brace[0] == "{":
                open_braces.append(brace.end())
            elif open_braces:
                ends[open_braces.pop()] = brace.start()
        return ends


def data_of(text: str, name: str) -> dict[str, Any]:
    """The data of a configuration in YAML, TOML or JSON; empty if it cannot be parsed or is no mapping."""
    try:
        value = _loaded(text[:LARGEST], name.lower())
    except Exception:  # noqa: BLE001  parsers fail in many ways, and the generator reports its own errors
        return {}
    return value if isinstance(value, dict) else {}


def _loaded(text: str, name: str) -> Any:
    if name.endswith(".toml"):
        return load_data(text, "toml", LARGEST)
    if name.endswith(".json"):
        return load_data(text, "json", LARGEST)
    return load_data(_YAML_TAG.sub("", text), "yaml")

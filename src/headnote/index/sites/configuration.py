"""What the configuration of a site says, as far as it can be read without running it.

YAML, TOML and JSON are parsed. In a configuration that is a program, only literals count: `path: "docs"` says
something, `path: somewhere()` does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'\w])//[^\n]*", re.DOTALL)
_STRING = r"""["'`]([^"'`\n]*)["'`]"""
_BRACE = re.compile(r"[{}]")
_PAIR = re.compile(rf"{_STRING}\s*:\s*{_STRING}")
# MkDocs names Python functions in its YAML; they are dropped.
_YAML_TAG = re.compile(r"(?<=[:\-] )!+[\w.:/\-]+(?=\s|$)", re.MULTILINE)
LARGEST = 1_000_000
"""Characters; nobody writes a longer configuration by hand."""


class Program:
    """A configuration written in JavaScript or TypeScript."""

    def __init__(self, text: str) -> None:
        self._text = _COMMENT.sub("", text[:LARGEST])

    def string(self, name: str) -> str | None:
        """The first literal string with this name."""
        match = re.search(rf"\b{name}[\"']?\s*:\s*{_STRING}", self._text)
        return match[1] if match else None

    def is_false(self, name: str) -> bool:
        return re.search(rf"\b{name}\s*:\s*false\b", self._text) is not None

    def objects(self, opening: str) -> Iterator[Program]:
        """Each object that begins behind this pattern."""
        for match in re.finditer(rf"{opening}\s*{{", self._text):
            yield Program(self._text[match.end() : self._end(match.end())])

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
        match = re.search(rf"\b{name}\s*:\s*\[([^\]]*)\]", self._text)
        return [string[1] for string in re.finditer(_STRING, match[1])] if match else []

    def _end(self, position: int) -> int:
        depth = 1
        for brace in _BRACE.finditer(self._text, position):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                return brace.start()
        return len(self._text)


def data_of(text: str, name: str) -> dict[str, Any]:
    """The data of a configuration in YAML, TOML or JSON; empty if it cannot be parsed or is no mapping."""
    try:
        value = _loaded(text[:LARGEST], name.lower())
    except Exception:  # noqa: BLE001  parsers fail in many ways, and the generator reports its own errors
        return {}
    return value if isinstance(value, dict) else {}


def _loaded(text: str, name: str) -> Any:
    if name.endswith(".toml"):
        import tomllib

        return tomllib.loads(text)
    if name.endswith(".json"):
        return json.loads(text)
    from headnote.markdown.yaml_loader import load

    return load(_YAML_TAG.sub("", text))

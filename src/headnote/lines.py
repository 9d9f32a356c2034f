"""What a line is: it ends at a line end of Markdown.

The other line ends that `str.splitlines` knows are ordinary characters here. So all parts of the package count lines
alike, and as editors do.
"""

from __future__ import annotations

import re

LINE = re.compile(r"([^\r\n]*+)(?:\r\n?|\n|\Z)")
"""A line with its end; the group is its text. At the end of the text it also matches, as one more line without text."""

_LINE_END = re.compile(r"\r\n?|\n")
_KEPT_LINE = re.compile(r"[^\r\n]*+(?:\r\n?|\n)|[^\r\n]++")


def count_line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def count_lines(text: str) -> int:
    """Lines as an editor numbers them; a last one without a line end counts too."""
    return count_line_ends(text) + (text != "" and text[-1] not in "\r\n")


def split_lines(text: str) -> list[str]:
    """The lines that `count_lines` counts, without their ends."""
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]


def whole_lines(text: str) -> list[str]:
    """The lines that `count_lines` counts, with their ends: together they are the text."""
    return _KEPT_LINE.findall(text)


def with_plain_line_ends(text: str) -> str:
    """Every line ends in `\\n`, and every character keeps its offset: the `\\r` before a `\\n` becomes a space."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"

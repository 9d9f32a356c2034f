"""The parts of a rule: a pattern that recognises the beginning and a reader that finds the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from headnote.model import BlockKind

Span = tuple[BlockKind, int, int, int, str]
"""A block without its lines: kind, start, end, level, info."""


class JsxTag(NamedTuple):
    """An opening, closing or self-closing JSX tag."""

    name: str
    end: int
    opens: int
    """1 for an opening tag, -1 for a closing one, 0 for one that closes itself."""


class Flow(NamedTuple):
    """A run of JSX tags and expressions, with nothing but spaces between them."""

    end: int
    """End of the run with the spaces after it."""
    tags: tuple[JsxTag, ...]
    alone: bool
    """Nothing else follows on the line where it ends."""


class Reading:
    """The spans read so far, in order, with a memory of what was looked up on the way."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.brackets: dict[int, int] = {}
        """MDX: where the bracket that opens at an offset is closed; -1 if never."""
        self.flows: dict[int, Flow] = {}
        """MDX: the tags and expressions with which the line at an offset begins."""


Reader = Callable[[str, int, re.Match[str], Reading], int]
"""(text, start of the block's first line, match of its opening, what is read so far) → where scanning goes on."""


class Rule(NamedTuple):
    """One construct of one dialect."""

    name: str
    pattern: str
    """What stands after the indentation. It may swallow the whole block or only recognise its beginning."""
    read: Reader


class Dialect(NamedTuple):
    """What Markdown and MDX disagree on, as data."""

    mdx: bool
    """JSX, expressions and ESM instead of HTML; no indented code."""
    indent: str
    """How far a construct may be indented: MDX has no indented code, so any depth will do."""
    deep: int
    """The indentation from which a line cannot begin a construct."""


MARKDOWN = Dialect(mdx=False, indent=r"[ ]{0,3}+", deep=4)
MDX = Dialect(mdx=True, indent=r"[ \t]*+", deep=1 << 60)


def without_blank_end(text: str, start: int, end: int) -> int:
    """End of the last line of `text[start:end]` that is not blank."""
    return text.index("\n", start + len(text[start:end].rstrip(" \t\n")))

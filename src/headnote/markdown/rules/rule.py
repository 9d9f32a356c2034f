"""The parts of a rule: a pattern that recognises the beginning and a reader that finds the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
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
    """Whether nothing else follows on its last line."""


class SpansRead:
    """The spans read so far, in order, with a memory of what was looked up on the way."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.brackets: dict[int, int] = {}
        """MDX: where the bracket that opens at an offset is closed; -1 if never."""
        self.flows: dict[int, Flow] = {}
        """MDX: the tags and expressions with which the line at an offset begins."""


Reader = Callable[[str, int, re.Match[str], SpansRead], int]
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


# -- Regex fragments that more than one rule needs.
#
# Every fragment is linear: repetition is possessive (`*+`) or over a single character class, so nothing is ever tried
# twice. They are written for text whose every line ends in `\n`, which the scanner sees to.


BLANK_LINE = r"[ \t]*+\n"
REST_OF_LINE = r"[^\n]*+\n"
LINES_TO_BLANK = rf"(?:[ \t]*+[^ \t\n]{REST_OF_LINE})*+"


def any_of(words: Iterable[str]) -> str:
    """A fragment that matches one of the words in any case, decided letter by letter instead of word by word."""
    by_letter: dict[str, list[str]] = {}
    complete = False
    for word in words:
        if word:
            by_letter.setdefault(word[0], []).append(word[1:])
        else:
            complete = True
    branches = [_one_letter(letter) + any_of(rests) for letter, rests in sorted(by_letter.items())]
    if not branches:
        return ""
    fragment = branches[0] if len(branches) == 1 and not complete else f"(?:{'|'.join(branches)})"
    return f"{fragment}?+" if complete else fragment


def _one_letter(letter: str) -> str:
    return f"[{letter}{letter.upper()}]" if letter.isalpha() else letter

"""A text that is embedded, in parts: one vector for a long text is about everything in it and close to nothing.

The parts are cut by what the text looks like, not by the pieces of a model, so they are the same for every embedder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PART = 600
"""Bytes of a part at most, without its lead: about 140 tokens in any script. Half of that is no better and takes twice
the room; whole chunks are far worse. Cutting otherwise makes stored vectors stale: a migration has to drop them."""

_UNIT = re.compile(r".+?(?:\n+|[.!?]['\")\]*_]*[^\S\n]+|(?<=[。！？])|\Z)", re.DOTALL)
_WORD = re.compile(r"\S*\s*")


def parts_of(text: str, lead: str = "") -> list[str]:
    """The text in parts, cut between sentences and lines where that can be; at least one.

    `lead` is what the text begins with and what all of it is about, its breadcrumb: it stands in front of every part.
    """
    rest = text[len(lead) :]
    parts: list[str] = []
    begun: list[str] = []
    size = 0
    for unit in _units(rest) if _size(rest) > PART else [rest]:
        length = _size(unit)
        if begun and size + length > PART:
            parts.append(lead + "".join(begun))
            begun, size = [], 0
        begun.append(unit)
        size += length
    return [*parts, lead + "".join(begun)]


def _units(text: str) -> Iterator[str]:
    """Sentences and lines; of those that are long, words; of words that are, pieces."""
    for unit in _UNIT.findall(text):
        if _size(unit) <= PART // 2:
            yield unit
            continue
        for word in filter(None, _WORD.findall(unit)):
            if _size(word) <= PART:
                yield word
            else:
                yield from (word[at : at + PART // 4] for at in range(0, len(word), PART // 4))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))

"""A text that is embedded, in parts: one vector for a long text is about everything in it and close to nothing.

The parts are cut by what the text looks like, not by the pieces of a model, so they are the same for every embedder;
and by nothing else, so that equal texts have equal vectors, wherever they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from headnote.embedding.vectors import normalised
from headnote.extras import load_numpy

if TYPE_CHECKING:
    from headnote.embedding.base import Embedder, Vectors

PART = 600
"""Bytes of a part at most, without its lead: about 140 tokens in any script. Half of that is no better and takes twice
the room; whole chunks are far worse. Cutting otherwise makes stored vectors stale: a migration has to drop them."""

LEAD = 240
"""Characters of a breadcrumb that is repeated, at most."""

_HEADING = re.compile(r"#{1,6}[ \t]+")
_UNIT = re.compile(r".+?(?:\n+|[.!?]['\")\]*_]*[^\S\n]+|(?<=[。！？])|\Z)", re.DOTALL)
_WORD = re.compile(r"\S*\s*")


def parts_of(text: str) -> list[str]:
    """The text in parts, cut between sentences and lines where that can be; at least one. What all of it is about, the
    breadcrumb that it begins with, stands in front of every part."""
    lead = lead_of(text)
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


def lead_of(text: str) -> str:
    """The breadcrumb that a text begins with, with the line ends behind it; empty if there is none: one short line of
    its own with a path in it, or with the heading that follows."""
    end = text.find("\n\n", 0, LEAD)
    line = text[: max(end, 0)]
    if not line or "\n" in line:
        return ""
    heading = _HEADING.match(text, end + 2)
    names_the_heading = heading is not None and text.startswith((f"{line}\n", f"{line}\r"), heading.end())
    return text[: end + 2] if " > " in line or names_the_heading else ""


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


def embed_in_parts(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text a matrix with one row per part."""
    cut = [parts_of(text) for text in texts]
    rows = embedder.embed([part for parts in cut for part in parts])
    ends = accumulate((len(parts) for parts in cut), initial=0)
    return [rows[start:end] for start, end in pairwise(ends)]


def whole(parts: Sequence[Vectors]) -> Vectors:
    """A row for each text: the direction its parts have in common."""
    numpy = load_numpy()
    return normalised(numpy.stack([rows.mean(axis=0) for rows in parts]))

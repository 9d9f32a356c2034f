"""Texts are embedded in parts: one vector for a long text is about everything in it and close to nothing.

Parts depend on the text alone, not on the tokens of a model, so they are the same for every embedder, and equal texts
have equal vectors wherever they occur.
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
"""Largest part in bytes, without its lead: about 140 tokens in any script. Half of that is no better and takes twice
the space; whole chunks are far worse. Any change here makes stored vectors stale: a migration has to drop them."""

LEAD = 240
"""Longest breadcrumb, in characters, that is repeated in every part."""

_HEADING = re.compile(r"#{1,6}[ \t]+")
_ENDS = r"\n+|[.!?]['\")\]*_]*[^\S\n]+"
_END = re.compile(_ENDS)
_END_IN_ANY_SCRIPT = re.compile(rf"{_ENDS}|(?<=[。！？])")
"""Where a sentence or a line ends. Without the other scripts, the search jumps from mark to mark."""
_WORD = re.compile(r"\S*\s*")


def parts_of(text: str) -> list[str]:
    """The text in parts, at least one, cut between sentences and lines where possible. Every part begins with the
    breadcrumb of the text."""
    lead = lead_of(text)
    rest = text[len(lead) :]
    parts: list[str] = []
    current: list[str] = []
    size = 0
    for unit in _units(rest) if _size(rest) > PART else [rest]:
        length = _size(unit)
        if current and size + length > PART:
            parts.append(lead + "".join(current))
            current, size = [], 0
        current.append(unit)
        size += length
    return [*parts, lead + "".join(current)]


def lead_of(text: str) -> str:
    """The breadcrumb that a text begins with, with the line ends after it; empty if there is none. It is one short line
    that has a path in it or repeats the heading that follows."""
    end = text.find("\n\n", 0, LEAD)
    line = text[: max(end, 0)]
    if not line or "\n" in line:
        return ""
    heading = _HEADING.match(text, end + 2)
    names_the_heading = heading is not None and text.startswith((f"{line}\n", f"{line}\r"), heading.end())
    return text[: end + 2] if " > " in line or names_the_heading else ""


def _units(text: str) -> Iterator[str]:
    """Sentences and lines; words of long sentences; pieces of long words."""
    for unit in _sentences(text):
        if _size(unit) <= PART // 2:
            yield unit
            continue
        for word in filter(None, _WORD.findall(unit)):
            if _size(word) <= PART:
                yield word
            else:
                yield from (word[at : at + PART // 4] for at in range(0, len(word), PART // 4))


def _sentences(text: str) -> Iterator[str]:
    end_of = (_END if text.isascii() else _END_IN_ANY_SCRIPT).search
    start = 0
    while start < len(text):
        found = end_of(text, start + 1)
        end = found.end() if found else len(text)
        yield text[start:end]
        start = end


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

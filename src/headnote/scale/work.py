"""What travels between the one who shares out the work and those who do it: parts, and what became of them.

Both travel as bytes in a column, which every engine can carry.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from hashlib import blake2b
from itertools import accumulate
from math import ceil
from typing import NamedTuple

import msgspec

from headnote.errors import HeadnoteError
from headnote.scale.inputs import Unit

WORK = "work"
"""The column that parts travel in."""
RESULT = "result"
"""And the one that results come back in."""

SMALLEST_PART, LARGEST_PART = 6_000_000, 64_000_000
PARTS = 128
"""Enough to share them out evenly, unless they would be smaller than the smallest, on which a core works for two
seconds: less is not worth what an engine needs between two of them. A large job has more."""
WITH_VECTORS = 16
"""So much smaller is a part whose vectors are made: what is lost with a worker shall be minutes, not hours."""


class Part(NamedTuple):
    """Documents that are worked on, written and finished together."""

    name: str
    """By what is in it: the same documents and settings give the same name."""
    units: list[Unit]


class Failure(NamedTuple):
    """A document without chunks, and why."""

    path: str
    error: str
    line: int | None = None
    remedy: str = ""


class PartResult(NamedTuple):
    """What became of a part."""

    name: str
    documents: int = 0
    chunks: int = 0
    size: int = 0
    """Bytes that were read."""
    failures: list[Failure] = []  # noqa: RUF012  never changed
    stopped: str = ""
    """Why the whole job cannot go on; empty if it can."""


PartWriter = Callable[[Part], PartResult]
"""Does the work of a part, in whatever process. It can be pickled."""

Engine = Callable[[PartWriter, Sequence[Part], int | None], Generator[PartResult, None, None]]
"""Does all parts, on so many workers, and gives the results as they come, in any order."""


def cut_into_parts(units: Sequence[Unit], recipe: str, vectors: bool) -> list[Part]:
    """The units in their order, in parts of about the same size. It depends on nothing but what is given."""
    if not units:
        return []
    less = WITH_VECTORS if vectors else 1
    total = sum(unit.size for unit in units)
    wanted = min(max(total // PARTS, SMALLEST_PART // less), LARGEST_PART // less)
    share = total / ceil(total / wanted) if total else 1
    parts: dict[int, list[Unit]] = {}
    for unit, end in zip(units, accumulate(unit.size for unit in units), strict=True):
        # By its middle, so that a large document does not push all others along.
        parts.setdefault(int((end - unit.size / 2) / share), []).append(unit)
    return [Part(part_name(((unit.path, unit.version) for unit in few), recipe), few) for few in parts.values()]


def part_name(documents: Iterable[tuple[str, str]], recipe: str) -> str:
    digest = blake2b(recipe.encode(), digest_size=12)
    for path, version in documents:
        digest.update(f"\0{path}\0{version}".encode())
    return digest.hexdigest()


def do_part(writer: PartWriter, part: Part) -> PartResult:
    """The result in any case: an error that ends the job is told, because engines would only try again."""
    try:
        return writer(part)
    except HeadnoteError as error:
        return PartResult(part.name, stopped=str(error))


def packed(value: Part | PartResult) -> bytes:
    return msgspec.msgpack.encode(value)


def unpacked_part(data: bytes) -> Part:
    return msgspec.msgpack.decode(data, type=Part)


def unpacked_result(data: bytes) -> PartResult:
    return msgspec.msgpack.decode(data, type=PartResult)

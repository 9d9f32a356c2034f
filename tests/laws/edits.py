"""One edit in a long document, and how many chunks have to be embedded again because of it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from headnote.markdown import parse
from headnote.model import Block, Chunk

NEW_PARAGRAPH = "A sentence that was not there before, number {}, about nothing in particular but long enough to count."


class Cost(NamedTuple):
    """What edits cost: chunks whose hash is new, one number for each edit."""

    mean: float
    worst: int
    ninety: int
    """Nine of ten edits cost no more."""


def edited(source: str, blocks: Sequence[Block], index: int, number: int, rng: random.Random) -> str:
    """Insert a block before this one, delete it, or change a word of it."""
    block = blocks[index]
    what = rng.choice(("insert", "delete", "change"))
    if what == "insert":
        return f"{source[: block.start]}{NEW_PARAGRAPH.format(number)}\n\n{source[block.start :]}"
    if what == "delete":
        following = blocks[index + 1].start if index + 1 < len(blocks) else len(source)
        return source[: block.start] + source[following:]
    return f"{source[: block.end]} changed{number}{source[block.end :]}"


def edited_line(source: str, lines: Sequence[tuple[int, int]], number: int, rng: random.Random) -> str:
    """Inside a list, a table or code: one line more, one less, or one changed."""
    start, end = rng.choice(lines)
    line = source[start:end]
    body = line.rstrip("\r\n")
    changed = f"{body.rstrip('|').rstrip()} changed{number}{' |' * body.endswith('|')}{line[len(body) :]}"
    what = rng.choice(("insert", "delete", "change"))
    instead = {"insert": changed + line, "delete": "", "change": changed}[what]
    return source[:start] + instead + source[end:]


def inner_lines(source: str, mdx: bool = False) -> list[tuple[int, int]]:
    """Where the lines inside long lists, tables and code begin and end; the first two and the last are left out."""
    lines: list[tuple[int, int]] = []
    for block in parse(source, mdx=mdx):
        if block.kind in {"list", "table", "code"} and block.end_line - block.start_line > 3:
            at = block.start
            rows = []
            for line in source[block.start : block.end].splitlines(keepends=True):
                rows.append((at, at + len(line)))
                at += len(line)
            lines += [(start, end) for start, end in rows[2:-1] if source[start:end].strip(" \t\r\n`~")]
    return lines


def editable(source: str, mdx: bool = False) -> tuple[list[Block], list[int]]:
    """The blocks of a text, and those whose edit touches nothing else: a fence or tag that is cut open does."""
    blocks = parse(source, mdx=mdx)
    kinds = {"paragraph", "list", "table", "quote"}
    apart = [
        index
        for index, (before, block) in enumerate(pairwise(blocks), 1)
        if block.kind in kinds and before.end_line + 1 < block.start_line
    ]
    return blocks, apart


def hashes(chunks: Iterable[Chunk]) -> set[str]:
    return {chunk.hash for chunk in chunks}


def new_chunks(before: set[str], after: Iterable[Chunk]) -> int:
    """How many chunks have none of the hashes before."""
    return len(hashes(after) - before)


def cost_of(counts: Sequence[int]) -> Cost:
    ordered = sorted(counts)
    return Cost(sum(ordered) / len(ordered), ordered[-1], ordered[len(ordered) * 9 // 10])


def long_section(rng: random.Random, count: int) -> str:
    """One section of many blocks, without a heading to hold on to."""
    words = "cluster node pod service volume network policy label selector image container state".split()
    parts = ["# One section"]
    for _ in range(count):
        sentence = " ".join(rng.choice(words) for _ in range(rng.randint(5, 60))).capitalize() + "."
        shape = rng.random()
        if shape < 0.1:
            sentence = "```sh\n" + sentence.replace(" ", "\n") + "\n```"
        elif shape < 0.25:
            sentence = "\n".join(f"- {word} {rng.randint(0, 999)}" for word in sentence.split()[:9])
        parts.append(sentence)
    return "\n\n".join(parts) + "\n"

"""What the tests of all frameworks share: documents, an index, and the guarantees of chunking."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import headnote

GUIDE = """\
---
title: Guide
tags: [setup, tools]
updated: 2026-03-01
review: {by: Ada, every: 12}
aliases: []
---

Before any heading.

# Guide

Intro, said twice.

## Install

```python
# not a heading
one = 1
```

Intro, said twice.

## Use

| flag | what |
|---|---|
| `-a` | all |
"""

SETTINGS: dict[str, Any] = {"max_tokens": 48, "min_tokens": 0, "target_tokens": 24, "merge": False}
"""Small chunks, at least one per section of the guide."""

MDX = 'import { Tabs } from "x";\n\n# Widget\n\n<Tabs>\n\nText in tabs.\n\n</Tabs>\n'

EDITS = {
    "a word": GUIDE.replace("one = 1", "one = 2"),
    "a line above, which moves all others": GUIDE.replace("Before any heading.", "Before any heading.\n\nOne more."),
    "a section less": GUIDE[: GUIDE.index("## Use")],
    "the frontmatter": GUIDE.replace("by: Ada", "by: Grace"),
    "nothing": GUIDE,
}
"""Later versions of the guide."""

LARGEST = 128
"""Maximum tokens of a chunk in the tests on real documents."""


def not_covered(source: str, ranges: Sequence[tuple[int, int]]) -> str:
    """The text of a document outside all ranges, without frontmatter and blanks."""
    first = next(iter(headnote.parse(source)), None)
    at = first.end if first and first.kind == "frontmatter" else 0
    pieces = []
    for start, end in ranges:
        assert start >= at, "ranges overlap or go back"
        pieces.append(source[at:start])
        at = end
    return "".join([*pieces, source[at:]]).lstrip("\ufeff").strip()


CORPORA = ("own", "rust-book", "fastapi-en")


def real_documents(corpus_files: Callable[[str], list[Path]], corpus: str) -> list[Path]:
    """The handbook is in the first of them, some pages of others are enough."""
    return corpus_files(corpus)[: None if corpus == "own" else 20]


@contextmanager
def handbook_index(repository: Path, folder: Path) -> Iterator[headnote.Index]:
    """The handbook in an index with vectors that need no model."""
    root = folder / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    with headnote.Index.open(root, embedder="hashing") as index:
        index.update(workers=1)
        yield index

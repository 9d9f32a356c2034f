"""The corpus of our own: the pages in `tests/corpus`, our documentation, and pages grown from a seed.

It has every construct and takes seconds, so that tests over corpora run everywhere; the large ones lie elsewhere.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from documents import realistic
from edits import long_section
from nasty import RandomDice

WRITTEN = ("tests/corpus", "examples/handbook", "docs")
GROWN = 40
"""Pages; large enough for some hundred blocks of each kind."""


def write_own_corpus(repository: Path, folder: Path) -> None:
    """Put all pages below a folder, which is the same after every run on every machine."""
    for name in WRITTEN:
        shutil.copytree(repository / name, folder / name, ignore=shutil.ignore_patterns(".headnote"))
    for name, text in [*grown_pages(), *huge_pages()]:
        file = folder / "grown" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode("utf-8"))


def grown_pages() -> Iterator[tuple[str, str]]:
    """Pages as people write them, with byte order marks, line ends of every kind and things out of size."""
    for number in range(GROWN):
        yield f"page{number:02}.md", realistic(RandomDice(("own corpus", number)), 30)


def huge_pages() -> Iterator[tuple[str, str]]:
    """One block each that no chunk can hold."""
    generator = random.Random("huge")
    sentences = [line for line in long_section(generator, 200).splitlines() if line.endswith(".")]
    words = " ".join(sentences).replace(".", "").split()
    rows = iter(lambda: generator.sample(words, 4), None)
    yield "huge-paragraph.md", "# Paragraph\n\n" + " ".join(sentences) + "\n"
    yield "huge-list.md", "# List\n\n" + "".join(f"- {' '.join(row)}\n" for row in islice(rows, 600))
    yield (
        "huge-table.md",
        "# Table\n\n| a | b | c | d |\n|---|---|---|---|\n"
        + "".join(f"| {' | '.join(row)} |\n" for row in islice(rows, 600)),
    )
    yield (
        "huge-code.md",
        "# Code\n\n```py\n" + "".join(f"    {'_'.join(row)} = 1\n" for row in islice(rows, 600)) + "```\n",
    )
    yield "huge-quote.md", "# Quote\n\n" + "".join(f"> {' '.join(row)}.\n" for row in islice(rows, 400))
    yield "huge-line.md", "# Line\n\n" + "".join("".join(row) for row in islice(rows, 200)) + "\n"
    yield "huge-cell.md", "# Cell\n\n| a | b |\n|---|---|\n| " + " ".join(sentences) + " | x |\n"
    yield "huge-heading.md", "# " + " ".join(words[:400]) + "\n\nText.\n"
    yield (
        "huge-html.md",
        "# HTML\n\n<div>\n" + "".join(f"<p>{' '.join(row)}</p>\n" for row in islice(rows, 300)) + "</div>\n",
    )
    yield "huge-component.mdx", "# Component\n\n<Tabs>\n\n" + "\n\n".join(sentences) + "\n\n</Tabs>\n"
    yield "many-sections.md", "".join(f"## {' '.join(row)}\n\n{' '.join(row)}.\n\n" for row in islice(rows, 300))

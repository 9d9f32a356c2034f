"""Any amount of varied Markdown, made from the corpora.

    python bench/bulk_text.py FOLDER MEGABYTES [--seed N]

A document has frontmatter and sections of several real documents, with some of their words exchanged and links to its
neighbours, so that neither texts nor chunks repeat. The same numbers give the same files. Corpora lie at
HEADNOTE_SHARED or beside the working copy in `shared`.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from pathlib import Path

from shared_corpora import MEGABYTE, load

CORPORA = ("kubernetes-en", "react.dev", "astro-en", "rust-book", "fastapi-en", "foam")
SEED = 20
SECTIONS = (2, 9)
"""Of a document, at least and at most."""
EXCHANGED = 12
"""Words of a section that become others, wherever they stand in it."""
IN_A_FOLDER = 500
SMALLEST, LARGEST = 200, 12_000
"""Characters of a section that is taken."""

_HEADING = re.compile(r"^#{1,3} ", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)
_WORD = re.compile(r"\b[a-z]{5,12}\b")


def write_documents(folder: Path, megabytes: float, seed: int = SEED) -> int:
    """Write so much; how many files."""
    sections = read_sections()
    words = sorted({word for section in sections[:: max(len(sections) // 500, 1)] for word in _WORD.findall(section)})
    size = 0
    for number in count():
        if size >= megabytes * MEGABYTE:
            return number
        text = document(number, sections, words, random.Random(seed * 10_000_000 + number)).encode()
        file = folder / path_of(number)
        if number % IN_A_FOLDER == 0:
            file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
        size += len(text)
    raise AssertionError("unreachable")


def path_of(number: int) -> str:
    return f"{number // IN_A_FOLDER:05}/page-{number:08}.md"


def read_sections() -> list[str]:
    """The sections of all corpora that stand alone: none of them ends inside a fence."""
    texts = [document.text for corpus in load(CORPORA).values() for document in corpus]
    return [section for text in texts for section in _cut(text) if SMALLEST <= len(section) <= LARGEST]


def _cut(text: str) -> Iterator[str]:
    cuts = [*(match.start() for match in _HEADING.finditer(text)), len(text)]
    for start, end in pairwise(cuts):
        section = text[start:end].strip()
        if len(_FENCE.findall(section)) % 2 == 0:
            yield section


def document(number: int, sections: Sequence[str], words: Sequence[str], dice: random.Random) -> str:
    title = " ".join(dice.choices(words, k=3)).capitalize()
    head = (
        f"---\ntitle: {title}\ntags: [{dice.choice(words)}, {dice.choice(words)}]\nnumber: {number}\n---\n\n# {title}"
    )
    parts = [varied(dice.choice(sections), words, dice) for _ in range(dice.randint(*SECTIONS))]
    links = [f"- [{dice.choice(words)}](page-{_neighbour(number, dice):08}.md)" for _ in range(3)]
    return (
        "\n\n".join([head, *(part.replace("# ", "## ", 1) for part in parts), "## See also", "\n".join(links)]) + "\n"
    )


def _neighbour(number: int, dice: random.Random) -> int:
    """A document in the same folder."""
    return number // IN_A_FOLDER * IN_A_FOLDER + dice.randrange(IN_A_FOLDER)


def varied(section: str, words: Sequence[str], dice: random.Random) -> str:
    """The section with some of its words exchanged."""
    own = sorted(set(_WORD.findall(section[:2_000])))
    for word in dice.sample(own, min(EXCHANGED, len(own))):
        section = section.replace(word, dice.choice(words))
    return section


def main() -> int:
    parser = argparse.ArgumentParser(description="Any amount of varied Markdown, made from the corpora.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    print(f"{write_documents(options.folder, options.megabytes, options.seed):,} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Speed of every counter: whole documents, blocks, token boundaries.

    python bench/tokens.py [FOLDER…]

Folders default to three corpora of the shared test data. CPU time, best of three: other work on the machine counts
less. The portable encoding sees a tenth of the documents.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from os import environ
from pathlib import Path

from headnote.markdown import parse
from headnote.markdown.document import is_mdx
from headnote.sources.files import read_source
from headnote.tokens import Counter, get_counter
from headnote.tokens.bpe import BpeCounter
from headnote.tokens.portable import PortableEncoding
from shared_corpora import files_below

CORPORA = ["kubernetes-en", "rust-book", "react.dev"]
Document = tuple[str, list[int]]
"""Text, and where its blocks begin, the end of the text last."""


def main() -> None:
    shared = Path(environ.get("HEADNOTE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    folders = [Path(argument) for argument in sys.argv[1:]] or [shared / "corpora" / name for name in CORPORA]
    files = [file for folder in folders if folder.exists() for file in files_below(folder)]
    if not files:
        sys.exit("no documents: name a folder, or set HEADNOTE_SHARED")
    documents = [read(file) for file in files]
    blocks = sum(len(cuts) - 1 for _, cuts in documents)
    print(f"{len(documents)} documents, {blocks} blocks, {megabytes(documents):.1f} MB; MB/s\n")
    print("| counter | documents | blocks | boundaries |\n|---|---|---|---|")
    for name in ("cl100k", "o200k", "chars", "chars4", "estimate"):
        report(name, get_counter(name), documents)
    for name, encoding in (("cl100k", "cl100k_base"), ("o200k", "o200k_base")):
        report(f"{name}, portable", BpeCounter(name, PortableEncoding(encoding)), documents[::10])


def read(file: Path) -> Document:
    text = read_source(file)
    return text, [*(block.start for block in parse(text, mdx=is_mdx(file))), len(text)]


def report(name: str, counter: Counter, documents: list[Document]) -> None:
    counter.boundaries("loads what is loaded once")
    ways: list[Callable[[str, list[int]], object]] = [
        lambda text, _: counter.count(text),
        counter.weigh_pieces,
        lambda text, _: counter.boundaries(text),
    ]
    cells = [f"{megabytes(documents) / seconds(way, documents):.1f}" for way in ways]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def seconds(way: Callable[[str, list[int]], object], documents: list[Document]) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()
        for text, cuts in documents:
            way(text, cuts)
        times.append(time.process_time() - started)
    return max(min(times), 1e-9)


def megabytes(documents: list[Document]) -> float:
    return sum(len(text.encode()) for text, _ in documents) / 1e6


if __name__ == "__main__":
    main()

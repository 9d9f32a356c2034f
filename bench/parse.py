"""How fast are top-level blocks with their positions, beside the parsers we are judged by?

    python bench/parse.py [--corpora DIR] [--rounds N] [--json FILE]

Every parser delivers the kind, start and end of every top-level block of every file of the corpora, in one process.
Rounds are interleaved, so that noise hits all alike, and the best one counts.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pyromark
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from headnote import parse
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import MEGABYTE, files_below, shared_folder

OURS, PYROMARK, MARKDOWN_IT, OURS_AS_MDX = "headnote", "pyromark", "markdown-it-py", "headnote, mdx"
GOALS = {PYROMARK: 1.5, MARKDOWN_IT: 10.0}
MDX_CORPORA = {"astro-en", "react.dev"}

Spans = Sequence[tuple[object, ...]]
"""Kind, start, end (and what else a parser gives) of every top-level block."""


class Corpus(NamedTuple):
    """The files of one corpus, in memory."""

    name: str
    texts: list[str]
    megabytes: float


class Result(NamedTuple):
    """Best time of one parser on one corpus."""

    seconds: float
    blocks: int


def with_headnote(text: str) -> Spans:
    return parse(text)


def with_headnote_as_mdx(text: str) -> Spans:
    return parse(text, mdx=True)


_PYROMARK = pyromark.Markdown(
    options=pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_YAML_STYLE_METADATA_BLOCKS
    | pyromark.Options.ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
)


def with_pyromark(text: str) -> Spans:
    """Events come in document order, so what starts before the last block ended lies within it. So does what is
    empty: a cell at the end of a table.
    """
    blocks: list[tuple[object, ...]] = []
    end = -1
    for event, span in _PYROMARK.events_with_range(text):
        start = span["start"]
        if start >= end and start < span["end"]:
            end = span["end"]
            blocks.append((event, start, end))
    return blocks


_MARKDOWN_IT = MarkdownIt("commonmark").enable("table").disable("inline")
_MARKDOWN_IT.use(front_matter_plugin).use(footnote_plugin, inline=False, move_to_end=False)


def with_markdown_it(text: str) -> Spans:
    tokens = _MARKDOWN_IT.parse(text)
    return [(token.type, token.map) for token in tokens if token.level == 0 and token.nesting >= 0]


PARSERS: dict[str, Callable[[str], Spans]] = {
    OURS: with_headnote,
    PYROMARK: with_pyromark,
    MARKDOWN_IT: with_markdown_it,
    OURS_AS_MDX: with_headnote_as_mdx,
}


def load(root: Path) -> list[Corpus]:
    corpora = []
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        contents = [file.read_bytes() for file in files_below(folder)]
        size = sum(len(content) for content in contents) / MEGABYTE
        corpora.append(Corpus(folder.name, [content.decode("utf-8") for content in contents], size))
    return corpora


def measure(corpus: Corpus, names: Sequence[str], rounds: int) -> dict[str, Result]:
    best = dict.fromkeys(names, Result(math.inf, 0))
    for turn in range(rounds):
        # Another parser goes first each time: the later ones find the texts in the cache.
        for place in range(len(names)):
            name = names[(turn + place) % len(names)]
            best[name] = min(best[name], run_once(PARSERS[name], corpus.texts))
    return best


def run_once(parser: Callable[[str], Spans], texts: Sequence[str]) -> Result:
    """Garbage of the one before is collected before the clock starts; the own is on the own account."""
    gc.collect()
    blocks = 0
    start = time.perf_counter()
    for text in texts:
        blocks += len(parser(text))
    return Result(time.perf_counter() - start, blocks)


def report(corpora: Sequence[Corpus], results: Sequence[dict[str, Result]]) -> Table:
    judged = [OURS, PYROMARK, MARKDOWN_IT]
    rows = [row(corpus.name, corpus.megabytes, result) for corpus, result in zip(corpora, results, strict=True)]
    total = {
        name: Result(sum(result[name].seconds for result in results), sum(result[name].blocks for result in results))
        for name in judged
    }
    rows.append(row("all", sum(corpus.megabytes for corpus in corpora), total))
    return Table(
        "Top-level blocks with kind, start and end: MB/s",
        ["corpus", "MB", OURS, PYROMARK, MARKDOWN_IT, "x pyromark", "x markdown-it", OURS_AS_MDX, "blocks", "theirs"],
        rows,
        [
            "x: how many times as fast as they we are. theirs: blocks of pyromark and markdown-it-py, who do not tell",
            "link definitions as blocks. All corpora are read as plain Markdown; MDX by ours in a column of its own.",
            "headnote gives offsets in characters and lines; pyromark gives offsets in bytes, markdown-it-py lines.",
            "pyromark always reads inline text, too; markdown-it-py runs block rules only.",
            *verdict(total),
        ],
    )


def row(name: str, megabytes: float, result: dict[str, Result]) -> list[str]:
    speed = {parser: megabytes / one.seconds for parser, one in result.items()}
    return [
        name,
        f"{megabytes:.1f}",
        *(f"{speed[parser]:.1f}" for parser in (OURS, PYROMARK, MARKDOWN_IT)),
        *(f"{speed[OURS] / speed[parser]:.2f}" for parser in (PYROMARK, MARKDOWN_IT)),
        f"{speed[OURS_AS_MDX]:.1f}" if OURS_AS_MDX in speed else "–",
        f"{result[OURS].blocks:,}",
        f"{result[PYROMARK].blocks:,} / {result[MARKDOWN_IT].blocks:,}",
    ]


def verdict(total: dict[str, Result]) -> list[str]:
    return [
        f"Goal: at least {goal} x {name}. Measured: {total[name].seconds / total[OURS].seconds:.2f}."
        for name, goal in GOALS.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Top-level blocks with positions: ours, pyromark, markdown-it-py.")
    parser.add_argument("--corpora", type=Path, metavar="DIR", help="folder with one folder per corpus")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="the best of so many counts (default 5)")
    add_json_option(parser)
    options = parser.parse_args()
    corpora = load(options.corpora or shared_folder() / "corpora")
    setting, packages = machine(), versions(["headnote-md", PYROMARK, MARKDOWN_IT, "mdit-py-plugins"])
    show_setting(setting, packages)
    results = []
    for corpus in corpora:
        names = [name for name in PARSERS if name != OURS_AS_MDX or corpus.name in MDX_CORPORA]
        results.append(measure(corpus, names, options.rounds))
    show(report(corpora, results))
    figures = [
        Figure(f"{corpus.name}: {name}", "speed", "MB/s", corpus.megabytes / one.seconds, "higher")
        for corpus, result in zip(corpora, results, strict=True)
        for name, one in result.items()
    ]
    write_figures(options.json, figures, setting, packages)


if __name__ == "__main__":
    main()

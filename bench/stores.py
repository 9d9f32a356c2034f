"""The same in SQLite and in PostgreSQL: how long an update and a search take, and whether both find the same.

    python bench/stores.py FOLDER --store postgresql://USER@HOST/DATABASE [--questions FILE] [--embedder NAME]
                           [--most N] [--json FILE]
    python bench/stores.py --sets --store URL …     all question sets instead of a folder
    python bench/stores.py --made N --store URL …   so many chunks that are made up; the server runs on this machine

Questions are lines of JSON with a `query`; without a file, the headings of the folder are the questions. The question
sets lie at HEADNOTE_SHARED, or beside the working copy in `shared`. Nothing is left behind in the folder, and the
schema `headnote_bench` is dropped first. Needs `pip install -e ".[search,postgres]"`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psycopg

import headnote
from headnote.config.stored import choose
from headnote.embedding.registry import get_models
from headnote.search.query import MODES, Mode
from headnote.store.opening import open_store
from question_sets import LANGUAGES, QuestionSet, anthropic, chroma, linkgold, xquad
from report import Figure, add_json_option, machine, show_setting, versions, write_figures
from store_sizes import compare_sizes

CORPORA = ("fastapi-en", "react.dev", "astro-en")
SCHEMA = "headnote_bench"
DISTRIBUTIONS = ["headnote-md", "apsw", "numpy", "psycopg"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sets", action="store_true", help="all question sets")
    parser.add_argument("--made", type=int, metavar="N", help="chunks that are made up")
    parser.add_argument("--store", required=True, metavar="URL")
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--embedder", default="hashing:384")
    parser.add_argument("--most", type=int, default=200, help="questions")
    add_json_option(parser)
    given = parser.parse_args()
    setting, packages = machine(), versions(DISTRIBUTIONS)
    show_setting(setting, packages)
    target = f"{given.store}{'&' if '?' in given.store else '?'}schema={SCHEMA}"
    figures: list[Figure] = []
    with TemporaryDirectory() as scratch:
        if given.made:
            drop(given.store)
            for some_figures in compare_sizes(given.store, target, given.made):
                figures += some_figures
                write_figures(given.json, figures, setting, packages)
        for name, folder, asked in folders(given, Path(scratch)):
            drop(given.store)
            print(f"\n{name}")
            figures += [
                one._replace(case=f"{name}, {one.case}") for one in compare_folder(given, target, folder, asked)
            ]
            write_figures(given.json, figures, setting, packages)


def folders(given: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """Name, documents and questions; no questions where the headings are to be asked for."""
    if given.folder:
        lines = given.questions.read_text(encoding="utf-8").splitlines() if given.questions else []
        yield given.folder.name, given.folder, [json.loads(line)["query"] for line in lines if line.strip()]
    if given.sets:
        for one in all_sets(scratch):
            yield one.name, one.root, [question.text for question in one.questions]


def all_sets(scratch: Path) -> Iterator[QuestionSet]:
    yield chroma(scratch, quick=False)
    yield anthropic(scratch, quick=False)
    yield from (linkgold(corpus, scratch, quick=False) for corpus in CORPORA)
    yield from (xquad(language, scratch, quick=False) for language in LANGUAGES)


def drop(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")


def compare_folder(given: argparse.Namespace, target: str, folder: Path, asked: list[str]) -> list[Figure]:
    figures: list[Figure] = []
    with TemporaryDirectory() as scratch:
        indexes = {
            "SQLite": made(folder, Path(scratch), "", given.embedder, figures),
            "PostgreSQL": made(folder, Path(scratch), target, given.embedder, figures),
        }
        questions = some(asked or headings(indexes["SQLite"]), given.most)
        for mode in MODES:
            figures += compare(indexes, questions, mode)
        for index in indexes.values():
            index.close()
    return figures


def made(folder: Path, scratch: Path, target: str, embedder: str, figures: list[Figure]) -> headnote.Index:
    store = open_store(scratch, target)
    index = headnote.Index(folder, store, choose({}, folder, environment={}), get_models(embedder))
    began = time.perf_counter()
    index.update(vectors=False)
    words = time.perf_counter()
    index.update()
    vectors = time.perf_counter()
    status = index.status()
    name = "PostgreSQL" if target else "SQLite"
    print(
        f"{name:<11} {status.documents:,} documents, {status.chunks:,} chunks: "
        f"documents {words - began:.1f} s, vectors {vectors - words:.1f} s, {status.bytes_on_disk / 1e6:.0f} MB"
    )
    figures.append(Figure(f"{name}: documents", "time", "s", words - began))
    figures.append(Figure(f"{name}: vectors", "time", "s", vectors - words))
    figures.append(Figure(f"{name}: index", "size", "MB", status.bytes_on_disk / 1e6))
    return index


def headings(index: headnote.Index) -> list[str]:
    return [entry.heading.text for path in index.documents() for entry in index.outline(path)]


def some(texts: list[str], most: int) -> list[str]:
    questions = list(dict.fromkeys(filter(None, texts)))
    Random(1).shuffle(questions)
    return questions[:most]


def compare(indexes: dict[str, headnote.Index], questions: list[str], mode: Mode) -> list[Figure]:
    times: dict[str, list[float]] = {name: [] for name in indexes}
    same = 0
    for question in [questions[0], *questions]:  # the first one twice: it loads what the others share
        paths = []
        for name, index in indexes.items():
            began = time.perf_counter()
            hits = index.search(question, 10, mode)
            times[name].append(time.perf_counter() - began)
            paths.append(list(dict.fromkeys(hit.path for hit in hits)))
        same += paths[0] == paths[1]
    medians = {name: statistics.median(spent[1:]) * 1e3 for name, spent in times.items()}
    share = 100 * same / (len(questions) + 1)
    shown = ", ".join(f"{name} {median:.1f} ms" for name, median in medians.items())
    print(f"{mode:<9} p50 {shown}; same documents, in the same order: {share:.1f}%")
    searches = [Figure(f"{name}: {mode} search", "p50", "ms", median) for name, median in medians.items()]
    return [*searches, Figure(f"both: {mode} search", "same documents in the same order", "%", share, "higher")]


if __name__ == "__main__":
    main()

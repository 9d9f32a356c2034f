"""How good is the search on the questions by which docs-mcp-server measures itself, beside what it publishes?

    python bench/graded_pages.py [--dataset FILE] [--docs LIBRARY=FOLDER]... [--mode MODE] [--json FILE]

Its dataset is `tests/search-eval/dataset.yaml` of https://github.com/arabold/docs-mcp-server (MIT): questions about
five libraries, each with the pages that answer it and how well. `--docs` names a checkout of the documentation of a
library. Measured as there: of five results each counts as its page, and a page counts where it is first.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from urllib.parse import urlsplit

import yaml

from headnote.api import Index
from headnote.search.query import MODES, Mode
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures
from shared_corpora import shared_folder

RESULTS = 5
CORPORA = {"react": "react.dev", "fastapi": "fastapi-en", "vite": "vite-docs"}
"""Library → its documentation among the corpora."""
TRAINED_ON = {"vite"}
"""Its texts were among those that our models are made from."""
PUBLISHED = {
    "docs-mcp-server, all five libraries, as published": (0.747, 0.699, 0.881),
    "Context7, all five libraries, as published there": (0.733, 0.704, 0.847),
}
"""At commit 80927124, with OpenAI's text-embedding-3-small; not by library."""

Grades = Mapping[str, int]


class GradedQuestion(NamedTuple):
    library: str
    text: str
    grades: Grades
    """Path of a page in its address → how well it answers, from 1 to 3."""


class Score(NamedTuple):
    """Of one question, or the mean of several."""

    mrr: float
    ndcg: float
    hit: float


def read_questions(file: Path) -> list[GradedQuestion]:
    entries = [entry["vars"] for entry in yaml.safe_load(file.read_text(encoding="utf-8"))["entries"]]
    return [
        GradedQuestion(
            entry["library"],
            entry["query"],
            {urlsplit(page["url"]).path.strip("/"): page["grade"] for page in entry["qrels"]},
        )
        for entry in entries
    ]


def document_of(page: str, documents: Sequence[str]) -> str:
    """The document that a site shows at this address; empty if there is none."""
    names = {f"/{page}", f"/{page}/index"}
    found = [path for path in documents if any(f"/{path}".rpartition(".")[0].endswith(name) for name in names)]
    return min(found, key=len, default="")


def score_of(found: Sequence[str], grades: Grades) -> Score:
    """`found`: the documents of the results, best first."""
    first = next((rank for rank, path in enumerate(found, 1) if path in grades), 0)
    gains = [2 ** grades.get(path, 0) - 1 for path in found]
    seen = [gain if path not in found[:rank] else 0 for rank, (path, gain) in enumerate(zip(found, gains, strict=True))]
    ideal = sorted((2**grade - 1 for grade in grades.values()), reverse=True)[:RESULTS]
    return Score(1 / first if first else 0.0, _discounted(seen) / _discounted(ideal), float(first > 0))


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def mean(scores: Sequence[Score]) -> Score:
    return Score(*(fmean(column) for column in zip(*scores, strict=True)))


def measured(root: Path, questions: Sequence[GradedQuestion], mode: Mode) -> Iterator[Score]:
    with tempfile.TemporaryDirectory() as work:
        copy = shutil.copytree(root, Path(work, "docs"), ignore=shutil.ignore_patterns(".headnote"))
        index = Index.open(copy)
        index.update()
        documents = index.documents()
        for question in questions:
            grades = {document_of(page, documents) or page: grade for page, grade in question.grades.items()}
            for page in grades.keys() - set(documents):
                print(f"  no document for {page}: {question.text}", file=sys.stderr)
            yield score_of([hit.path for hit in index.search(question.text, RESULTS, mode)], grades)
        index.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="How good is the search on the questions of docs-mcp-server.")
    parser.add_argument("--dataset", type=Path)
    parser.add_argument("--docs", action="append", default=[], metavar="LIBRARY=FOLDER")
    parser.add_argument("--mode", choices=MODES, default="hybrid")
    add_json_option(parser)
    arguments = parser.parse_args()
    folders = {name: Path(folder) for name, _, folder in (given.partition("=") for given in arguments.docs)}
    folders = folders or {name: shared_folder() / "corpora" / corpus for name, corpus in CORPORA.items()}
    if missing := [str(folder) for folder in folders.values() if not folder.is_dir()]:
        parser.error(f"no folder {', '.join(missing)}")
    dataset = arguments.dataset or shared_folder() / "retrieval" / "docs-mcp-server" / "dataset.yaml"
    show_setting(setting := machine(), packages := versions(["numpy"]))
    by_library: defaultdict[str, list[GradedQuestion]] = defaultdict(list)
    for question in read_questions(dataset):
        by_library[question.library].append(question)
    scores = {name: list(measured(folder, by_library[name], arguments.mode)) for name, folder in folders.items()}
    means = {f"headnote, {name}{' (trained on)' * (name in TRAINED_ON)}": own for name, own in scores.items()}
    all_of_them = [score for own in scores.values() for score in own]
    fresh = [score for name, own in scores.items() if name not in TRAINED_ON for score in own]
    rows = {**means, "headnote, those not trained on": fresh, "headnote, all of these": all_of_them}
    ours = {name: (mean(own), len(own)) for name, own in rows.items() if own}
    cells = [[name, str(count), *(f"{value:.3f}" for value in score)] for name, (score, count) in ours.items()]
    cells += [[name, "59", *(f"{value:.3f}" for value in score)] for name, score in PUBLISHED.items()]
    columns = ["", "questions", "MRR", f"nDCG@{RESULTS}", f"hit@{RESULTS}"]
    show(
        Table(
            f"Pages among {RESULTS} results, {arguments.mode}", columns, cells, ["Of libraries, nothing is published."]
        )
    )
    figures = [
        Figure(name, metric, "", value, "higher")
        for name, (score, _) in ours.items()
        for metric, value in zip(columns[2:], score, strict=True)
    ]
    write_figures(arguments.json, figures, setting, packages)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""No model is trained on what judges it: neither the sites nor their text are among the training pairs."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from corpora import files_below

from headnote.sources.files import read_source

JUDGES = {
    "astro-en": "withastro",
    "fastapi-en": "fastapi",
    "kubernetes-en": "kubernetes",
    "kubernetes-ja": "kubernetes",
    "react.dev": "reactjs",
    "anthropic-docs": "anthropics",
}
"""Corpus that questions are asked about → who owns its repository."""
PROSE = "chunking_evaluation"
LENGTH = 12
"""Words in a row. Fewer are shared by chance: an address, a command, the head of an HTML page."""
MOST = 0.003
"""Share of the runs of a judge that may be in the training text. It was .0019 at most: example code, licences and the
help of commands that several sites print."""


@pytest.fixture(scope="module")
def training(shared: Path) -> dict[str, Any]:
    file = shared / "training" / "pairs.json.xz"
    if not file.exists():
        pytest.skip("no training pairs in the shared test data")
    with lzma.open(file) as stream:
        content: dict[str, Any] = json.load(stream)
    return content


def test_no_judge_is_among_the_sites(shared: Path, training: dict[str, Any]) -> None:
    listed = set(
        re.findall(r"^\| ([\w.-]+/[\w.-]+) \|", (shared / "training" / "SOURCES.md").read_text(), re.MULTILINE)
    )
    trained = {chunk["r"].replace("+", "/", 1) for chunk in training["chunks"]}
    assert trained
    assert trained <= listed, "every site that is trained on is named with its licence"
    owners = {site.partition("/")[0].lower() for site in listed}
    names = {site.partition("/")[2].lower() for site in listed}
    assert owners.isdisjoint(JUDGES.values())
    assert names.isdisjoint(JUDGES)


@pytest.fixture(scope="module")
def trained(training: dict[str, Any]) -> set[str]:
    """The runs of words in all passages."""
    return set(runs(chunk["x"] for chunk in training["chunks"] if not is_licence(chunk["p"])))


def test_no_judge_has_its_text_among_the_passages(shared: Path, trained: set[str]) -> None:
    for name, texts in texts_of_judges(shared):
        assert share_of(texts, trained) < MOST, name


def test_a_site_that_is_trained_on_would_be_noticed(shared: Path, trained: set[str]) -> None:
    folder = shared / "corpora" / "vite-docs"
    assert share_of([read_source(file) for file in files_below(folder)], trained) > 100 * MOST


def share_of(texts: Iterable[str], trained: set[str]) -> float:
    own = set(runs(texts))
    assert len(own) > 300
    return len(own & trained) / len(own)


def test_no_question_is_taken_from_the_passages(shared: Path, training: dict[str, Any]) -> None:
    asked = [record["question"] for record in records(shared / "retrieval" / "anthropic-docs")]
    with (shared / "retrieval" / PROSE / "questions_df.csv").open(encoding="utf-8") as lines:
        asked += [line.partition(",")[0] for line in lines][1:]
    queries = {" ".join(words(query)) for _, query, _ in training["pairs"]}
    assert {" ".join(words(question)) for question in asked} & queries <= {""}


def texts_of_judges(shared: Path) -> Iterator[tuple[str, list[str]]]:
    for name in JUDGES:
        folder = shared / "corpora" / name
        if folder.is_dir():
            yield name, [read_source(file) for file in files_below(folder) if not is_licence(file.name)]
    sections = json.loads((shared / "retrieval" / "anthropic-docs" / "anthropic_docs.json").read_text(encoding="utf-8"))
    yield "anthropic-docs", [section["text"] for section in sections]
    yield PROSE, [read_source(file) for file in files_below(shared / "retrieval" / PROSE / "corpora")]


def records(folder: Path) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads((folder / "docs_evaluation_dataset.json").read_text(encoding="utf-8"))
    return content


def is_licence(path: str) -> bool:
    """Licences are the same everywhere."""
    return "license" in path.lower()


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def runs(texts: Iterable[str]) -> Iterator[str]:
    """Runs of words. To save time, only those that begin with a word of some kind, the same in every text."""
    for text in texts:
        found = words(text)
        for at, word in enumerate(found[: 1 - LENGTH]):
            if len(word) > 6 and word[-1] in "dn":
                yield " ".join(found[at : at + LENGTH])

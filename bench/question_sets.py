"""The question sets of the quality benchmark: documents in a folder, and questions whose answers are known."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from headnote.evaluate.formats import load_questions, write_sections
from headnote.evaluate.questions import Question
from headnote.sources.discover import expand
from shared_corpora import shared_folder

SMALL = 150_000
"""Characters. A quick run leaves larger documents out."""
EVERY = 4
"""A quick run asks every fourth question."""


class QuestionSet(NamedTuple):
    name: str
    root: Path
    """Folder of the documents."""
    questions: list[Question]


def chroma(work: Path, quick: bool) -> QuestionSet:
    """Exact excerpts in prose: speeches, articles, chats, filings."""
    folder = shared_folder() / "retrieval" / "chunking_evaluation"
    return _made("chroma", folder / "corpora", load_questions(folder / "questions_df.csv"), work, quick)


def anthropic(work: Path, quick: bool) -> QuestionSet:
    """Questions of users, and sections of a documentation."""
    folder = shared_folder() / "retrieval" / "anthropic-docs"
    documents = work / "anthropic-sections"
    write_sections(folder / "anthropic_docs.json", documents)
    return _made("anthropic", documents, load_questions(folder / "docs_evaluation_dataset.json"), work, quick)


def linkgold(name: str, work: Path, quick: bool) -> QuestionSet:
    """What links say, and the page or section they lead to."""
    shared = shared_folder()
    questions = load_questions(shared / "retrieval" / "linkgold" / f"{name}.jsonl")
    return _made(f"linkgold {name}", shared / "corpora" / name, questions, work, quick)


def _made(name: str, source: Path, questions: list[Question], work: Path, quick: bool) -> QuestionSet:
    root = work / f"documents-{name.replace(' ', '-')}{'-quick' if quick else ''}"
    texts = [file for file in expand([source]) if not quick or file.stat().st_size <= SMALL]
    if quick:
        paths = {file.relative_to(source).as_posix() for file in texts}
        questions = [question for question in questions if all(gold.path in paths for gold in question.gold)][::EVERY]
        gold_paths = {gold.path for question in questions for gold in question.gold}
        texts = [file for file in texts if file.relative_to(source).as_posix() in gold_paths]
    _copy(texts, source, root)
    return QuestionSet(name, root, questions)


def _copy(files: Iterable[Path], source: Path, root: Path) -> None:
    for file in files:
        target = root / file.relative_to(source)
        if not target.exists() or target.stat().st_size != file.stat().st_size:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)

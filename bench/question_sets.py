"""The question sets of the quality benchmark: documents in a folder, and questions whose answers are known."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import yaml

from headnote.extra.evaluate.questions import Gold, GoldPlace, Question, load_questions, write_sections
from shared_corpora import files_below, shared_folder

SMALL = 150_000
"""Characters. A quick run leaves larger documents out."""
EVERY = 4
"""A quick run asks every fourth question."""


LANGUAGES = ("de", "el", "es", "hi", "th", "tr", "vi")
"""Of XQuAD, beside the working copy. Others are kept back."""


LINKED = ("fastapi-en", "react.dev", "astro-en")
"""Documentations whose links are questions."""
ASKED = ("astro-en", "fastapi-en", "poetry-docs", "react.dev", "uv-docs")
"""Documentations about which people asked on GitHub. Others are kept back."""
GRADED = {
    "react": ("react.dev", "https://react.dev/", "src/content/", (".md", "/index.md")),
    "fastapi": ("fastapi-en", "https://fastapi.tiangolo.com/", "docs/", (".md", "/index.md")),
}
"""Library → its documents, the address of its pages, and the folder and endings of their files. The models were trained
on those of Vite, which is left out."""


class QuestionSet(NamedTuple):
    name: str
    """The kind, then the corpus or language where there are several."""
    root: Path
    """Folder of the documents."""
    questions: list[Question]

    @property
    def kind(self) -> str:
        """`chroma`, `anthropic`, `linkgold`, `asked`, `graded` or `xquad`."""
        return self.name.partition(" ")[0]

    @property
    def asks_for_links(self) -> bool:
        """Whether the questions are the texts of links, so that following links would give the answers away."""
        return self.kind == "linkgold"


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


def asked(name: str, work: Path, *, with_body: bool) -> QuestionSet:
    """What people asked on GitHub, and the pages they were sent to; with the text below the title, or without."""
    shared = shared_folder()
    file = shared / "retrieval" / "asked" / "asked.jsonl"
    questions = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        record = json.loads(line)
        if record["corpus"] == name and (not with_body or "body" in record):
            text = f"{record['question']}\n{record['body']}" if with_body else record["question"]
            gold = tuple(Gold(place["path"]) for place in record["gold"])
            questions.append(Question(text, gold, GoldPlace(str(file), number)))
    return _made(f"asked {name}", shared / "corpora" / name, questions, work, quick=False)


def graded(library: str, work: Path) -> QuestionSet:
    """The questions by which docs-mcp-server measures itself, and the pages that it grades as answers to them."""
    shared = shared_folder()
    corpus, address, folder, endings = GRADED[library]
    file = shared / "retrieval" / "docs-mcp-server" / "dataset.yaml"
    questions = []
    for entry in (entry["vars"] for entry in yaml.safe_load(file.read_text(encoding="utf-8"))["entries"]):
        if entry["library"] == library:
            pages = [f"{folder}{answer['url'].removeprefix(address).strip('/')}" for answer in entry["qrels"]]
            found = [page + ending for page in pages for ending in endings]
            gold = tuple(Gold(path) for path in found if (shared / "corpora" / corpus / path).is_file())
            questions.append(Question(entry["query"], gold, GoldPlace(str(file), 1)))
    return _made(f"graded {library}", shared / "corpora" / corpus, questions, work, quick=False)


def xquad(language: str, work: Path, quick: bool) -> QuestionSet:
    """Questions about paragraphs of an encyclopedia, in another language: each paragraph is a document."""
    file = shared_folder() / "retrieval" / "xquad" / f"xquad.{language}.json"
    documents = work / f"xquad-{language}"
    questions = []
    for number, article in enumerate(json.loads(file.read_text(encoding="utf-8"))["data"]):
        for position, paragraph in enumerate(article["paragraphs"]):
            # The titles are English whatever the language, so the names of the files say nothing.
            path = f"{number:02}/{position:02}.md"
            _write(documents / path, paragraph["context"].removeprefix("\ufeff") + "\n")
            asked = [entry["question"] for entry in paragraph["qas"]]
            questions += [Question(text, (Gold(path),), GoldPlace(str(file), 1)) for text in asked]
    return _made(f"xquad {language}", documents, questions, work, quick)


def _write(file: Path, text: str) -> None:
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def _made(name: str, source: Path, questions: list[Question], work: Path, quick: bool) -> QuestionSet:
    root = work / f"documents-{name.replace(' ', '-')}{'-quick' if quick else ''}"
    texts = [file for file in files_below(source) if not quick or file.stat().st_size <= SMALL]
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

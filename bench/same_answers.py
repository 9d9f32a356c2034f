"""Does another commit give the same answers? Both read the same folders, answer the same questions, and are compared.

    python bench/same_answers.py --other SOURCE [--set NAME] [--questions N] [--cache DIR]

SOURCE is the folder `src` of a working copy of the other commit. Each commit makes indexes of its own, with the instant
model. The questions are those of the quality benchmark, as a search in every mode and as a page with its facets, and
each of them cut off in its last word, as it is typed. The documents, their order, their scores to the last bit and the
reasons of each hit must be the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import headnote
from question_sets import LANGUAGES, QuestionSet, anthropic, chroma, linkgold, xquad
from report import Table, show
from shared_corpora import REPOSITORY

LIMIT = 10
SETS: dict[str, Callable[[Path, bool], QuestionSet]] = {
    "chroma": chroma,
    "anthropic": anthropic,
    **{name: partial(linkgold, name) for name in ("astro-en", "fastapi-en", "react.dev")},
    **{name: partial(xquad, name) for name in LANGUAGES},
}
MODES = ("hybrid", "semantic", "keyword")
PAGE = "page"

Answers = dict[str, Any]


def main() -> int:
    options = _options()
    if options.answer:
        return _print_answers(options)
    rows, differing = [], 0
    for name in options.set or SETS:
        ours, theirs = (_answers_of(source, name, options) for source in (REPOSITORY / "src", options.other))
        different = [asked for asked in ours if ours[asked] != theirs[asked]]
        differing += len(different) + (ours.keys() != theirs.keys())
        rows.append([name, str(len(ours)), str(len(different))])
        for asked in different[:3]:
            print(f"  {asked}\n    ours   {_short(ours[asked])}\n    theirs {_short(theirs[asked])}")
    show(Table("Searches with the same answers", ["questions", "searches", "different"], rows, []))
    return 1 if differing else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whether two commits give the same answers.")
    parser.add_argument("--other", type=Path, required=True, metavar="SOURCE", help="`src` of the other working copy")
    parser.add_argument("--set", action="append", choices=list(SETS), help="one of them; repeatable (default: all)")
    parser.add_argument("--questions", type=int, default=0, help="at most so many of each set (default: all)")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the indexes")
    parser.add_argument("--answer", metavar="NAME", help=argparse.SUPPRESS)
    return parser.parse_args()


def _answers_of(source: Path, name: str, options: argparse.Namespace) -> Answers:
    """In a process that imports headnote from there."""
    label = "ours" if source == REPOSITORY / "src" else "theirs"
    command = [sys.executable, __file__, *sys.argv[1:], "--cache", str(options.cache / label), "--answer", name]
    paths = os.pathsep.join([str(source.resolve()), str(Path(__file__).parent)])
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=True, stdout=subprocess.PIPE)
    answers: Answers = json.loads(done.stdout)
    return answers


def _print_answers(options: argparse.Namespace) -> int:
    questions = SETS[options.answer](options.cache, False)
    with headnote.Index.open(questions.root, embedder="instant") as index:
        index.update()
        asked = list(_asked(questions, options.questions))
        print(json.dumps({f"{mode}: {text}": _answer(index, text, mode) for text, mode in asked}))
    return 0


def _asked(questions: QuestionSet, most: int) -> Iterator[tuple[str, str]]:
    """Text and mode of each search: all questions in every mode, and unfinished as people type them."""
    for question in questions.questions[: most or None]:
        for mode in MODES:
            yield question.text, mode
        yield question.text.rstrip("?. ")[:-2], "hybrid"
        yield question.text, PAGE


def _answer(index: headnote.Index, text: str, mode: Any) -> list[list[Any]]:
    if mode != PAGE:
        return _described(index.search(text, LIMIT, mode))
    page = index.search_page(text, LIMIT, facets=True)
    return [*_described(page.hits), [f"{page.total} in all", 0, 0, (0.0).hex(), [], repr(page.facets)]]


def _described(hits: Sequence[headnote.Hit]) -> list[list[Any]]:
    return [[hit.key, hit.start_line, hit.end_line, hit.score.hex(), list(hit.links), repr(hit.why)] for hit in hits]


def _short(hits: list[list[Any]]) -> str:
    return "; ".join(f"{hit[0]} {float.fromhex(hit[3]):.9f}" for hit in hits[:3])


if __name__ == "__main__":
    sys.exit(main())

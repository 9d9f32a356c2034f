"""Is the right page first however people put a question: with the name of the project, with a greeting, with a story?

    python bench/wordings.py [--mode MODE] [--cache DIR]

People name what they ask about: *How do I add a header in FastAPI?* Every page of that documentation has the name. And
they say more than they ask: *Hi, can someone please help me?* Each question is put in all these ways, in the
documentation of its project alone, and with names in a folder with all documentations, too. Judged by page. The
questions are those of `kinds.py` that people asked on GitHub, and those by which docs-mcp-server measures itself.
Needs `pip install -e ".[search,bench]"`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import copytree
from statistics import fmean

from headnote import Index
from headnote.extra.evaluate.questions import Question
from headnote.search.query import MODES, Mode
from question_sets import ASKED, GRADED, asked, graded
from report import Table, machine, show, show_setting, versions
from shared_corpora import shared_folder

PLACES, FIRST, DEEP = 10, 5, 40
NAMES = {"astro-en": "Astro", "fastapi-en": "FastAPI", "poetry-docs": "Poetry", "react.dev": "React", "uv-docs": "uv"}
"""Corpus → the name of its project."""
Word = Callable[[str, str], str]
"""A question and the name of its project → the question as somebody puts it."""
WORDINGS: Mapping[str, Word] = {
    "as asked": lambda text, _: text,
    "… in NAME": lambda text, name: text if name.lower() in text.lower() else f"{text.rstrip('?. ')} in {name}",
    "NAME: …": lambda text, name: text if name.lower() in text.lower() else f"{name}: {text}",
    "… in NAME 1.8": lambda text, name: f"{text.rstrip('?. ')} in {name} 1.8",
}
CHOSEN_ON = (
    "Hi, can someone please help me? {} Thanks in advance!",
    "I'm trying to figure out the following but it does not work: {}",
    "I was wondering whether {}",
    "what is the best way to handle this: {}",
    "find the section of the docs about {}",
    "[Bug]: {}",
    "How would one go about this? {}",
    "Does somebody have an idea about {}",
    "What do the docs say about {}",
    "The user wants to know: {}",
    "Answer the following question using the documentation: {}",
    "Sorry if this is a stupid question, I am new to this. {}",
    "I've been stuck on this for hours. {} What am I doing wrong?",
)
"""Ways to put a question on which the phrases of `words/phrases.py` were chosen."""
OTHERS = (
    "Hello! Quick one: {}",
    "Struggling with this one - {}",
    "Has anyone run into this? {}",
    "I must be doing something wrong. {}",
    "Context: I maintain a small app. Question: {}",
    "Sorry for the noise, but {}",
    "tl;dr {}",
)
"""Ways that were written afterwards, and on which nothing was chosen."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Questions as people put them.")
    parser.add_argument("--mode", action="append", choices=MODES, help="only this one; repeatable")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the indexes")
    options = parser.parse_args()
    show_setting(machine(), versions(["headnote-md", "numpy"]))
    modes = options.mode or list(MODES)
    together = _indexed(options.cache, "together", [path.name for path in sorted(_corpora().iterdir())])
    rows: list[list[str]] = []
    for kind, questions in (("asked", dict(_asked(options.cache))), ("graded", dict(_graded(options.cache)))):
        alone = {corpus: _indexed(options.cache, f"alone-{corpus}", [corpus]) for corpus in questions}
        for wording, word in WORDINGS.items():
            for place in ("alone", "in one folder"):
                indexes = alone if place == "alone" else dict.fromkeys(questions, together)
                cells = [_figures(questions, indexes, [word], mode) for mode in modes]
                count = sum(map(len, questions.values()))
                rows.append([f"{kind} ({count}), {place}: {wording}", *cells])
        for title, ways in (("chosen on", CHOSEN_ON), ("others", OTHERS)):
            words = [lambda text, _, way=way: way.format(text) for way in ways]
            cells = [_figures(questions, alone, words, mode) for mode in modes]
            rows.append([f"{kind} ({count}), alone: {len(ways)} ways to ask, {title}", *cells])
    note = f"MRR among {PLACES} and the share with an answer among the first {FIRST}."
    show(Table("The page that answers, however the question is put", ["", *modes], rows, [note]))


def _corpora() -> Path:
    return shared_folder() / "corpora"


def _indexed(cache: Path, name: str, corpora: list[str]) -> Index:
    root = cache / "wordings" / name
    for corpus in corpora:
        if not (root / corpus).exists():
            copytree(_corpora() / corpus, root / corpus)
    index = Index.open(root)
    index.update()
    return index


def _asked(cache: Path) -> Iterator[tuple[str, list[Question]]]:
    for corpus in ASKED:
        yield corpus, list(asked(corpus, cache, with_body=False).questions)


def _graded(cache: Path) -> Iterator[tuple[str, list[Question]]]:
    for library, (corpus, *_) in GRADED.items():
        if corpus in NAMES:
            yield corpus, list(graded(library, cache).questions)


def _figures(
    questions: Mapping[str, list[Question]], indexes: Mapping[str, Index], words: Sequence[Word], mode: Mode
) -> str:
    """The means over all questions, each in all these words."""
    ranks = [
        _reciprocal_rank(indexes[corpus], word(question.text, NAMES[corpus]), question, f"{corpus}/", mode)
        for corpus, own in questions.items()
        for question in own
        for word in words
    ]
    return f"{fmean(ranks):.3f} {fmean(rank >= 1 / FIRST for rank in ranks):.2f}"


def _reciprocal_rank(index: Index, text: str, question: Question, prefix: str, mode: Mode) -> float:
    pages = dict.fromkeys(hit.path for hit in index.search(text, limit=DEEP, mode=mode))
    answers = {prefix + gold.path for gold in question.gold}
    return next((1 / rank for rank, page in enumerate(list(pages)[:PLACES], 1) if page in answers), 0.0)


if __name__ == "__main__":
    main()

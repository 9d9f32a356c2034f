"""Do guesses at words help those who mistype, and do they harm those who do not?

    python bench/spelling.py [--set chroma|anthropic|linkgold] [--corpus NAME] [--embedder NAME]
                             [--every N] [--cache DIR] [--json FILE]

Asks the questions of `bench/quality.py` as they are; with one letter of one word wrong, which a seed chooses; and with
the last letters of the last word not typed yet. Each question is asked twice: with words as they are read now, and with
words as they were typed, which is what a search without guesses does. Needs `pip install -e ".[search,bench]"`;
the folder that `--cache` names keeps the vectors.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from headnote.extra.evaluate.measuring import LocatedQuestion, locate_gold, score
from headnote.extra.evaluate.metrics import difference, interval
from headnote.search import engine
from headnote.search.query import Mode
from headnote.search.spelling import WordReading, content_terms, function_terms, read_words
from headnote.store.interface import Reader
from headnote.words.terms import terms
from our_search import Ask, Model, OurIndex
from question_sets import QuestionSet, anthropic, chroma, linkgold
from report import Figure, Table, add_json_option, machine, show, show_setting, versions, write_figures

SETS = ("chroma", "anthropic", "linkgold")
CORPORA = ("fastapi-en", "react.dev", "astro-en")
MODES: tuple[Mode, ...] = ("keyword", "semantic", "hybrid")
LIMIT = 10
LONG = 5
"""Letters of a word that is worth mistyping."""

Change = Callable[[str, Random], str]
Read = Callable[[Reader, str, int], list[WordReading]]


def main() -> None:
    options = _options()
    setting, packages = machine(), versions(["headnote-md", "numpy"])
    show_setting(setting, packages)
    figures: list[Figure] = []
    model = Model.load(options.embedder, options.cache)
    for questions in _sets(options):
        ours = OurIndex(questions.root, options.cache, model, ignores_links=questions.asks_for_links)
        located = locate_gold(questions.questions, ours.texts().__getitem__)[:: options.every]
        show(_table(questions.name, located, ours, figures))
    write_figures(options.json, figures, setting, packages)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What guesses at words are worth.")
    parser.add_argument("--set", action="append", choices=SETS, dest="sets", help="only this one; repeatable")
    parser.add_argument("--corpus", action="append", choices=CORPORA, help="of linkgold; repeatable")
    parser.add_argument("--embedder", default="instant", metavar="NAME")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth question only")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the vectors")
    add_json_option(parser)
    return parser.parse_args()


def _sets(options: argparse.Namespace) -> Iterator[QuestionSet]:
    names = options.sets or SETS
    if "chroma" in names:
        yield chroma(options.cache, False)
    if "anthropic" in names:
        yield anthropic(options.cache, False)
    if "linkgold" in names:
        for corpus in options.corpus or CORPORA:
            yield linkgold(corpus, options.cache, False)


def _table(name: str, located: list[LocatedQuestion], ours: OurIndex, figures: list[Figure]) -> Table:
    rows = []
    for title, change in CHANGES.items():
        random = Random(7)
        texts = [change(one.question.text, random) for one in located]
        for mode in MODES:
            plain = _asked(ours.asking(mode), located, texts, _as_typed)
            guessed = _asked(ours.asking(mode), located, texts, read_words)
            gap = difference(guessed, plain)
            means = {"as typed": interval(plain).mean, "with guesses": interval(guessed).mean}
            case = f"{name}, {mode}, questions {title}"
            figures += [Figure(f"{case}, {way}", "MRR", "", mean, "higher") for way, mean in means.items()]
            shown = [f"{mean:.3f}" for mean in means.values()]
            rows.append([title, mode, *shown, f"{gap.mean:+.3f} [{gap.low:+.3f} {gap.high:+.3f}]"])
    columns = ["questions", "mode", "as typed", "with guesses", "difference"]
    return Table(f"{name}: MRR among {LIMIT} passages", columns, rows, [f"{len(located)} questions"])


def _asked(ask: Ask, located: list[LocatedQuestion], texts: list[str], read: Read) -> list[float]:
    """The reciprocal rank of the answer to each question, with words read in this way."""
    engine.read_words = read  # type: ignore[attr-defined, assignment]
    scores = []
    for one, text in zip(located, texts, strict=True):
        passages = [item for item in ask(text, LIMIT * 2) if item.span.path not in one.question.leave_out]
        scores.append(score(passages, one.gold, LIMIT)["mrr"])
    return scores


def _as_typed(_: Reader, text: str, __: int) -> list[WordReading]:
    return [WordReading(term, term, {term: 1.0}) for term in content_terms(text)]


# -- questions as people type them


def _unchanged(text: str, _: Random) -> str:
    return text


def _misspelt(text: str, random: Random) -> str:
    """One edit in one long word."""
    places = [
        match.span()
        for match in re.finditer(rf"[A-Za-z]{{{LONG},}}", text)
        if function_terms().isdisjoint(terms(match[0]))
    ]
    if not places:
        return text
    start, end = random.choice(places)
    at = random.randrange(start + (random.random() > 0.05), end - 1)
    letter = random.choice("abcdefghijklmnopqrstuvwxyz")
    edits = [
        text[:at] + text[at + 1 :],
        text[:at] + letter + text[at:],
        text[:at] + letter + text[at + 1 :],
        text[:at] + text[at + 1] + text[at] + text[at + 2 :],
    ]
    return random.choice(edits)


def _unfinished(text: str, random: Random) -> str:
    """The last word without its last letters; at least three remain."""
    match = re.search(r"[^\W\d_]{4,}(?=\W*\Z)", text)
    return text[: random.randrange(match.start() + 3, match.end())] if match else text


CHANGES: dict[str, Change] = {"as they are": _unchanged, "one letter wrong": _misspelt, "unfinished": _unfinished}

if __name__ == "__main__":
    main()

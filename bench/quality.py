"""How often does a search find the answer? Ours beside the same kind of search over chunks of others.

    python bench/quality.py [--set chroma|anthropic|linkgold] [--corpus NAME] [--size N] [--quick]
                            [--cache DIR] [--json FILE]

Needs `pip install -e ".[search,bench]" ./models/minilm bm25s`. The sets lie at HEADNOTE_SHARED, or beside the working
copy in `shared`. Making vectors takes minutes the first time; the folder that `--cache` names keeps them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from headnote.embedding.base import Embedder
from headnote.embedding.minilm import MiniLMEmbedder
from headnote.evaluate.bootstrap import Interval, difference, interval
from headnote.evaluate.caching_embedder import CachingEmbedder
from headnote.evaluate.measuring import (
    LocatedQuestion,
    Measurement,
    Retrieved,
    first_of_each_document,
    locate_gold,
    score,
)
from headnote.search import ranking
from our_search import PLAIN, Ask, Clock, OurIndex
from peer_search import DEPTH, DISTRIBUTIONS, LIMIT, SPLITTERS, PeerIndex
from peer_search import MODES as PEER_MODES
from question_sets import QuestionSet, anthropic, chroma, linkgold
from report import Table, command_line, machine, show, show_setting, versions, write_json
from vector_file import VectorFile

OURS = "headnote"
HYBRID = f"{OURS}: hybrid"
SEMANTIC = f"{OURS}: semantic"
LINK_SHARE = ranking.LINK_SHARE
ENOUGH = 30
"""Passages per question: they fill every budget here."""
MOST = 10
"""Passages that any table looks at."""


class View(NamedTuple):
    """One table about a set: how many passages, which metrics, which questions."""

    title: str
    limit: int
    metrics: dict[str, str]
    """Metric → head of its column. The first two are compared in pairs."""
    per_document: bool = False
    """Only the best passage of each document."""
    only_sections: bool = False
    """Only questions whose gold is less than a document."""


class Goal(NamedTuple):
    """What was set out to be reached."""

    view: str
    way: str
    metric: str
    least: float


class Way(NamedTuple):
    name: str
    ask: Ask
    chunks: int


EXCERPTS = View(
    "exact excerpts, 5 passages",
    5,
    {"recall": "recall", "recall_within": "recall in 5000 chars", "iou": "IoU", "mrr": "MRR"},
)
_FOUND = {"found": "recall", "mrr": "MRR", "ndcg": "nDCG"}
PASSAGES = View("three passages", 3, _FOUND)
DISTINCT = View("the first three sections", 3, _FOUND, per_document=True)
_LINKS = {"hit": "hit@10", "mrr": "MRR", "tokens_to_first": "tokens to first"}
SECTIONS = View("links to sections, 10 passages", 10, _LINKS, only_sections=True)
LINKS = View("all links, 10 passages", 10, _LINKS)

VIEWS = {"chroma": [EXCERPTS], "anthropic": [PASSAGES, DISTINCT], "linkgold": [SECTIONS, LINKS]}
GOALS = [
    Goal(EXCERPTS.title, HYBRID, "recall", 0.919),
    Goal(EXCERPTS.title, SEMANTIC, "recall", 0.824),
    Goal(EXCERPTS.title, SEMANTIC, "iou", 0.05),
    Goal(PASSAGES.title, HYBRID, "mrr", 0.88),
    Goal(DISTINCT.title, HYBRID, "found", 0.78),
    Goal(DISTINCT.title, HYBRID, "mrr", 0.90),
]
BEYOND_CHANCE = {SECTIONS.title}
"""Where ours is to beat the best of the others by more than chance."""


def main() -> int:
    options = _options()
    setting, packages = machine(), versions(["headnote", "headnote-minilm", *DISTRIBUTIONS])
    show_setting(setting, packages)
    model = MiniLMEmbedder()
    embedder = CachingEmbedder(model, VectorFile(options.cache / "vectors", model.name, model.dimensions))
    tables = []
    for kind, questions in _sets(options):
        # These questions ask for the targets of links, so links must not help.
        ranking.LINK_SHARE = 0.0 if kind == "linkgold" else LINK_SHARE
        located, ways = _ways(questions, options, embedder)
        answers = {way.name: [_that_count(one, way.ask) for one in located] for way in ways}
        for view in VIEWS[kind]:
            table = _table(questions.name, view, located, ways, answers, options.quick)
            show(table)
            tables.append(table)
    if options.json:
        content: dict[str, Any] = {"command": command_line(), "machine": setting, "versions": packages}
        write_json(options.json, {**content, "tables": [table._asdict() for table in tables]})
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How often a search finds the answer.")
    parser.add_argument("--set", action="append", choices=list(VIEWS), dest="sets", help="only this one; repeatable")
    parser.add_argument("--corpus", action="append", help="of linkgold: fastapi-en, react.dev, astro-en; repeatable")
    parser.add_argument("--size", action="append", type=int, default=[], help="also ours at so many tokens; repeatable")
    parser.add_argument("--quick", action="store_true", help="small documents only, and every fourth question")
    parser.add_argument("--ours-only", action="store_true", help="without the chunks of others")
    parser.add_argument("--cache", type=Path, default=Path(".bench-cache"), help="folder that keeps the vectors")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")
    return parser.parse_args()


def _sets(options: argparse.Namespace) -> Iterator[tuple[str, QuestionSet]]:
    names = options.sets or list(VIEWS)
    if "chroma" in names:
        yield "chroma", chroma(options.cache, options.quick)
    if "anthropic" in names:
        yield "anthropic", anthropic(options.cache, options.quick)
    if "linkgold" in names:
        for corpus in options.corpus or ["fastapi-en"]:
            yield "linkgold", linkgold(corpus, options.cache, options.quick)


def _ways(
    questions: QuestionSet, options: argparse.Namespace, embedder: Embedder
) -> tuple[list[LocatedQuestion], list[Way]]:
    ours = OurIndex(questions.root, None, options.cache, embedder)
    located = locate_gold(questions.questions, ours.texts.__getitem__)
    ways = [Way(f"{OURS}: {mode}", ask, ours.chunks) for mode, ask in ours.ways().items()]
    for size in options.size:
        other = OurIndex(questions.root, size, options.cache, embedder)
        ways += [Way(f"{OURS} {size}: {mode}", ask, other.chunks) for mode, ask in other.ways().items()]
    for name, split in {} if options.ours_only else SPLITTERS.items():
        chunks = [chunk for path, text in ours.texts.items() for chunk in split(path, text)]
        index = PeerIndex(chunks, embedder, Clock(f"{questions.name}, {name}"))
        ways += [Way(f"{name}: {mode}", index.asking(mode), len(chunks)) for mode in PEER_MODES]
    return located, ways


def _that_count(one: LocatedQuestion, ask: Ask) -> list[Retrieved]:
    """The passages outside the document that has the link. If they are too few, more are asked for."""
    limit = ENOUGH
    while True:
        passages = ask(one.question.text, limit)
        others = [item for item in passages if item.span.path not in one.question.leave_out]
        if len(others) >= MOST or len(passages) < limit or limit >= DEPTH:
            return others
        limit = min(limit * 4, DEPTH)


# -- tables


def _table(
    name: str,
    view: View,
    located: Sequence[LocatedQuestion],
    ways: Sequence[Way],
    answers: dict[str, list[list[Retrieved]]],
    quick: bool,
) -> Table:
    chosen = [at for at, one in enumerate(located) if not view.only_sections or one.question.gold[0].heading]
    measured = {}
    for way in ways:
        answered = [(located[at], answers[way.name][at]) for at in chosen]
        measured[way.name] = _measured(way.name, view, answered)
    rows = [_row(way, measured[way.name], view) for way in ways]
    columns = ["", *view.metrics.values(), "no hit", "chunks"]
    notes = [
        f"{len(chosen)} questions; mean and 95% bootstrap interval. Chunks of others: {LIMIT} tokens.",
        *_pairs(measured, view),
        # Small documents are easier, so what they reach says nothing about a goal.
        *(["a quick run: goals are judged by a full one"] if quick else _goals(measured, view)),
    ]
    return Table(f"{name}: {view.title}", columns, rows, notes)


def _measured(name: str, view: View, answered: Sequence[tuple[LocatedQuestion, list[Retrieved]]]) -> Measurement:
    return Measurement(
        name,
        tuple(
            score(list(first_of_each_document(passages)) if view.per_document else passages, one.gold, view.limit)
            for one, passages in answered
        ),
    )


def _row(way: Way, measured: Measurement, view: View) -> list[str]:
    cells = [_shown(interval(measured.of(metric))) for metric in view.metrics]
    return [way.name, *cells, f"{sum(measured.of('silent')):.0f}", f"{way.chunks:,}"]


def _shown(value: Interval) -> str:
    if value.mean > 2:
        return f"{value.mean:.0f} [{value.low:.0f} {value.high:.0f}]"
    return f"{value.mean:.3f} [{value.low:.3f} {value.high:.3f}]"


def _pairs(measured: dict[str, Measurement], view: View) -> Iterator[str]:
    """Ours against its own legs and, in every size, against the best of the others, question by question."""
    legs = [measured[f"{OURS}: {mode}"] for mode in ("keyword", "semantic", PLAIN)]
    hybrids = [one for name, one in measured.items() if name.startswith(OURS) and name.endswith(": hybrid")]
    others = [one for name, one in measured.items() if not name.startswith(OURS)]
    for metric in list(view.metrics)[:2]:
        yield from (_pair(measured[HYBRID], leg, metric, view) for leg in legs)
        if others:
            best = max(others, key=lambda other: sum(other.of(metric)))
            yield from (_pair(one, best, metric, view) for one in hybrids)


def _pair(one: Measurement, other: Measurement, metric: str, view: View) -> str:
    gap = difference(one.of(metric), other.of(metric))
    verdict = "better" if gap.is_above_zero else "WORSE" if gap.is_below_zero else "no difference beyond chance"
    size = f"{gap.mean:+.3f} [{gap.low:+.3f} {gap.high:+.3f}]"
    return f"{view.metrics[metric]}: {one.name} − {other.name} {size} {verdict}"


def _goals(measured: dict[str, Measurement], view: View) -> Iterator[str]:
    others = [one for name, one in measured.items() if not name.startswith(OURS)]
    for metric in list(view.metrics)[:2] if others and view.title in BEYOND_CHANCE else []:
        best = max(others, key=lambda other: sum(other.of(metric)))
        verdict = _verdict(difference(measured[HYBRID].of(metric), best.of(metric)).is_above_zero)
        yield f"goal: {view.metrics[metric]} above the best of the others, beyond chance: {verdict}"
    for goal in GOALS:
        if goal.view == view.title:
            reached = interval(measured[goal.way].of(goal.metric)).mean
            yield (
                f"goal: {goal.way} {view.metrics[goal.metric]} ≥ {goal.least}: "
                f"{_verdict(reached >= goal.least)} ({reached:.3f})"
            )


def _verdict(reached: bool) -> str:
    return "reached" if reached else "NOT reached"


if __name__ == "__main__":
    sys.exit(main())

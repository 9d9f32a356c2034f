"""Asks every question and judges what comes: questions and a way to search in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headnote.errors import MissingSource
from headnote.evaluate import metrics
from headnote.evaluate.gold import locate
from headnote.evaluate.questions import Question
from headnote.evaluate.spans import Span
from headnote.model import Hit
from headnote.tokens import count_tokens

Search = Callable[[str, int], Sequence[Hit]]
"""A question and how many hits at most → hits, best first."""
Read = Callable[[str], str]
"""Path of a document → its text; raises MissingSource if there is no such document."""
Watch = Callable[[int, int], None]
"""Told how many questions are done, and how many there are."""

CHARACTERS = 5000
"""Budget of the recall that is fair between large and small passages."""
DEPTH = 50
"""Hits that are asked for at least, so that small passages fill the budget too."""


class Asked(NamedTuple):
    """A question whose gold is known to exist."""

    question: Question
    gold: tuple[Span, ...]


class Found(NamedTuple):
    """A passage that came, as far as it matters here."""

    span: Span
    tokens: int


Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """One way to search, judged on all questions."""

    name: str
    scores: tuple[Scores, ...]
    """For each question, in their order."""

    def of(self, metric: str) -> list[float]:
        return [score[metric] for score in self.scores]


def prepare(questions: Iterable[Question], read: Read) -> list[Asked]:
    """Find every gold passage in its document. What is not there is an error that names the line of the question."""
    asked = []
    for question in questions:
        spans = []
        for gold in question.gold:
            try:
                text = read(gold.path)
            except MissingSource:
                raise question.place.error(
                    f"no document {gold.path!r} in the index", "paths are from the root"
                ) from None
            spans.append(locate(gold, text, question.place))
        asked.append(Asked(question, tuple(spans)))
    return asked


def measure(name: str, asked: Sequence[Asked], search: Search, limit: int, watch: Watch | None = None) -> Measured:
    """Judge one way to search."""
    scores = []
    for done, one in enumerate(asked, 1):
        hits = hits_that_count(one.question, search, max(limit, DEPTH))
        found = [Found(Span(hit.path, hit.start, hit.end), count_tokens(hit.text)) for hit in hits]
        scores.append(judge(found, one.gold, limit))
        if watch is not None:
            watch(done, len(asked))
    return Measured(name, tuple(scores))


def hits_that_count(question: Question, search: Search, limit: int) -> list[Hit]:
    """The first hits that are in none of the documents to leave out, if need be by asking for more."""
    wanted = limit
    while True:
        hits = search(question.text, wanted)
        kept = [hit for hit in hits if hit.path not in question.leave_out]
        if len(kept) >= limit or len(hits) < wanted:
            return kept[:limit]
        wanted *= 2


def judge(found: Sequence[Found], gold: Sequence[Span], limit: int, budget: int = CHARACTERS) -> dict[str, float]:
    """Every metric of one question."""
    spans = [item.span for item in found[:limit]]
    return {
        "hit": metrics.hit(spans, gold),
        "mrr": metrics.reciprocal_rank(spans, gold),
        "ndcg": metrics.discounted_gain(spans, gold, limit),
        "found": metrics.items_found(spans, gold),
        "recall": metrics.recall(spans, gold),
        "precision": metrics.precision(spans, gold),
        "iou": metrics.intersection_over_union(spans, gold),
        "recall_within": metrics.recall_within([item.span for item in found], gold, budget),
        "tokens_to_first": metrics.cost_to_first([item.tokens for item in found[:limit]], spans, gold),
        "silent": 0.0 if found else 1.0,
    }


def first_of_each_document(found: Iterable[Found]) -> Iterator[Found]:
    """Only the best passage of each document."""
    seen: set[str] = set()
    for item in found:
        if item.span.path not in seen:
            seen.add(item.span.path)
            yield item

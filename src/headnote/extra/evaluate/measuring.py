"""Asks every question and scores the results: questions and a way of searching in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headnote.errors import MissingSource
from headnote.extra.evaluate import metrics
from headnote.extra.evaluate.metrics import TextSpan
from headnote.extra.evaluate.questions import Question, locate
from headnote.lines import count_line_ends
from headnote.model import Hit
from headnote.tokens import count_tokens

Search = Callable[[str, int], Sequence[Hit]]
"""Takes a question and a limit; returns hits, best first."""
Read = Callable[[str], str]
"""Takes the path of a document; returns its text, or raises MissingSource."""
OnProgress = Callable[[int, int], None]
"""Called with the number of questions done, and of all questions."""

BUDGET = 5000
"""Characters of the recall that is fair to large and small passages."""
DEPTH = 50
"""Hits requested at least, so that small passages fill the budget too."""


class LocatedQuestion(NamedTuple):
    """A question with the spans of its gold."""

    question: Question
    gold: tuple[TextSpan, ...]
    lines: tuple[int, ...]
    """The line where each begins."""


class Retrieved(NamedTuple):
    """A retrieved passage, reduced to what is measured."""

    span: TextSpan
    tokens: int


class Answered(NamedTuple):
    """How one question was answered."""

    rank: int | None
    """Rank of the first right passage, from 1; None if it is not among those that were looked at."""
    first: Hit | None
    """What came first; None if nothing was found."""


Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measurement:
    """The scores of one way of searching."""

    name: str
    scores: tuple[Scores, ...]
    """One per question, in their order."""
    answers: tuple[Answered, ...] = ()
    """The same."""

    def of(self, metric: str) -> list[float]:
        return [scores[metric] for scores in self.scores]


def locate_gold(questions: Iterable[Question], read: Read) -> list[LocatedQuestion]:
    """Find every gold passage in its document. A missing one is an error that names the line of the question."""
    located = []
    for question in questions:
        spans, lines = [], []
        for gold in question.gold:
            try:
                text = read(gold.path)
            except MissingSource:
                raise question.place.error(
                    f"no document {gold.path!r} in the index", "paths are from the root"
                ) from None
            span = locate(gold, text, question.place)
            spans.append(span)
            lines.append(1 + count_line_ends(text[: span.start]))
        located.append(LocatedQuestion(question, tuple(spans), tuple(lines)))
    return located


def measure(
    name: str,
    questions: Sequence[LocatedQuestion],
    search: Search,
    limit: int,
    on_progress: OnProgress | None = None,
) -> Measurement:
    """Ask all questions in one way of searching."""
    scores, answers = [], []
    for done, (question, gold, _) in enumerate(questions, 1):
        hits = eligible_hits(question, search, max(limit, DEPTH))
        retrieved = [Retrieved(TextSpan(hit.path, hit.start, hit.end), count_tokens(hit.text)) for hit in hits]
        scores.append(score(retrieved, gold, limit))
        rank = metrics.first_rank([passage.span for passage in retrieved], gold)
        answers.append(Answered(rank, hits[0] if hits else None))
        if on_progress is not None:
            on_progress(done, len(questions))
    return Measurement(name, tuple(scores), tuple(answers))


def eligible_hits(question: Question, search: Search, limit: int) -> list[Hit]:
    """The first hits outside the documents to leave out, searching deeper until there are enough."""
    depth = limit
    while True:
        hits = search(question.text, depth)
        eligible = [hit for hit in hits if hit.path not in question.leave_out]
        if len(eligible) >= limit or len(hits) < depth:
            return eligible[:limit]
        depth *= 2


def score(
    retrieved: Sequence[Retrieved], gold: Sequence[TextSpan], limit: int, budget: int = BUDGET
) -> dict[str, float]:
    """Every metric of one question."""
    spans = [passage.span for passage in retrieved[:limit]]
    return {
        "hit": metrics.hit(spans, gold),
        "mrr": metrics.reciprocal_rank(spans, gold),
        "ndcg": metrics.discounted_gain(spans, gold, limit),
        "found": metrics.items_found(spans, gold),
        "recall": metrics.recall(spans, gold),
        "precision": metrics.precision(spans, gold),
        "iou": metrics.intersection_over_union(spans, gold),
        "recall_within": metrics.recall_within([passage.span for passage in retrieved], gold, budget),
        "tokens_to_first": metrics.cost_to_first([passage.tokens for passage in retrieved[:limit]], spans, gold),
        "silent": 0.0 if retrieved else 1.0,
    }


def first_of_each_document(retrieved: Iterable[Retrieved]) -> Iterator[Retrieved]:
    """Only the best passage of each document."""
    seen: set[str] = set()
    for passage in retrieved:
        if passage.span.path not in seen:
            seen.add(passage.span.path)
            yield passage

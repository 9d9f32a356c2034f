"""Ways of searching side by side: a table with intervals, and the differences that are more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from headnote.extra.evaluate.measuring import LocatedQuestion, Measurement, Retrieved, first_of_each_document, score
from headnote.extra.evaluate.metrics import Interval, difference, interval
from our_search import PLAIN, Ask
from report import Figure, Table
from views import GOALS, View

HYBRID, SEMANTIC, KEYWORD = "hybrid", "semantic", "keyword"


class Way(NamedTuple):
    """One way of searching."""

    model: str
    """Empty where only words count; for chunks of others, the splitter."""
    mode: str
    ask: Ask
    chunks: int
    is_ours: bool = True

    @property
    def name(self) -> str:
        return f"{self.model} {self.mode}".strip()


class Measured(NamedTuple):
    """A way, and what it reached in one view."""

    way: Way
    scores: Measurement

    def of(self, metric: str) -> Interval:
        return interval(self.scores.of(metric))

    def minus(self, other: Measured, metric: str) -> Interval:
        return difference(self.scores.of(metric), other.scores.of(metric))


class Comparison(NamedTuple):
    """All ways, measured on the questions of one view of one set."""

    set: str
    view: View
    questions: int
    ways: list[Measured]
    baseline: str
    """The model that the others are compared with."""

    def find(self, model: str, mode: str) -> Measured | None:
        return next((one for one in self.ways if (one.way.model, one.way.mode) == (model, mode)), None)

    def pairs(self) -> Iterator[tuple[Measured, Measured]]:
        """What is compared question by question: hybrid of each model with the baseline, with words, with its legs."""
        for one in [one for one in self.ways if one.way.is_ours and one.way.mode == HYBRID]:
            own = one.way.model
            others = [(self.baseline, HYBRID), ("", KEYWORD), (own, SEMANTIC), (own, PLAIN)]
            found = [self.find(*other) for other in others]
            yield from ((one, other) for other in found if other is not None and other is not one)
            yield from ((one, best) for best in self._best_of_others())

    def _best_of_others(self) -> list[Measured]:
        others = [one for one in self.ways if not one.way.is_ours]
        best = [max(others, key=lambda one: one.of(metric).mean) for metric in self.view.compared if others]
        return list({one.way.name: one for one in best}.values())


def compare(
    set_name: str,
    view: View,
    located: Sequence[LocatedQuestion],
    answers: Sequence[tuple[Way, list[list[Retrieved]]]],
    baseline: str,
) -> Comparison:
    """`answers` has the passages of each question, by way."""
    chosen = [at for at, one in enumerate(located) if not view.only_sections or one.question.gold[0].heading]
    measured = [
        Measured(way, _measurement(way.name, view, [(located[at], passages[at]) for at in chosen]))
        for way, passages in answers
    ]
    return Comparison(set_name, view, len(chosen), measured, baseline)


def _measurement(name: str, view: View, answered: Sequence[tuple[LocatedQuestion, list[Retrieved]]]) -> Measurement:
    return Measurement(
        name,
        tuple(
            score(list(first_of_each_document(passages)) if view.per_document else passages, one.gold, view.limit)
            for one, passages in answered
        ),
    )


# -- tables


def table(comparison: Comparison) -> Table:
    view = comparison.view
    rows = [
        [
            one.way.name,
            *(_shown(one.of(metric)) for metric in view.metrics),
            f"{sum(one.scores.of('silent')):.0f}",
            f"{one.way.chunks:,}",
        ]
        for one in comparison.ways
    ]
    notes = [f"{comparison.questions} questions; mean and 95% bootstrap interval."]
    return Table(f"{comparison.set}: {view.title}", ["", *view.metrics.values(), "no hit", "chunks"], rows, notes)


def differences(comparison: Comparison, quick: bool) -> Table:
    """Paired differences, then the goals."""
    view = comparison.view
    rows = [
        [f"{one.way.name} − {other.way.name}", *(_shown_gap(one.minus(other, metric)) for metric in view.compared)]
        for one, other in comparison.pairs()
    ]
    columns = ["", *(view.metrics[metric] for metric in view.compared)]
    # Small documents are easier, so what they reach says nothing about a goal.
    notes = ["a quick run: goals are judged by a full one"] if quick else list(_goals(comparison))
    return Table("the same questions, pair by pair", columns, rows, notes)


def _shown(value: Interval) -> str:
    if value.mean > 2:
        return f"{value.mean:.0f} [{value.low:.0f} {value.high:.0f}]"
    return f"{value.mean:.3f} [{value.low:.3f} {value.high:.3f}]"


def _shown_gap(gap: Interval) -> str:
    verdict = "better" if gap.is_above_zero else " WORSE" if gap.is_below_zero else "chance"
    return f"{gap.mean:+.3f} [{gap.low:+.3f} {gap.high:+.3f}] {verdict}"


def _goals(comparison: Comparison) -> Iterator[str]:
    for goal in GOALS:
        if (goal.set, goal.view) != (comparison.set, comparison.view):
            continue
        for model, least in goal.least.items():
            if one := comparison.find(model, HYBRID):
                reached = one.of(goal.metric).mean
                verdict = "reached" if reached >= least else f"MISSED by {least - reached:.3f}"
                yield f"goal: {model}, {goal.view.metrics[goal.metric]} ≥ {least}: {verdict} ({reached:.3f})"


# -- data


def as_figures(comparison: Comparison) -> Iterator[Figure]:
    """The means, one by one."""
    for one in comparison.ways:
        case = f"{comparison.set}, {comparison.view.title}: {one.way.name}"
        for metric, head in comparison.view.metrics.items():
            yield Figure(case, head, "", one.of(metric).mean, "lower" if metric == "tokens_to_first" else "higher")


def record(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON data, unrounded."""
    metrics = list(comparison.view.metrics)
    return {
        "set": comparison.set,
        "view": comparison.view.title,
        "questions": comparison.questions,
        "ways": [
            {
                "model": one.way.model,
                "mode": one.way.mode,
                "chunks": one.way.chunks,
                "metrics": {metric: one.of(metric)._asdict() for metric in metrics},
            }
            for one in comparison.ways
        ],
        "differences": [
            {
                "of": one.way.name,
                "from": other.way.name,
                "metrics": {metric: one.minus(other, metric)._asdict() for metric in metrics},
            }
            for one, other in comparison.pairs()
        ],
    }

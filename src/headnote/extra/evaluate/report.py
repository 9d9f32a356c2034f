"""Results as a table or as data: means with intervals, the ways of searching side by side. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headnote.extra.evaluate.measuring import BUDGET, DEPTH, Answered, LocatedQuestion, Measurement
from headnote.extra.evaluate.metrics import ROUNDS, Interval, difference, interval
from headnote.model import Hit

# -- Which questions failed, where their answer came instead, and what came first. Pure functions.


class WayOutcome(NamedTuple):
    """What one way of searching answered."""

    way: str
    rank: int | None
    """Rank of the first right passage; None if it is not among those that were looked at."""
    first: Hit | None
    """What came first; None if nothing was found."""
    failed: bool


class FailedQuestion(NamedTuple):
    """A question whose answer is not among the first passages, in at least one way."""

    asked: LocatedQuestion
    outcomes: tuple[WayOutcome, ...]
    """One for each way, also for those that did not fail."""

    @property
    def failed_ways(self) -> int:
        return sum(outcome.failed for outcome in self.outcomes)


def failures(asked: Sequence[LocatedQuestion], measurements: Sequence[Measurement], limit: int) -> list[FailedQuestion]:
    """The questions that failed in most ways first, otherwise in their own order."""
    rows = zip(asked, *(measurement.answers for measurement in measurements), strict=True)
    names = [measurement.name for measurement in measurements]
    all_failures = [
        FailedQuestion(
            question, tuple(_outcome(name, answer, limit) for name, answer in zip(names, answers, strict=True))
        )
        for question, *answers in rows
    ]
    return sorted((one for one in all_failures if one.failed_ways), key=lambda one: -one.failed_ways)


def _outcome(name: str, answer: Answered, limit: int) -> WayOutcome:
    return WayOutcome(name, answer.rank, answer.first, answer.rank is None or answer.rank > limit)


def failure_record(failure: FailedQuestion) -> dict[str, Any]:
    """A failure as JSON data."""
    question, _, lines = failure.asked
    expected = [
        {"path": gold.path, "line": line, "heading": gold.heading or None}
        for gold, line in zip(question.gold, lines, strict=True)
    ]
    ways = [
        {
            "name": outcome.way,
            "rank": outcome.rank,
            "failed": outcome.failed,
            "first": _place(outcome.first) if outcome.first else None,
        }
        for outcome in failure.outcomes
    ]
    place = {"file": question.place.file, "line": question.place.line}
    return {"question": question.text, **place, "expected": expected, "ways": ways}


def _place(hit: Hit) -> dict[str, Any]:
    return {"path": hit.path, "line": hit.start_line, "breadcrumb": hit.breadcrumb or hit.title}


# -- Results as a table or as data


DECISIVE = ("mrr", "recall_within")
"""Metrics that decide which way is best: how early the answer comes, and how much of it, whatever the chunk size."""


class Comparison(NamedTuple):
    """Several ways of searching, measured on the same questions."""

    limit: int
    measurements: Sequence[Measurement]
    asked: Sequence[LocatedQuestion] = ()
    """The questions, if each failure is to be shown."""

    @property
    def questions(self) -> int:
        return len(self.measurements[0].scores)

    @property
    def failures(self) -> list[FailedQuestion]:
        return failures(self.asked, self.measurements, self.limit) if self.asked else []


def labels(limit: int) -> dict[str, str]:
    """The column title of each metric, in order."""
    return {
        "hit": f"hit@{limit}",
        "mrr": "MRR",
        "ndcg": "nDCG",
        "found": "gold found",
        "recall": "recall",
        "precision": "precision",
        "iou": "IoU",
        "recall_within": f"recall in {BUDGET}",
        "tokens_to_first": "tokens to first",
    }


def summary(measurement: Measurement) -> dict[str, Interval]:
    """The interval of each metric."""
    return {metric: interval(measurement.of(metric)) for metric in measurement.scores[0]}


def table(comparison: Comparison) -> list[list[str]]:
    """A header and a row per way, with each mean and half the width of its interval."""
    titles = labels(comparison.limit)
    rows = [["", *titles.values(), "no hit"]]
    for measurement in comparison.measurements:
        intervals = summary(measurement)
        cells = [_cell(intervals[metric], metric) for metric in titles]
        rows.append([measurement.name, *cells, f"{sum(measurement.of('silent')):.0f}"])
    return rows


def _cell(value: Interval, metric: str) -> str:
    half = (value.high - value.low) / 2
    if metric == "tokens_to_first":
        return f"{value.mean:.0f} ±{half:.0f}"
    return f"{value.mean:.3f} ±{half:.3f}".replace("±0.", "±.")


def verdicts(comparison: Comparison) -> list[str]:
    """For each decisive metric, the best way and which of the others are worse by more than chance."""
    if len(comparison.measurements) < 2:
        return []
    lines = []
    for metric in DECISIVE:
        best = max(comparison.measurements, key=lambda measurement: sum(measurement.of(metric)))
        worse: list[str] = []
        equal: list[str] = []
        for other in comparison.measurements:
            if other is not best:
                gap = difference(best.of(metric), other.of(metric))
                (worse if gap.is_above_zero else equal).append(f"{other.name} (−{gap.mean:.3f})")
        clauses = [f"{labels(comparison.limit)[metric]}: best is {best.name}"]
        clauses += [f"worse: {', '.join(worse)}"] if worse else []
        clauses += [f"no difference beyond chance: {', '.join(equal)}"] if equal else []
        lines.append("; ".join(clauses))
    return lines


def record(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON data, with the differences of each way from the first."""
    first = comparison.measurements[0]
    return {
        "questions": comparison.questions,
        "limit": comparison.limit,
        "characters": BUDGET,
        "bootstrap_rounds": ROUNDS,
        "ways": [
            {
                "name": measurement.name,
                "metrics": {name: value._asdict() for name, value in summary(measurement).items()},
            }
            for measurement in comparison.measurements
        ],
        "differences": [
            {
                "from": first.name,
                "to": other.name,
                "metrics": {name: difference(other.of(name), first.of(name))._asdict() for name in other.scores[0]},
            }
            for other in comparison.measurements[1:]
        ],
        "depth": max(comparison.limit, DEPTH),
        "failures": [failure_record(failure) for failure in comparison.failures],
    }

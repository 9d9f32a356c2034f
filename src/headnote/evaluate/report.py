"""What came out: means with intervals, the ways side by side, as a table or as data. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headnote.evaluate.bootstrap import ROUNDS, Interval, difference, interval
from headnote.evaluate.run import CHARACTERS, Measured

DECISIVE = ("mrr", "recall_within")
"""Metrics by which the ways are compared: how soon the answer comes, and how much of it, whatever the size."""


class Comparison(NamedTuple):
    """Several ways to search, judged on the same questions."""

    limit: int
    measured: Sequence[Measured]

    @property
    def questions(self) -> int:
        return len(self.measured[0].scores)


def labels(limit: int) -> dict[str, str]:
    """Metric → what stands above its column, in their order."""
    return {
        "hit": f"hit@{limit}",
        "mrr": "MRR",
        "ndcg": "nDCG",
        "found": "gold found",
        "recall": "recall",
        "precision": "precision",
        "iou": "IoU",
        "recall_within": f"recall in {CHARACTERS}",
        "tokens_to_first": "tokens to first",
    }


def summary(measured: Measured) -> dict[str, Interval]:
    """Every metric of one way."""
    return {metric: interval(measured.of(metric)) for metric in measured.scores[0]}


def table(comparison: Comparison) -> list[list[str]]:
    """A head and a row for each way: the mean, and half the width of its interval."""
    named = labels(comparison.limit)
    rows = [["", *named.values(), "no hit"]]
    for measured in comparison.measured:
        means = summary(measured)
        cells = [shown(means[metric], metric) for metric in named]
        rows.append([measured.name, *cells, f"{sum(measured.of('silent')):.0f}"])
    return rows


def shown(found: Interval, metric: str) -> str:
    half = (found.high - found.low) / 2
    if metric == "tokens_to_first":
        return f"{found.mean:.0f} ±{half:.0f}"
    return f"{found.mean:.3f} ±{half:.3f}".replace("±0.", "±.")


def verdicts(comparison: Comparison) -> list[str]:
    """For each decisive metric the best way, and which of the others are worse by more than chance."""
    if len(comparison.measured) < 2:
        return []
    lines = []
    for metric in DECISIVE:
        best = max(comparison.measured, key=lambda one: sum(one.of(metric)))
        worse: list[str] = []
        equal: list[str] = []
        for other in comparison.measured:
            if other is not best:
                gap = difference(best.of(metric), other.of(metric))
                (worse if gap.is_above_zero else equal).append(f"{other.name} (−{gap.mean:.3f})")
        said = [f"{labels(comparison.limit)[metric]}: best is {best.name}"]
        said += [f"worse: {', '.join(worse)}"] if worse else []
        said += [f"no difference beyond chance: {', '.join(equal)}"] if equal else []
        lines.append("; ".join(said))
    return lines


def record(comparison: Comparison) -> dict[str, Any]:
    """The same for programs, with what each way has more or less than the first."""
    first = comparison.measured[0]
    return {
        "questions": comparison.questions,
        "limit": comparison.limit,
        "characters": CHARACTERS,
        "bootstrap_rounds": ROUNDS,
        "ways": [
            {"name": one.name, "metrics": {name: found._asdict() for name, found in summary(one).items()}}
            for one in comparison.measured
        ],
        "differences": [
            {
                "from": first.name,
                "to": other.name,
                "metrics": {name: difference(other.of(name), first.of(name))._asdict() for name in other.scores[0]},
            }
            for other in comparison.measured[1:]
        ],
    }

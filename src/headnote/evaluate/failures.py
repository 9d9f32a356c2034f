"""Which questions failed, where their answer came instead, and what came first. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headnote.evaluate.measuring import Answered, LocatedQuestion, Measurement
from headnote.model import Hit


class WayOutcome(NamedTuple):
    """What one way of searching answered."""

    way: str
    rank: int | None
    """Rank of the first right passage; None if it is not among those that were looked at."""
    first: Hit | None
    """What came first; None if nothing was found."""
    failed: bool


class Failure(NamedTuple):
    """A question whose answer is not among the first passages, in at least one way."""

    asked: LocatedQuestion
    outcomes: tuple[WayOutcome, ...]
    """One for each way, also for those that did not fail."""

    @property
    def failed_ways(self) -> int:
        return sum(outcome.failed for outcome in self.outcomes)


def failures(asked: Sequence[LocatedQuestion], measurements: Sequence[Measurement], limit: int) -> list[Failure]:
    """The questions that failed in most ways first, otherwise in their own order."""
    rows = zip(asked, *(measurement.answers for measurement in measurements), strict=True)
    names = [measurement.name for measurement in measurements]
    all_failures = [
        Failure(question, tuple(_outcome(name, answer, limit) for name, answer in zip(names, answers, strict=True)))
        for question, *answers in rows
    ]
    return sorted((one for one in all_failures if one.failed_ways), key=lambda one: -one.failed_ways)


def _outcome(name: str, answer: Answered, limit: int) -> WayOutcome:
    return WayOutcome(name, answer.rank, answer.first, answer.rank is None or answer.rank > limit)


def failure_record(failure: Failure) -> dict[str, Any]:
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

"""Which questions failed, and how they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.cli.eval import comparison_lines, failure_lines
from headnote.extra.evaluate.measuring import Answered, LocatedQuestion, Measurement, score
from headnote.extra.evaluate.metrics import TextSpan
from headnote.extra.evaluate.questions import Gold, GoldPlace, Question
from headnote.extra.evaluate.report import Comparison, failures, record

LIMIT = 3
RANKS = st.none() | st.integers(1, 50)


def asked(number: int) -> LocatedQuestion:
    gold = Gold("guide/setup.md", heading="Mounting the gauge")
    question = Question(f"How do I mount gauge {number}?", (gold,), GoldPlace("q.jsonl", number))
    return LocatedQuestion(question, (TextSpan(gold.path, 0, 9),), (7,))


def comparison(ranks: list[list[int | None]]) -> Comparison:
    """One way for each list of ranks, one question for each rank."""
    scores = score([], [TextSpan("a", 0, 1)], LIMIT)
    ways = [
        Measurement(f"preset{number} hybrid", (scores,) * len(own), tuple(Answered(rank, None) for rank in own))
        for number, own in enumerate(ranks)
    ]
    return Comparison(LIMIT, ways, [asked(number) for number in range(1, len(ranks[0]) + 1)])


@given(st.integers(1, 8).flatmap(lambda size: st.lists(st.lists(RANKS, min_size=size, max_size=size), min_size=1)))
def test_a_question_fails_if_its_answer_comes_too_late_in_any_way(ranks: list[list[int | None]]) -> None:
    compared = comparison(ranks)
    late = [sum(rank is None or rank > LIMIT for rank in own) for own in zip(*ranks, strict=True)]
    found = failures(compared.asked, compared.measurements, LIMIT)
    assert {one.asked.question.place.line: one.failed_ways for one in found} == {
        number: ways for number, ways in enumerate(late, 1) if ways
    }
    assert [one.failed_ways for one in found] == sorted((ways for ways in late if ways), reverse=True)


@given(st.lists(st.lists(RANKS, min_size=4, max_size=4), min_size=1, max_size=6), st.integers(60, 120))
def test_the_table_fits_the_window(ranks: list[list[int | None]], width: int) -> None:
    compared = comparison(ranks)
    lines = [*comparison_lines(compared, width), *failure_lines(compared, Path("docs"), 10, width)]
    assert max(sum(len(span.text) for span in line) for line in lines) <= width


def shown(compared: Comparison, number: int = 10) -> str:
    lines = failure_lines(compared, Path("docs"), number, 80)
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines)


def test_a_table_of_two_ways() -> None:
    assert (
        shown(comparison([[1, 12, 2], [1, None, 2]]))
        == """
1 of 3 questions failed: the answer is not among the first 3
rank of the answer, – if it is not among 50, in A preset0 hybrid,
  B preset1 hybrid

   A   B
  12   –  How do I mount gauge 2?
          expected  docs/guide/setup.md:7  Mounting the gauge
          first AB  nothing
"""
    )


def test_one_way_needs_no_letter() -> None:
    assert (
        shown(comparison([[12]]))
        == """
1 of 1 question failed: the answer is not among the first 3
rank of the answer, – if it is not among 50

  12  How do I mount gauge 1?
      expected  docs/guide/setup.md:7  Mounting the gauge
      first     nothing
"""
    )


def test_nothing_is_shown_if_nothing_failed_or_nobody_asks() -> None:
    assert shown(comparison([[1, 2, 3]])) == ""
    assert shown(comparison([[9]]), 0) == ""


@pytest.mark.parametrize(("number", "more"), [(2, "3 more: --failures all shows them"), (5, "")])
def test_the_table_is_bounded_and_the_record_is_not(number: int, more: str) -> None:
    compared = comparison([[None] * 5])
    assert shown(compared, number).count("How do I mount") == number
    assert more in shown(compared, number)
    data = record(compared)
    assert data["depth"] == 50
    assert len(data["failures"]) == 5
    assert data["failures"][0] == {
        "question": "How do I mount gauge 1?",
        "file": "q.jsonl",
        "line": 1,
        "expected": [{"path": "guide/setup.md", "line": 7, "heading": "Mounting the gauge"}],
        "ways": [{"name": "preset0 hybrid", "rank": None, "failed": True, "first": None}],
    }

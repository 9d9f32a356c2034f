"""Hits of one document and of others, in order."""

from __future__ import annotations

from headnote import Hit
from headnote.model import Why
from headnote.search.spread import ANOTHER, best_first


def hit(path: str, score: float, start: int = 0) -> Hit:
    return Hit(path, 1, 1, "", "", "", score, "", "", 0, Why(), start, start + 1)


def test_another_hit_of_a_document_counts_a_little_less() -> None:
    found = best_first([hit("a", 0.80), hit("a", 0.78, 5), hit("a", 0.60, 9), hit("b", 0.76)], ANOTHER)
    assert [(one.path, one.start, one.score) for one in found] == [
        ("a", 0, 0.80),
        ("b", 0, 0.76),
        ("a", 5, 0.78 * ANOTHER),
        ("a", 9, 0.60 * ANOTHER),
    ]


def test_hits_that_are_much_better_stay_in_front() -> None:
    found = best_first([hit("b", 0.4), hit("a", 0.8), hit("a", 0.7, 5)], ANOTHER)
    assert [(one.path, one.start) for one in found] == [("a", 0), ("a", 5), ("b", 0)]


def test_an_order_can_be_left_alone() -> None:
    found = best_first([hit("a", 0.80), hit("b", 0.76), hit("a", 0.78, 5)], 1.0)
    assert [one.score for one in found] == [0.80, 0.78, 0.76]


def test_equals_come_by_path_and_place() -> None:
    assert [one.path for one in best_first([hit("c", 0.5), hit("a", 0.5), hit("b", 0.5)], ANOTHER)] == ["a", "b", "c"]
    assert [one.start for one in best_first([hit("a", 0.5, 7), hit("a", 0.5, 3)], ANOTHER)] == [3, 7]
    assert best_first([], ANOTHER) == []

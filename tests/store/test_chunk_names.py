"""What a passage is called."""

from __future__ import annotations

import pytest

from headnote.store.quantized import MAX_PARTS, name_hash, names_of


@pytest.mark.parametrize(
    ("title", "headings", "expected"),
    [
        ("useEffect", ("Reference", "Parameters"), "useEffect > Reference > Parameters"),
        ("Gauges", ("Gauges", "Mounting"), "Gauges > Mounting"),
        ("Gauges", ("Gauges",), "Gauges"),
        ("Gauges", (), "Gauges"),
        ("Gauges", ("", "Mounting"), "Gauges > Mounting"),
        ("Gauges", ("Mounting", "Gauges"), "Gauges > Mounting > Gauges"),
    ],
)
def test_a_name_is_the_title_with_the_headings(title: str, headings: tuple[str, ...], expected: str) -> None:
    assert names_of(title, headings) == (title, expected)


def test_what_is_longer_than_a_name_can_be_is_cut() -> None:
    title, whole = names_of("t" * 200, ("heading " * 10_000,))
    assert title == "t" * 200
    assert whole.startswith(f"{title} > heading heading")
    assert len(whole) == MAX_PARTS
    assert names_of("t" * 1000, ("h",)) == ("t" * MAX_PARTS, "t" * MAX_PARTS)


def test_a_name_is_known_by_its_hash() -> None:
    assert name_hash("a > b") == name_hash("a > b")
    assert name_hash("a > b") != name_hash("a > c")
    assert len(name_hash("half a pair: \ud800")) == 16

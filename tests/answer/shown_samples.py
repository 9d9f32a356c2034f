"""Passages as the search would bring them, made by hand, and a whole answer checked against them."""

from __future__ import annotations

from collections.abc import Sequence

from headnote.answer.citations import Checker
from headnote.answer.prompt import ShownPassage, passage_of
from headnote.model import Answer, Hit

CARE = """\
# Care

The lamp blinks twice a minute while the radio works.
A dark lamp means that the battery is empty.

## Battery

Below 3.3 V the gauge sleeps until the sun is back.
Weed on the solar cell is normal in August.

| Use     | Difference | Calibrate every |
| ------- | ---------- | --------------- |
| science | 5 mm       | 3 months        |
"""

MOUNT = """\
# Mounting

Set the torque wrench to 12 Nm for the upper bracket.
The lower bracket takes 9 Nm.
"""


def make_hit(path: str, start_line: int, end_line: int, text: str, breadcrumb: str = "") -> Hit:
    return Hit(
        path=path,
        start_line=start_line,
        end_line=end_line,
        breadcrumb=breadcrumb,
        title=path,
        text=text,
        score=0.5,
        id=f"{path}#{start_line}",
        key=path,
        tokens=10,
    )


def passage(text: str, path: str, start: int, end: int, breadcrumb: str = "") -> ShownPassage:
    document = text.split("\n")
    own = "\n".join(document[start - 1 : end])
    shown = passage_of(document, make_hit(path, start, end, own, breadcrumb))
    assert shown is not None
    return shown


def samples() -> list[ShownPassage]:
    """Lines 1-4 and 6-13 of one document, 1-3 of another."""
    return [
        passage(CARE, "care.md", 1, 4, "Care"),
        passage(CARE, "care.md", 6, 13, "Care > Battery"),
        passage(MOUNT, "guides/mount.md", 1, 3, "Mounting"),
    ]


def check_citations(text: str, shown: Sequence[ShownPassage]) -> Answer:
    """A whole answer at once, with only the citations that hold."""
    checker = Checker(shown)
    checked = checker.feed(text) + checker.finish()
    return Answer(checked, checker.citations, dropped=checker.dropped)

"""The judge of bench/chunk.py must see every fault, and none where there is none: `python -m pytest bench`."""

from __future__ import annotations

from itertools import pairwise
from textwrap import dedent

import pytest

from faults import (
    FENCE_CUT,
    HEADING_FROM_CODE,
    HEADING_LAST,
    HEADING_ONLY,
    LOST,
    OVER_CAP,
    REWRITTEN,
    TABLE_HEADLESS,
    WRONG_POSITION,
    Judge,
    Piece,
    Source,
    total,
)

SOURCE = dedent("""\
    ---
    title: Sample
    ---
    # One

    Text of one.

    ## Two

    - item

      ```python
      # not a heading
      if x:
          y()
      ```

    | a | b |
    |---|---|
    | 1 | 2 |
    | 3 | 4 |

    ## Three

    Text of three.
    """)
BODY = SOURCE.index("# One")
CODE = SOURCE.index("# not")
FENCE = SOURCE.index("- item")
SECOND_ROW = SOURCE.index("| 3 |")
TWO = SOURCE.index("## Two")
THREE = SOURCE.index("## Three")


def cut(*places: int) -> list[Piece]:
    """The source, cut at these places, without frontmatter."""
    edges = [BODY, *places, len(SOURCE)]
    return [placed(start, end) for start, end in pairwise(edges)]


def placed(start: int, end: int, prefix: str = "", suffix: str = "") -> Piece:
    own = SOURCE[start:end].strip()
    start = SOURCE.index(own, start)
    text = prefix + own + suffix
    return Piece(text, text, start, start + len(own), prefix=prefix, suffix=suffix)


def unplaced(piece: Piece) -> Piece:
    return piece._replace(start=None, end=None)


def judge(pieces: list[Piece], limit: int = 1000, source: str = SOURCE) -> dict[str, int]:
    """The faults, if a character is a token."""
    verdict = Judge(Source(source), len, limit, keeps_frontmatter=False)
    for piece in pieces:
        verdict.add(piece)
    return dict(total(verdict.finish()))


@pytest.mark.parametrize("known", [True, False], ids=["positions", "searched"])
@pytest.mark.parametrize(
    ("places", "faults"),
    [
        ([], {}),
        ([TWO, THREE], {}),
        ([FENCE], {HEADING_LAST: 1}),
        ([TWO, FENCE], {HEADING_ONLY: 1}),
        ([CODE], {FENCE_CUT: 2, TABLE_HEADLESS: 1}),
        ([SOURCE.index("if x")], {FENCE_CUT: 2, TABLE_HEADLESS: 1}),
        ([CODE, SOURCE.index("y()")], {FENCE_CUT: 3, TABLE_HEADLESS: 1}),
        ([SECOND_ROW], {TABLE_HEADLESS: 1}),
    ],
)
def test_cuts(places: list[int], faults: dict[str, int], known: bool) -> None:
    pieces = cut(*places)
    assert judge(pieces if known else [unplaced(piece) for piece in pieces]) == faults


def test_repaired_cuts_are_no_faults() -> None:
    code = SOURCE.index("if x")
    first = placed(BODY, code, suffix="\n  ```")
    second = placed(code, SECOND_ROW, prefix="```python\n")
    third = placed(SECOND_ROW, len(SOURCE), prefix="| a | b |\n|---|---|\n")
    assert judge([first, second, third]) == {}


def test_over_the_cap() -> None:
    first, second = cut(TWO)
    assert judge([first, second], limit=len(second.text)) == {}
    assert judge([first, second], limit=len(second.text) - 1) == {OVER_CAP: 1}


def test_heading_without_room_for_the_next_block_is_not_charged() -> None:
    first, second = Piece("# Head", "# Head"), Piece("x" * 20, "x" * 20)
    source = f"{first.text}\n\n{second.text}\n"
    assert judge([first, second], limit=28, source=source) == {HEADING_ONLY: 1}
    assert judge([first, second], limit=27, source=source) == {}


def test_heading_before_a_block_that_must_be_cut_anyway_is_charged() -> None:
    pieces = [Piece(text, text) for text in ("# Head", "x" * 20, "x" * 20)]
    source = f"# Head\n\n{'x' * 40}\n"
    assert judge(pieces, limit=27, source=source) == {HEADING_ONLY: 1}


def test_heading_in_a_list_begins_no_section() -> None:
    pieces = [Piece(text, text) for text in ("- # Head", "  text")]
    assert judge(pieces, source="- # Head\n\n  text\n") == {}


def test_lost_characters_are_counted() -> None:
    first, last = placed(BODY, TWO), placed(THREE, len(SOURCE))
    assert judge([first, last]) == {LOST: len("".join(SOURCE[TWO:THREE].split()))}
    assert judge([unplaced(first), unplaced(last)]) == judge([first, last])


def test_changed_text_is_seen_and_not_charged_as_lost() -> None:
    text = "\n".join(line.strip() for line in SOURCE[BODY:].splitlines())
    assert judge([Piece(text, text)]) == {REWRITTEN: 1}


@pytest.mark.parametrize("shift", [1, -1])
def test_wrong_positions(shift: int) -> None:
    first, second = cut(TWO)
    assert second.start is not None
    assert second.end is not None
    moved = second._replace(start=second.start + shift, end=second.end + shift)
    assert judge([first, moved]) == {WRONG_POSITION: 1}


def test_wrong_lines() -> None:
    first, second = cut(TWO)
    line = SOURCE[:TWO].count("\n") + 1
    last = SOURCE.count("\n")
    assert judge([first, second._replace(lines=(line, last))]) == {}
    assert judge([first, second._replace(lines=(line - 1, last))]) == {WRONG_POSITION: 1}


def test_headings_from_code() -> None:
    (whole,) = cut()
    assert judge([whole._replace(headings=("One", "Two"))]) == {}
    assert judge([whole._replace(headings=("One", "not a heading"))]) == {HEADING_FROM_CODE: 1}

"""Work grows as the input does. Counted, never timed: a busy machine must not fail a test."""

from __future__ import annotations

import pytest
import worst
import worst_fields
from effort import counted_steps, stop_of_endless_work
from worst import Worst

from headnote.markdown.frontmatter import read_frontmatter
from headnote.markdown.scanner import scan
from headnote.model import Frontmatter

SMALL = 8_000
LARGE = 2 * SMALL
# Twice the input, twice the work; the rest is what the rounding of repetitions may add.
TOLERATED = 2.1
# Steps that do not depend on the input: dialect tables, first use of a cache.
OVERHEAD = 500

ENDLESS = 100_000
LONGEST_LINE = 30_000_000


def ids(case: Worst) -> str:
    return f"{'mdx ' if case.mdx else ''}{case.name}".replace(" ", "-")


def steps_to_scan(text: str, mdx: bool) -> int:
    return counted_steps(lambda: scan(text, mdx=mdx))


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """The first scan compiles the regexes, which is work of its own."""
    scan("a", mdx=False)
    scan("a", mdx=True)


@pytest.mark.parametrize("case", worst.ALL, ids=ids)
def test_work_doubles_with_the_input(case: Worst) -> None:
    small = steps_to_scan(case.build(SMALL), case.mdx)
    large = steps_to_scan(case.build(LARGE), case.mdx)
    assert large <= small * TOLERATED + OVERHEAD


@pytest.mark.parametrize("case", worst.ALL, ids=ids)
def test_long_input_ends(case: Worst) -> None:
    text = case.build(ENDLESS)
    with stop_of_endless_work():
        blocks = scan(text, mdx=case.mdx)
    assert all(block.end <= len(text) for block in blocks)


def fields_of(text: str) -> Frontmatter:
    return read_frontmatter(text, scan(text)[0])


def steps_to_read(text: str) -> int:
    return counted_steps(lambda: fields_of(text))


@pytest.mark.parametrize("case", worst_fields.ALL, ids=ids)
def test_work_doubles_with_the_frontmatter(case: Worst) -> None:
    small, large = (steps_to_read(case.build(size)) for size in (SMALL, LARGE))
    assert large <= small * TOLERATED + OVERHEAD


@pytest.mark.parametrize("case", worst_fields.ALL, ids=ids)
def test_long_frontmatter_ends(case: Worst) -> None:
    text = case.build(ENDLESS)
    with stop_of_endless_work():
        fields = fields_of(text)
    assert bool(fields.data) != bool(fields.warning)


@pytest.mark.parametrize("character", ["a", "[", ">", "`", "|", "<", " "])
def test_one_endless_line_ends(character: str) -> None:
    size = LONGEST_LINE if character == "a" else LONGEST_LINE // 30
    with stop_of_endless_work():
        blocks = scan(character * size + "a")
    assert len(blocks) == 1

"""Work grows as the input does. Counted, never timed: a busy machine must not fail a test."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
import worst
from worst import Worst

from headnote.markdown.scanner import scan

SMALL = 8_000
LARGE = 2 * SMALL
# Twice the input, twice the work; the rest is what the rounding of repetitions may add.
TOLERATED = 2.1
# Steps that do not depend on the input: dialect tables, first use of a cache.
OVERHEAD = 500

# What happens inside one call to C, as in a regex, is not counted. If that looked again at what it has read, a text
# of this size would take minutes instead of a second. So here is a stop for what would not end: in seconds of our own
# processor time, which a busy machine does not use up, and many times what it takes.
ENDLESS = 200_000
GIVE_UP_AFTER = 20
LONGEST_LINE = 30_000_000


def ids(case: Worst) -> str:
    return f"{'mdx ' if case.mdx else ''}{case.name}".replace(" ", "-")


def counted_steps(text: str, mdx: bool) -> int:
    """Lines of Python that ran and functions that were called, those written in C included, to scan the text."""
    steps = 0

    def trace(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return trace

    def profile(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal steps
        steps += event in {"call", "c_call"}

    tracer, profiler = sys.gettrace(), sys.getprofile()
    sys.setprofile(profile)
    sys.settrace(trace)
    try:
        scan(text, mdx=mdx)
    finally:
        sys.settrace(tracer)
        sys.setprofile(profiler)
    return steps


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """The first scan compiles the regexes, which is work of its own."""
    scan("a", mdx=False)
    scan("a", mdx=True)


@pytest.mark.parametrize("case", worst.ALL, ids=ids)
def test_work_doubles_with_the_input(case: Worst) -> None:
    small = counted_steps(case.build(SMALL), case.mdx)
    large = counted_steps(case.build(LARGE), case.mdx)
    assert large <= small * TOLERATED + OVERHEAD


@contextmanager
def stop_of_endless_work() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"still at work after {GIVE_UP_AFTER} seconds of processor time")

    if not hasattr(signal, "setitimer"):
        yield
        return
    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, GIVE_UP_AFTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


@pytest.mark.parametrize("case", worst.ALL, ids=ids)
def test_long_input_ends(case: Worst) -> None:
    text = case.build(ENDLESS)
    with stop_of_endless_work():
        blocks = scan(text, mdx=case.mdx)
    assert all(block.end <= len(text) for block in blocks)


@pytest.mark.parametrize("character", ["a", "[", ">", "`", "|", "<", " "])
def test_one_endless_line_ends(character: str) -> None:
    size = LONGEST_LINE if character == "a" else LONGEST_LINE // 30
    with stop_of_endless_work():
        blocks = scan(character * size + "a")
    assert len(blocks) == 1

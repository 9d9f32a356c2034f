"""Generated Markdown that tries to be misread, before two independent judges."""

from __future__ import annotations

import os

import nasty
import nasty_mdx
from blocklines import tiling_fault
from hypothesis import HealthCheck, example, given, settings
from verdict import fault, without_frontmatter

from headnote.markdown.scanner import scan

# `HEADNOTE_FUZZ=200000 pytest tests/markdown/test_differential.py` hunts for longer.
EXAMPLES = int(os.environ.get("HEADNOTE_FUZZ", "1000"))

thorough = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@thorough
@given(nasty.documents())
def test_some_judge_agrees(text: str) -> None:
    assert not fault(without_frontmatter(text))


@thorough
@given(nasty_mdx.documents())
@example("<A")
@example("{")
@example("export const a = {")
@example("{\n\n}||\n-|-")
def test_mdx_never_fails_and_tiles(text: str) -> None:
    assert not tiling_fault(text, scan(text, mdx=True))


@thorough
@given(nasty.documents())
def test_markdown_read_as_mdx_tiles(text: str) -> None:
    assert not tiling_fault(text, scan(text, mdx=True))


@thorough
@given(nasty.documents())
def test_frontmatter_tiles(text: str) -> None:
    for fence in ("---", "+++"):
        framed = f"{fence}\n{text}\n{fence}\n{text}"
        assert not tiling_fault(framed, scan(framed))

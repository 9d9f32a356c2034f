"""Golden pairs: `cases/NAME.md` (or `.mdx`) and the blocks it consists of in `cases/NAME.json`.

A new case is two files and no code. A block is `[kind, first line, last line, level, info]`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from blocklines import tiling_fault

from headnote.markdown.scanner import scan

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(path for path in FOLDER.iterdir() if path.suffix in {".md", ".mdx"})


def test_there_are_cases() -> None:
    assert CASES
    assert {path.stem for path in CASES} == {path.stem for path in FOLDER.glob("*.json")}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    blocks = scan(text, mdx=path.suffix == ".mdx")
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert [[b.kind, b.start_line, b.end_line, b.level, b.info] for b in blocks] == expected
    assert not tiling_fault(text, blocks)

"""docs/scale.md names every column, and the calculation of docs/sizing.md is run."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import headnote
from headnote.extra.scale.batch import CONTENT
from headnote.model import Chunk
from headnote.sources.files import read_source


def test_the_calculation_is_right(repository: Path) -> None:
    text = read_source(repository / "docs" / "sizing.md")
    blocks = [block for block in headnote.parse(text) if block.kind == "code"]
    code = {block.info: "".join(text[block.start : block.end].splitlines(keepends=True)[1:-1]) for block in blocks}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code["python"], "sizing.md", "exec"), {})
    # The last block of text is the output of the calculation.
    assert printed.getvalue() == code["text"]
    assert "1" in code["text"]


def test_the_page_names_the_columns(repository: Path) -> None:
    page = read_source(repository / "docs" / "scale.md")
    assert [name for name in CONTENT if f"`{name}`" not in page] == []
    lists = ("heading_path", "tags", "links", "metadata", "modified")
    assert [name for name in lists if f"`{name}`" not in page or name not in Chunk.FIELDS] == []

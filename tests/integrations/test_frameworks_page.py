"""docs/frameworks.md: each section is run in an empty folder with the file it splits, and must print what it shows.

To update the outputs after an intended change:

    python tests/integrations/test_frameworks_page.py
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headnote
from headnote.model import Block

PAGE = Path(__file__).resolve().parents[2] / "docs" / "frameworks.md"
NEEDS = {
    "LangChain": "langchain_text_splitters",
    "LlamaIndex": "llama_index.core",
    "Haystack": "haystack",
    "Coming from semantic-text-splitter": "semantic_text_splitter",
}
"""The package that each section needs."""

# Before Haystack is imported, because it sends telemetry.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Heading and text of each section of the second level. The text before the first has no heading."""
    headings = [block for block in headnote.parse(text) if block.level == 2]
    starts = [(0, ""), *((block.start, text[block.start : block.end].lstrip("# ")) for block in headings)]
    for (start, heading), (end, _) in zip(starts, [*starts[1:], (len(text), "")], strict=True):
        yield heading, text[start:end]


def content(text: str, block: Block) -> str:
    return "".join(text[block.start : block.end].splitlines(keepends=True)[1:-1])


def example() -> tuple[str, str]:
    """Name and text of the file that the examples split."""
    text = PAGE.read_text(encoding="utf-8")
    [block] = [block for block in headnote.parse(text) if block.info.startswith("markdown ")]
    return block.info.partition(" ")[2], content(text, block)


def run_again(section: str) -> str:
    """The section with the current output of its examples."""
    name, text = example()
    namespace: dict[str, Any] = {}
    pieces, done, printed = [], 0, ""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path(name).write_text(text, encoding="utf-8")
        for block in headnote.parse(section):
            if block.info == "python":
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(compile(content(section, block), PAGE.name, "exec"), namespace)
                printed = output.getvalue()
            elif block.info == "text":
                pieces.append(f"{section[done : block.start]}```text\n{printed}```")
                done = block.end
    return "".join([*pieces, section[done:]])


@pytest.mark.parametrize("heading", NEEDS)
def test_examples_print_what_the_page_says(heading: str) -> None:
    pytest.importorskip(NEEDS[heading], reason=f"the examples under {heading} need it")
    section = dict(sections(PAGE.read_text(encoding="utf-8")))[heading]
    assert section.count("```python") >= 2
    assert run_again(section) == section


def test_every_section_with_examples_is_run() -> None:
    with_examples = [heading for heading, text in sections(PAGE.read_text(encoding="utf-8")) if "```python" in text]
    assert with_examples == list(NEEDS)


def test_links_resolve() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / target).exists(), target


def test_the_table_of_metadata_is_complete() -> None:
    from headnote.integrations.common import FIELDS, DocumentChunker

    page = PAGE.read_text(encoding="utf-8")
    named = {name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert set(DocumentChunker("default", "text", FIELDS, {}).names) <= named


if __name__ == "__main__":
    old = PAGE.read_text(encoding="utf-8")
    PAGE.write_text("".join(run_again(text) for _, text in sections(old)), encoding="utf-8")

"""The handbook in `examples/` shows every construct, and stays a good read while it does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from corpora import files_below

import headnote
from headnote.markdown.document import is_mdx
from headnote.model import BlockKind
from headnote.sources.files import read_source

CONSTRUCTS = [
    ("index.md", "frontmatter", r"\A---\n"),
    ("calibration.md", "frontmatter", r"\A\+\+\+\n"),
    ("index.md", "heading", r"\A# "),
    ("calibration.md", "heading", r" ##\Z"),
    ("calibration.md", "heading", r"\{#waves\}\Z"),
    ("installing.md", "heading", r"\n=+\Z"),
    ("installing.md", "heading", r"\n-+\Z"),
    ("index.md", "code", r"\A```text\n"),
    ("installing.md", "code", r"\A~~~~ console\n[\s\S]*\n~~~ "),
    ("installing.md", "code", r"\A    set [\s\S]*\n\n    save\Z"),
    ("installing.md", "list", r"\A\+ .*[\s\S]*\n  \+ [\s\S]*\n    1\. "),
    ("installing.md", "list", r"\A- \[x\] "),
    ("installing.md", "list", r"\A3\) [\s\S]*   > [\s\S]*\n\n5\) "),
    ("index.md", "list", r"\A1\. [\s\S]*\n   - [\s\S]*\n3\. "),
    ("troubleshooting.md", "list", r"\A1\. [\s\S]*\n   \* [\s\S]*```console\n"),
    ("index.md", "table", r"\n\| :-+ \|"),
    ("calibration.md", "table", r"\APoint \| "),
    ("calibration.md", "quote", r"\n[^>].*slapped|\nslapped"),
    ("calibration.md", "quote", r"\n> > "),
    ("publishing.md", "html", r"\A<style>[\s\S]*\n\n# [\s\S]*</style>\Z"),
    ("troubleshooting.md", "html", r"\A<!--[\s\S]*\n\n[\s\S]*-->\Z"),
    ("publishing.md", "html", r"\A<\?tidewater .*\?>\Z"),
    ("publishing.md", "html", r"\A<!DOCTYPE html>\Z"),
    ("publishing.md", "html", r"\A<!\[CDATA\[[\s\S]*\]\]>\Z"),
    ("troubleshooting.md", "html", r"\A<details>"),
    ("publishing.md", "html", r"\A<tide-chart "),
    ("index.md", "rule", r"\A\* \* \*\Z"),
    ("publishing.md", "rule", r"\A____\Z"),
    ("index.md", "definition", r"\A\[calibration\]: "),
    ("calibration.md", "footnote", r"\A\[\^line\]: [\s\S]*\n\n    Clean"),
    (
        "field-notes.md",
        "paragraph",
        r"\[\[index\]\], \[\[calibration\|.*\]\], \[\[troubleshooting#No radio\]\]",
    ),
    ("field-notes.md", "paragraph", r"!\[\[calibration#"),
    ("field-notes.md", "paragraph", r"#round #autumn"),
    ("index.md", "paragraph", r"<https://\S+>"),
    ("field-notes.md", "paragraph", r'!\[.+\]\(images/fog\.jpg ".+"\)'),
    ("gauge-widget.mdx", "mdx_esm", r"\Aimport "),
    ("gauge-widget.mdx", "mdx_esm", r"\Aexport default function [\s\S]*\n\}\Z"),
    ("gauge-widget.mdx", "mdx_jsx", r"\A<Note [\s\S]*</Note>\Z"),
    ("gauge-widget.mdx", "mdx_jsx", r"\A<Gauge\n[\s\S]*/>\Z"),
    ("gauge-widget.mdx", "mdx_expression", r"\A\{tides\n[\s\S]*\}\Z"),
    ("gauge-widget.mdx", "mdx_expression", r"\A\{/\*"),
    ("quick-guide.ja.md", "paragraph", r"このページ"),
]


@pytest.fixture(scope="module")
def blocks_of_file(repository: Path) -> dict[str, list[tuple[str, str]]]:
    """File name → its blocks as (kind, text)."""
    blocks: dict[str, list[tuple[str, str]]] = {}
    for path in files_below(repository / "examples"):
        text = read_source(path)
        blocks[path.name] = [
            (block.kind, text[block.start : block.end]) for block in headnote.parse(text, mdx=is_mdx(path))
        ]
    return blocks


def test_every_kind_of_block_occurs(blocks_of_file: dict[str, list[tuple[str, str]]]) -> None:
    kinds = {kind for blocks in blocks_of_file.values() for kind, _ in blocks}
    assert kinds == set(get_args(BlockKind)) - {"directive"}, "Markdown has none"


@pytest.mark.parametrize(("file", "kind", "pattern"), CONSTRUCTS)
def test_every_construct_occurs(
    file: str, kind: str, pattern: str, blocks_of_file: dict[str, list[tuple[str, str]]]
) -> None:
    texts = [text for block_kind, text in blocks_of_file[file] if block_kind == kind]
    assert any(re.search(pattern, text) for text in texts), texts


def test_links_between_the_pages_lead_somewhere(repository: Path) -> None:
    for path in files_below(repository / "examples"):
        for target in re.findall(r"\]\(([\w.-]+\.mdx?)[#)]", read_source(path)):
            assert (path.parent / target).is_file(), f"{path.name} links to {target}"

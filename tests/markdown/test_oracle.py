"""Every file of the corpora, block by block, as micromark sees it; and the tiling that positions promise."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from blocklines import Seen, first_difference, last_line_with_content, lines_of, seen_by_us, tiling_fault

from headnote.markdown.scanner import scan

MARKDOWN_CORPORA = ["fastapi-en", "foam", "kubernetes-en", "public-apis", "rust-book"]
MDX_CORPORA = ["astro-en", "react.dev"]
CORPORA_WITHOUT_ORACLE = ["kubernetes-ja"]

ORACLE_ERRS: dict[str, str] = {}
"""`corpus/path` → why the oracle is the one that errs there."""

MDX_SHARE = 0.99
SHOWN_DIFFERENCES = 20

KIND_OF_NODE = {
    "yaml": "frontmatter",
    "toml": "frontmatter",
    "heading": "heading",
    "paragraph": "paragraph",
    "code": "code",
    "list": "list",
    "table": "table",
    "blockquote": "quote",
    "html": "html",
    "thematicBreak": "rule",
    "definition": "definition",
    "footnoteDefinition": "footnote",
    "mdxjsEsm": "mdx_esm",
    "mdxJsxFlowElement": "mdx_jsx",
    "mdxFlowExpression": "mdx_expression",
}


class OracleFile(NamedTuple):
    """One file of a corpus and the nodes of the oracle."""

    name: str
    text: str
    mdx: bool
    nodes: list[list[Any]]


def read_text(path: Path) -> str:
    """The file as it is: `Path.read_text` would turn every line end into a newline."""
    return path.read_bytes().decode("utf-8")


def oracle_files(shared: Path, corpus: str) -> Iterator[OracleFile]:
    records = (shared / "oracle" / f"{corpus}.mdast.jsonl").read_text(encoding="utf-8").split("\n")
    for record in filter(None, records):
        entry = json.loads(record)
        text = read_text(shared / "corpora" / corpus / entry["path"])
        yield OracleFile(f"{corpus}/{entry['path']}", text, entry["mode"] == "mdx", entry["blocks"])


def seen_by_oracle(text: str, nodes: list[list[Any]]) -> list[Seen]:
    lines = lines_of(text)
    seen = []
    for node, first, last, _start, _end, *rest in nodes:
        level = rest[0] if node == "heading" else 0
        seen.append(Seen(KIND_OF_NODE[node], first, last_line_with_content(lines, first, last), level))
    return seen


def differing_files(files: list[OracleFile]) -> dict[str, str]:
    """File → first difference, for every file that we and the oracle read differently."""
    differences = {}
    for file in files:
        ours = seen_by_us(scan(file.text, mdx=file.mdx))
        difference = first_difference(ours, seen_by_oracle(file.text, file.nodes))
        if difference:
            differences[file.name] = difference
    return differences


def report(differences: dict[str, str]) -> str:
    shown = [f"  {name}: {difference}" for name, difference in differences.items()][:SHOWN_DIFFERENCES]
    return "\n".join([f"{len(differences)} files differ, the first of them:", *shown])


def test_every_oracle_file_is_compared(shared: Path) -> None:
    names = {path.name.removesuffix(".mdast.jsonl") for path in (shared / "oracle").glob("*.jsonl")}
    assert names == {*MARKDOWN_CORPORA, *MDX_CORPORA}


@pytest.mark.parametrize("corpus", MARKDOWN_CORPORA)
def test_markdown_is_read_as_the_oracle_reads_it(shared: Path, corpus: str) -> None:
    files = list(oracle_files(shared, corpus))
    assert files
    assert not any(file.mdx for file in files)
    differences = differing_files(files)
    unexplained = {name: text for name, text in differences.items() if name not in ORACLE_ERRS}
    assert not unexplained, report(unexplained)
    stale = {name for name in ORACLE_ERRS if name.startswith(f"{corpus}/")} - differences.keys()
    assert not stale, f"equal by now, so no longer the oracle's error: {sorted(stale)}"


@pytest.mark.parametrize("corpus", MDX_CORPORA)
def test_mdx_is_read_as_the_oracle_reads_it(shared: Path, corpus: str) -> None:
    files = list(oracle_files(shared, corpus))
    assert files
    assert all(file.mdx for file in files)
    differences = differing_files(files)
    sys.stdout.write(report(differences))  # pytest -rP shows it for a passed test too
    assert len(differences) <= len(files) * (1 - MDX_SHARE), report(differences)


@pytest.mark.parametrize("corpus", ["own", *MARKDOWN_CORPORA, *MDX_CORPORA, *CORPORA_WITHOUT_ORACLE])
@pytest.mark.parametrize("mdx", [False, True], ids=["md", "mdx"])
def test_blocks_and_blank_gaps_tile_every_file(corpus_folder: Callable[[str], Path], corpus: str, mdx: bool) -> None:
    root = corpus_folder(corpus)
    paths = [path for path in sorted(root.rglob("*")) if path.suffix in {".md", ".mdx"}]
    assert paths
    untrue = {}
    for path in paths:
        text = read_text(path)
        fault = tiling_fault(text, scan(text, mdx=mdx))
        if fault:
            untrue[path.relative_to(root).as_posix()] = fault
    assert not untrue, report(untrue)

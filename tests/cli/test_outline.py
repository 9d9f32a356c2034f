"""`headnote outline`: what it shows, to people and to programs."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import headnote
from headnote.cli.main import main
from headnote.cli.outline import tree_branches

GUIDE = """\
---
title: Guide
---

# Guide

Text.

## Install

### Linux

Text.

#### Arch

## Use

# Appendix
"""


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("guide.md").write_text(GUIDE, encoding="utf-8")
    return Path("guide.md")


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_headings_as_a_tree(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outline", str(guide)]) == 0
    assert capsys.readouterr().out == dedent("""\
        guide.md  19 lines, 98 chars, 28 tokens
           5–17  13 lines  63 chars  18 tokens  Guide
           9–15   7 lines  39 chars  10 tokens  ├─ Install
          11–15   5 lines  27 chars   7 tokens  │  └─ Linux
          15–15   1 line    9 chars   2 tokens  │     └─ Arch
          17–17   1 line    6 chars   2 tokens  └─ Use
          19–19   1 line   10 chars   2 tokens  Appendix
        """)


def test_json_is_one_object_per_file_and_line(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outline", "--json", str(guide), str(guide.resolve())]) == 0
    first, second = records(capsys.readouterr().out)
    assert first["headings"] == second["headings"]
    assert {key: first[key] for key in ("path", "lines", "size")} == {
        "path": "guide.md",
        "lines": 19,
        "size": len(GUIDE),
    }
    assert first["headings"][2] == {
        "level": 3,
        "text": "Linux",
        "slug": "linux",
        "path": ["Guide", "Install", "Linux"],
        "start_line": 11,
        "end_line": 15,
        "chars": 27,
        "tokens": 7,
    }
    assert first["tokens"] == headnote.count_tokens(GUIDE)
    assert list(first) == ["path", "lines", "size", "tokens", "headings"]


def test_depth_hides_headings_and_keeps_ranges(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outline", "--json", "--depth", "2", str(guide)]) == 0
    [record] = records(capsys.readouterr().out)
    shown = [(heading["text"], heading["start_line"], heading["end_line"]) for heading in record["headings"]]
    assert shown == [("Guide", 5, 17), ("Install", 9, 15), ("Use", 17, 17), ("Appendix", 19, 19)]


def test_ranges_end_at_the_same_or_a_higher_level(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide.write_text("### deep\n\na\n\n## higher\n\nb\n\n#### jump\n\nc\n\n## same\n", encoding="utf-8")
    main(["outline", "--json", str(guide)])
    [record] = records(capsys.readouterr().out)
    ranges = [(heading["start_line"], heading["end_line"]) for heading in record["headings"]]
    assert ranges == [(1, 3), (5, 11), (9, 11), (13, 13)]


def test_sizes_are_true_characters_of_the_file(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "\ufeff# 見出し\r\n\r\n本文\r\n\r\n## 🎈\r\n"
    guide.write_bytes(text.encode())
    main(["outline", "--json", str(guide)])
    [record] = records(capsys.readouterr().out)
    assert (record["lines"], record["size"]) == (5, len(text))
    assert [heading["text"] for heading in record["headings"]] == ["見出し", "🎈"]
    assert record["headings"][1]["chars"] == len("## 🎈")


def test_a_file_without_headings(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide.write_text("text", encoding="utf-8")
    assert main(["outline", str(guide)]) == 0
    assert capsys.readouterr().out == "guide.md  1 line, 4 chars, 1 token\n  no headings\n"
    guide.write_bytes(b"")
    assert main(["outline", "--json", str(guide)]) == 0
    [record] = records(capsys.readouterr().out)
    assert record == {"path": "guide.md", "lines": 0, "size": 0, "tokens": 0, "headings": []}


MDX = "export const a = `\n\n# code\n\n`\n\n# Title\n"


@pytest.mark.parametrize(
    ("name", "flags", "texts"),
    [("a.md", [], ["code", "Title"]), ("a.mdx", [], ["Title"]), ("a.md", ["--mdx"], ["Title"])],
)
def test_mdx_by_suffix_or_by_flag(
    name: str, flags: list[str], texts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(MDX, encoding="utf-8")
    assert main(["outline", "--json", *flags, str(tmp_path)]) == 0
    [record] = records(capsys.readouterr().out)
    assert [heading["text"] for heading in record["headings"]] == texts


def test_a_folder_is_outlined_file_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b.md", "a/c.markdown", ".hidden/d.md", "e.txt", "f.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n", encoding="utf-8")
    assert main(["outline", "--json", str(tmp_path)]) == 0
    texts = [record["headings"][0]["text"] for record in records(capsys.readouterr().out)]
    assert texts == ["a/c.markdown", "b.md", "e.txt"]


@pytest.mark.parametrize(
    ("levels", "branches"),
    [
        ([], []),
        ([1], [""]),
        ([2, 2], ["", ""]),
        ([1, 2, 2], ["", "├─ ", "└─ "]),
        ([1, 4, 2, 3], ["", "├─ ", "└─ ", "   └─ "]),
        ([1, 2, 3, 2, 1, 2], ["", "├─ ", "│  └─ ", "└─ ", "", "└─ "]),
        ([3, 2, 1], ["", "", ""]),
        ([1, 2, 3, 4, 3, 2], ["", "├─ ", "│  ├─ ", "│  │  └─ ", "│  └─ ", "└─ "]),
    ],
)
def test_branches_of_the_tree(levels: list[int], branches: list[str]) -> None:
    assert tree_branches(levels) == branches

"""The benchmark of link checkers reads what the others print."""

from __future__ import annotations

from pathlib import Path

import pytest

import link_check
from link_check import Broken

FOLDER = Path("/scratch/corpus")
REMARK = """\
../scratch/corpus/docs/a.md
17:15-17:102    warning Cannot find heading for `#x` in `b.md`  missing-heading-in-file remark-validate-links:missing
9:1-9:9         warning Cannot find file `gone.md`  missing-file remark-validate-links:missing-file

../scratch/corpus/docs/b.md
1:1             warning Something else                             other                   other:other

⚠ 3 warnings
"""
LINK_CHECK = """
  ERROR: 2 dead links found in docs/a.md !
  [✖] gone.md → Status: 400
  [✖] #x → Status: 404
"""


def test_findings_of_remark() -> None:
    assert link_check._of_remark(REMARK, FOLDER) == [
        Broken("docs/a.md", 17, "Cannot find heading for `#x` in `b.md`"),
        Broken("docs/a.md", 9, "Cannot find file `gone.md`"),
    ]


def test_findings_of_markdown_link_check() -> None:
    assert link_check._of_link_check(LINK_CHECK, FOLDER) == [
        Broken("docs/a.md", None, "gone.md"),
        Broken("docs/a.md", None, "#x"),
    ]


def test_what_each_finds_alone(capsys: pytest.CaptureFixture[str]) -> None:
    found = {
        link_check.OURS: [Broken("a.md", 1, "both.md"), Broken("a.md", 2, "ours.md")],
        link_check.LINK_CHECK: [Broken("a.md", None, "both.md"), Broken("b.md", None, "theirs.md")],
    }
    link_check.show_differences(link_check.LINK_CHECK, found, by_line=False, most=5)
    assert capsys.readouterr().out.split("\n")[1:-1] == [
        "Beside markdown-link-check: 1 found by both, told apart by document and target",
        "  here only: 1",
        "    a.md:2  ours.md",
        "  by markdown-link-check only: 1",
        "    b.md  theirs.md",
    ]


def test_peers_that_are_not_installed(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"lacks remark-cli, .*: run npm install remark-cli"):
        link_check._installed(tmp_path)

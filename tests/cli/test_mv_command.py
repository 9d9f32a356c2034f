"""`headnote mv`: what it prints, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headnote.cli.main import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "index.md").write_text("# Start\n\nSee [the guide](guide.md#steps).\n")
    (folder / "guide.md").write_text("# Guide\n\n## Steps\n")
    monkeypatch.chdir(tmp_path)
    return folder


def test_a_dry_run_shows_the_lines(docs: Path, capsys: Captured) -> None:
    assert main(["mv", "docs/guide.md", "docs/sub", "--root", "docs", "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "docs/index.md:3",
        "- See [the guide](guide.md#steps).",
        "+ See [the guide](sub/guide.md#steps).",
        "would move docs/guide.md to docs/sub/guide.md; would change 1 target of links in 1 file",
    ]
    assert (docs / "guide.md").exists()


def test_a_move_says_what_it_did(docs: Path, capsys: Captured) -> None:
    assert main(["mv", "docs/guide.md", "docs/sub/", "--root", "docs"]) == 0
    moved = "moved docs/guide.md to docs/sub/guide.md; changed 1 target of links in 1 file\n"
    assert capsys.readouterr().out == moved
    assert (docs / "index.md").read_text() == "# Start\n\nSee [the guide](sub/guide.md#steps).\n"


def test_a_heading_is_named_behind_its_file(docs: Path, capsys: Captured) -> None:
    assert main(["mv", "docs/guide.md#Steps", "First steps", "--root", "docs", "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "docs/guide.md:3",
        "- ## Steps",
        "+ ## First steps",
        "docs/index.md:3",
        "- See [the guide](guide.md#steps).",
        "+ See [the guide](guide.md#first-steps).",
        "would rename docs/guide.md#Steps to docs/guide.md#First steps; would change 1 target of links in 1 file",
    ]
    assert (docs / "guide.md").read_text() == "# Guide\n\n## Steps\n"


def test_a_redirect_is_shown(docs: Path, capsys: Captured) -> None:
    (docs / "_redirects").write_text("")
    assert main(["mv", "docs/guide.md", "docs/sub", "--root", "docs", "--redirect"]) == 2
    assert "no way to leave a redirect: no site is made of the folder" in capsys.readouterr().err
    (docs / "_redirects").write_text("/z /y\n")
    assert main(["mv", "docs/guide.md", "docs/sub", "--root", "docs", "--redirect"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "moved docs/guide.md to docs/sub/guide.md; changed 1 target of links in 1 file",
        "/guide leads to /sub/guide, by _redirects",
    ]
    assert (docs / "_redirects").read_text() == "/guide /sub/guide 301\n/z /y\n"


@pytest.mark.usefixtures("docs")
def test_a_heading_has_no_redirect(capsys: Captured) -> None:
    assert main(["mv", "docs/guide.md#Steps", "First steps", "--root", "docs", "--redirect"]) == 2
    assert capsys.readouterr().err == (
        "error: --redirect cannot be used with a heading (leave it out: anchors have no redirects)\n"
    )


@pytest.mark.usefixtures("docs")
def test_as_json(capsys: Captured) -> None:
    assert main(["mv", "docs/guide.md", "docs/b.md", "--root", "docs", "--json"]) == 0
    line = {"line": 3, "before": "See [the guide](guide.md#steps).", "after": "See [the guide](b.md#steps)."}
    assert json.loads(capsys.readouterr().out) == {
        "root": "docs",
        "old": "guide.md",
        "new": "b.md",
        "dry_run": False,
        "files": [{"path": "index.md", "lines": [line]}],
    }


@pytest.mark.usefixtures("docs")
def test_what_is_in_the_way_is_never_replaced(capsys: Captured) -> None:
    assert main(["mv", "docs/guide.md", "docs/index.md", "--root", "docs"]) == 2
    error = "error: docs/index.md: already exists (choose another name, or move it away)\n"
    assert capsys.readouterr().err == error

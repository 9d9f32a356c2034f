"""`headnote links`: where links lead, from where they come, and which are broken."""

from __future__ import annotations

import json
import os
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from index_states import eager_batches

import headnote
from headnote.cli.main import main

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]


def links_as_json(*arguments: str, capsys: Captured, code: int = 0) -> dict[str, Any]:
    assert main(["links", *arguments, "--json"]) == code
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


@pytest.mark.usefixtures("docs")
def test_a_document_and_where_its_links_lead(capsys: Captured) -> None:
    assert main(["links", "notes/care.md", "--root", "docs"]) == 0
    assert capsys.readouterr().out == dedent("""\
        docs/notes/care.md  2 links, 1 backlink

        links
          7  docs/guide.md  mount
          7  gone.md  broken  not

        backlinks
          docs/guide.md:9 → #cleaning  care
        """)
    assert main(["links", "guide.md", "--root", "docs"]) == 0
    assert "  9  docs/notes/care.md:5 #cleaning  care\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "path", ["notes/care.md", "./notes/care.md", "docs/notes/care.md", "docs/../docs/notes/care.md"]
)
def test_a_path_from_the_root_or_from_here(path: str, docs: Path, capsys: Captured) -> None:
    assert links_as_json(path, "--root", str(docs), capsys=capsys)["path"] == "notes/care.md"
    assert links_as_json(str((docs / "guide.md").resolve()), "--root", str(docs), capsys=capsys)["path"] == "guide.md"


def test_from_inside_the_folder(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.chdir(docs)
    assert main(["links", "alone.md"]) == 0
    assert capsys.readouterr().out == "alone.md  0 links, 0 backlinks\n"
    monkeypatch.chdir("notes")
    assert links_as_json("care.md", "--root", "..", capsys=capsys)["path"] == "notes/care.md"


@pytest.mark.usefixtures("docs")
def test_everything_by_name_as_json(capsys: Captured) -> None:
    record = links_as_json("guide.md", "--root", "docs", capsys=capsys)
    [link] = record["links"]
    assert (link["line"], link["resolved"], link["section"], link["section_line"]) == (
        9,
        "notes/care.md",
        "cleaning",
        5,
    )
    assert (link["target"], link["fragment"], link["external"], link["broken"]) == (
        "notes/care.md",
        "cleaning",
        False,
        False,
    )
    [back] = record["backlinks"]
    assert (back["path"], back["line"], back["text"]) == ("notes/care.md", 7, "mount")


@pytest.mark.usefixtures("docs")
def test_what_is_broken_and_what_is_alone(capsys: Captured) -> None:
    assert main(["links", "--root", "docs", "--broken"]) == 1
    assert capsys.readouterr().out == "docs/notes/care.md:7 → gone.md\n"
    assert main(["links", "--root", "docs", "--orphans"]) == 0
    assert capsys.readouterr().out == "docs/alone.md\n"
    assert main(["links", "--root", "docs"]) == 0
    assert capsys.readouterr().out == dedent("""\
        1 broken link
        docs/notes/care.md:7 → gone.md
        1 orphan
        docs/alone.md
        """)
    record = links_as_json("--root", "docs", capsys=capsys)
    assert ([link["target"] for link in record["broken"]], record["orphans"]) == (["gone.md"], ["alone.md"])
    assert list(links_as_json("--root", "docs", "--orphans", capsys=capsys)) == ["root", "orphans"]


@pytest.mark.usefixtures("docs")
def test_broken_links_of_one_document(capsys: Captured) -> None:
    assert main(["links", "guide.md", "--root", "docs", "--broken"]) == 0
    assert capsys.readouterr().out == "no broken links\n"
    record = links_as_json("notes/care.md", "--root", "docs", "--broken", capsys=capsys, code=1)
    assert len(record["broken"]) == 1


def test_links_are_those_of_now(docs: Path, capsys: Captured) -> None:
    assert main(["links", "--root", "docs", "--broken"]) == 1
    care = docs / "notes" / "care.md"
    care.write_text(care.read_text(encoding="utf-8").replace("gone.md", "../guide.md"), encoding="utf-8")
    capsys.readouterr()
    assert main(["links", "--root", "docs", "--broken", "--no-update"]) == 1
    assert "gone.md" in capsys.readouterr().out
    assert main(["links", "--root", "docs", "--broken"]) == 0
    assert capsys.readouterr().out == "no broken links\n"


@pytest.mark.parametrize("flags", [("--broken",), ("--orphans",), (), ("guide.md", "--broken"), ("--broken", "--json")])
def test_a_folder_that_is_not_read_to_the_end_is_no_green_build(
    flags: tuple[str, ...], docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("headnote.cli.access.PATIENCE", 0.0)

    def stop(progress: headnote.Progress) -> None:
        if progress.done > 2:
            raise KeyboardInterrupt

    with eager_batches(), headnote.Index.open(docs) as index, pytest.raises(KeyboardInterrupt):
        index.update(workers=1, on_progress=stop)
    assert main(["links", *flags, "--root", "docs", "--no-update"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    words = "docs: 2 of 3 files read: links are resolved when all are (run headnote index docs)"
    assert words in captured.err
    with headnote.Index.open(docs) as index, index._store.writing():
        assert main(["links", *flags, "--root", "docs"]) == 2
    assert words in capsys.readouterr().err


def test_while_another_writes_the_index_answers_as_it_was(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("headnote.cli.access.PATIENCE", 0.0)
    assert main(["links", "--root", "docs", "--orphans"]) == 0
    (docs / "new.md").write_text("# New\n", encoding="utf-8")
    capsys.readouterr()
    with headnote.Index.open(docs) as index, index._store.writing():
        assert main(["links", "--root", "docs", "--orphans"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "docs/alone.md\n"
    assert f"note: the index was not updated: docs/.headnote: being updated by process {os.getpid()}" in captured.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nope.md", "--root", "docs"], "nope.md: not in the index (see headnote status docs)"),
        (["giude.md", "--root", "docs"], "giude.md: not in the index (nearest: guide.md)"),
        (["giude.md", "--root", "docs", "--broken"], "giude.md: not in the index (nearest: guide.md)"),
        (["guide.md", "--root", "nowhere"], "nowhere: no such file or folder (check the path)"),
        (["--root", "docs/guide.md"], "docs/guide.md: a file, not a folder (name the folder that contains it)"),
        (["guide.md", "--orphans", "--root", "docs"], "--orphans takes no path (leave out the path)"),
        (["--root", "docs", "--no-update"], "docs: no index here (run headnote index docs)"),
        (["--borken"], "No such option"),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--json"]])
@pytest.mark.usefixtures("docs")
def test_bad_input_is_one_line(arguments: list[str], complaint: str, flags: list[str], capsys: Captured) -> None:
    assert main(["links", *arguments, *flags]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {complaint}")
    assert captured.err.count("\n") == 1


def test_nothing_a_terminal_would_obey(docs: Path, capsys: Captured) -> None:
    (docs / "evil.md").write_text("[a\x1b[2J](gone\x1b]0;x\x07.md)\n", encoding="utf-8")
    for arguments, code in ((["evil.md"], 0), (["--broken"], 1)):
        assert main(["links", *arguments, "--root", "docs"]) == code
        shown = capsys.readouterr().out
        assert "\x1b" not in shown
        assert "\x07" not in shown


def test_a_backlink_to_a_missing_heading_is_broken_too(docs: Path, capsys: Captured) -> None:
    (docs / "stale.md").write_text("[care](notes/care.md#no-such-heading)\n", encoding="utf-8")
    backlinks = links_as_json("notes/care.md", "--root", str(docs), capsys=capsys)["backlinks"]
    assert {link["path"]: link["broken"] for link in backlinks} == {"guide.md": False, "stale.md": True}

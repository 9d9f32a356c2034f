"""Several folders on the command line, and the home of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headnote.api import place_of_home
from headnote.api.folders import names_of
from headnote.cli.main import main

pytest_plugins = ("folder_fixtures",)


@pytest.fixture
def notes(docs: Path, quiet: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder beside `docs`, and a place for homes."""
    quiet.setenv("HEADNOTE_HOMES", str(tmp_path / "homes"))
    quiet.setenv("HEADNOTE_EMBEDDER", "none")
    folder = docs.with_name("notes")
    folder.mkdir()
    (folder / "mounting.md").write_text("# Mounting a disk\n\nSee [guide](../docs/guide.md).\n", encoding="utf-8")
    return folder


def output(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("notes")
def test_two_folders_are_one_index_in_a_home_of_their_own(
    docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = output(capsys, "search", "how to mount a disk", "docs", "notes")
    home = Path(found["root"])
    assert home.is_relative_to(tmp_path / "homes")
    assert {hit["root"] for hit in found["hits"]} == {"docs", "notes"}
    assert not list(tmp_path.glob("*/.headnote")), "nothing is written into the folders"
    only = output(capsys, "search", "how to mount a disk", "notes", "docs", "--in", "notes")
    assert only["root"] == found["root"], "in whatever order"
    assert {hit["path"] for hit in only["hits"]} == {"notes/mounting.md"}
    status = output(capsys, "status", "docs/", "./notes")
    assert [(root["name"], root["folder"]) for root in status["folders"]] == [
        ("docs", str(docs.resolve())),
        ("notes", str(Path("notes").resolve())),
    ]
    assert main(["status", "docs", "notes"]) == 0
    assert str(home) in capsys.readouterr().out
    assert output(capsys, "doctor", "docs", "notes")["sound"]
    assert output(capsys, "ask", "how do I mount a disk?", "docs", "notes", "--no-model")["sources"]
    assert output(capsys, "links", "notes/mounting.md", "--root", str(home))["links"][0]["resolved"] == "docs/guide.md"
    assert output(capsys, "search", "mount", "docs/", "docs")["root"] == "docs", "one folder twice is one folder"


@pytest.mark.usefixtures("docs", "notes")
def test_people_see_the_root_of_a_hit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "mounting a disk", "docs", "notes"]) == 0
    assert "notes/mounting.md:" in capsys.readouterr().out
    assert main(["search", "mounting a disk", "docs", "notes", "--in", "note"]) == 2
    assert "no root 'note' (did you mean notes?)" in capsys.readouterr().err
    assert main(["search", "mounting", "docs", "--in", "docs"]) == 2
    assert "it is an index of one folder" in capsys.readouterr().err


@pytest.mark.usefixtures("docs", "notes")
def test_a_chosen_home_lists_its_folders_and_keeps_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "index", "docs", "notes", "--home", "home")["total"]["documents"] > 3
    text = Path("home/headnote.toml").read_text(encoding="utf-8")
    assert '[roots."notes"]' in text
    assert output(capsys, "search", "mounting", "--home", "home")["hits"][0]["root"] == "notes"
    assert output(capsys, "search", "mounting", "home")["hits"][0]["root"] == "notes"
    Path("more").mkdir()
    assert main(["index", "docs", "more", "--home", "home"]) == 2
    assert "home/headnote.toml: lists other folders" in capsys.readouterr().err
    assert main(["index", "docs", "nowhere"]) == 2
    assert "nowhere: no such file or folder" in capsys.readouterr().err


@pytest.mark.usefixtures("docs")
def test_a_folder_that_is_away_is_said_and_its_documents_stay(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, "index", "docs", "notes")
    notes.rename("away")
    record = output(capsys, "index", "docs", "notes", code=1)
    assert record["removed"] == []
    assert [one["path"] for one in record["skipped"]] == ["notes"]
    assert main(["search", "mounting a disk", "docs/", "notes/"]) == 2, "what is typed must be there"
    assert main(["search", "mounting a disk", "-r", "docs", "-r", "notes"]) == 0
    written = capsys.readouterr()
    assert "notes/mounting.md" in written.out
    assert "could not read notes (" in written.err
    findings = output(capsys, "doctor", "docs", "notes", code=1)["findings"]
    assert [one["what"] for one in findings if one["state"] == "wrong"] == ["notes"]
    assert main(["status", "docs", "notes"]) == 0
    assert "no such file or folder: they stay" in capsys.readouterr().out


def test_names_of_folders_are_short_and_unique(tmp_path: Path) -> None:
    assert names_of(["/a/docs", "/b/notes"]) == ["docs", "notes"]
    assert names_of(["/a/docs", "/b/docs", "/c"]) == ["a-docs", "b-docs", "c"]
    assert names_of(["/x/a/docs", "/y/a/Docs"]) == ["x-a-docs", "y-a-Docs"]
    assert names_of(["/", "/.git", "/a b [c]"]) == ["folder", "git", "a-b-c"]
    assert len(set(names_of(["/a-b/c", "/a/b-c", "/a/b/c", "/q/a/b/c"]))) == 4
    assert place_of_home([tmp_path]) == tmp_path

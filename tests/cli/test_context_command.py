"""`headnote context` writes a sentence into the settings file, and leaves everything else in it alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headnote.cli.main import main

pytest_plugins = ("folder_fixtures",)

pytest.importorskip("tomlkit", reason="needs the extra search")


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    assert main(["context", *arguments]) == code
    written = capsys.readouterr()
    return written.out, written.err


def test_a_sentence_is_written_shown_and_removed(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = docs / "headnote.toml"
    before = "# ours\nmax_tokens = 400  # small\n\n[search]\nlimit = 3\n"
    file.write_text(before, encoding="utf-8")
    assert "what  it" not in run(capsys, "notes", "what  it\nis", "-r", "docs")[0]
    assert file.read_text(encoding="utf-8") == before + '\n[context]\nnotes = "what it is"\n'
    run(capsys, "./notes/", 'It is "new".', "-r", "docs")
    assert json.loads(run(capsys, "-r", "docs", "--json")[0])["contexts"] == [{"path": "notes", "text": 'It is "new".'}]
    assert main(["search", "mount", "docs", "--json", "--mode", "keyword"]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert {hit["about"] for hit in hits if hit["path"].startswith("notes/")} <= {'It is "new".'}
    run(capsys, "notes", "--remove", "-r", "docs")
    assert file.read_text(encoding="utf-8").startswith(before)
    assert "no sentences yet" in run(capsys, "-r", "docs")[1]


@pytest.mark.usefixtures("docs")
def test_a_path_that_does_not_exist_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    note = "note: gone does not exist in docs yet: no hit comes with this sentence\n"
    assert run(capsys, "gone", "Nothing.", "-r", "docs")[1] == note
    for there in ("notes", "guide.md", "."):
        assert run(capsys, there, "Something.", "-r", "docs")[1] == ""
    assert run(capsys, "gone", "--remove", "-r", "docs")[1] == ""


def test_the_file_that_holds_the_settings_is_the_one_that_changes(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new file would take its place."""
    above = Path("pyproject.toml")
    above.write_text('[project]\nname = "x"\n\n[tool.headnote]\nmax_tokens = 400\n', encoding="utf-8")
    run(capsys, "guide.md", "The guide.", "-r", "docs")
    assert not (docs / "headnote.toml").exists()
    assert '"docs/guide.md" = "The guide."' in above.read_text(encoding="utf-8")
    assert "guide.md  The guide." in run(capsys, "-r", "docs")[0]


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "x", "--remove"], "both a sentence and --remove"),
        (["--remove"], "--remove needs a path"),
        (["a", "--remove"], "a has no description"),
        (["../a", "x"], "leads out of the folder"),
        (["a", " "], "the sentence is empty"),
        (["a", "x" * 501], "501 characters"),
    ],
)
def test_what_cannot_be_said(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in run(capsys, *arguments, "-r", "docs", code=2)[1]
    assert not Path("docs/headnote.toml").exists()


@pytest.mark.usefixtures("docs")
def test_doctor_names_what_is_said_about_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "nowhere", "Gone.", "-r", "docs")
    main(["index", "docs", "--no-deep"])
    capsys.readouterr()
    main(["doctor", "docs"])
    assert "nowhere: no such folder or document" in capsys.readouterr().out


def test_an_absolute_path_lies_in_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs" / "notes").mkdir(parents=True)
    file = tmp_path / "docs" / "headnote.toml"
    root = ["--root", str(tmp_path / "docs")]
    assert main(["context", str(tmp_path / "docs" / "notes"), "Notes about care.", *root]) == 0
    assert file.read_text(encoding="utf-8") == '[context]\nnotes = "Notes about care."\n'
    assert main(["context", str(tmp_path / "docs"), "All of it.", *root]) == 0
    assert '"." = "All of it."' in file.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["context", str(tmp_path / "else"), "Elsewhere.", *root]) == 2
    error = capsys.readouterr().err
    assert "lies outside of the folder (write a path from " in error
    assert error.count("\n") == 1

"""Which words are the query, and which is the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.cli.main import main
from headnote.cli.query_words import HERE, understand
from headnote.errors import MissingSource

pytest_plugins = ("folder_fixtures",)

WORDS = st.lists(st.text("abcxyz?!-", min_size=1, max_size=6), min_size=1, max_size=6)


@given(WORDS, st.sampled_from([Path("docs"), Path("/"), Path("nowhere")]))
def test_an_option_for_the_folder_leaves_all_words_to_the_query(words: list[str], root: Path) -> None:
    assert understand(words, [root]) == (" ".join(words), (root,), "")
    assert understand(words, [root, Path("notes")]) == (" ".join(words), (root, Path("notes")), "")


@given(WORDS)
def test_a_folder_written_as_a_path_is_always_the_folder(words: list[str]) -> None:
    for folder in (".", "./", "/"):
        assert understand([*words, folder]) == (" ".join(words), (Path(folder),), "")


@given(WORDS)
def test_words_that_name_no_folder_are_the_query(words: list[str]) -> None:
    understood = understand(words)
    assert (understood.text, understood.roots) == (" ".join(words), HERE)


@pytest.mark.parametrize(
    ("words", "text", "root", "is_doubtful"),
    [
        (["install"], "install", ".", False),
        (["docs"], "docs", ".", False),
        (["how to install"], "how to install", ".", False),
        (["how to install", "docs"], "how to install", "docs", False),
        (["install", "docs"], "install", "docs", False),
        (["how", "to", "install"], "how to install", ".", False),
        (["how", "to", "install", "docs"], "how to install", "docs", True),
        (["how", "to", "install", "docs/"], "how to install", "docs/", False),
        (["how", "to", "install", "docs/notes"], "how to install", "docs/notes", False),
        (["how", "to", "install", "."], "how to install", ".", False),
        (["what is TCP/IP"], "what is TCP/IP", ".", False),
        (["install", "nosuch"], "install nosuch", ".", False),
        (["mount", "docs/guide.md"], "mount", "docs/guide.md", False),
        (["how to install", "docs", "docs/notes"], "how to install", "docs docs/notes", False),
        (["install", "docs/", "docs/notes"], "install", "docs/ docs/notes", False),
        (["how", "to", "install", "docs/", "."], "how to install", "docs/ .", False),
        (["install", "docs", "docs/notes"], "install docs", "docs/notes", False),
        (["docs/", "docs/notes"], "docs/", "docs/notes", False),
    ],
)
@pytest.mark.usefixtures("docs")
def test_who_is_who(words: list[str], text: str, root: str, is_doubtful: bool) -> None:
    understood = understand(words)
    assert (understood.text, understood.roots) == (text, tuple(map(Path, root.split())))
    assert bool(understood.note) is is_doubtful


@pytest.mark.parametrize(
    "words",
    [
        ["how to install", "nowhere"],
        ["how", "to", "./nowhere"],
        ["a", "b", "nowhere/"],
        ["gauge", "docs/nowhere"],
        ["gauge", "no/where"],
        ["gauge", "../nowhere"],
        ["gauge", "~/nowhere"],
        ["gauge", "nowhere.md"],
        ["gauge", "nowhere.headnote"],
        ["what", "is", "TCP/IP"],
    ],
)
@pytest.mark.usefixtures("docs")
def test_a_path_that_is_none_is_no_query(words: list[str]) -> None:
    with pytest.raises(MissingSource, match=r"no such folder \(check the path; if .* in quotes or add --root \."):
        understand(words)


@pytest.mark.parametrize("words", [["install", "dosc"], ["how", "to", "install", "doc"]])
@pytest.mark.usefixtures("docs")
def test_what_is_spelt_almost_like_a_folder_is_no_word(words: list[str]) -> None:
    with pytest.raises(MissingSource, match=rf"{words[-1]}: no such folder \(did you mean docs; if"):
        understand(words)
    Path(".dosc").mkdir()
    Path("docs").rename("elsewhere")
    assert understand(words).text == " ".join(words), "hidden folders are nobody's"


# The commands


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str, str]:
    """Query, root, and notes of a search that finds something."""
    assert main(["search", "--json", "--mode", "keyword", *arguments]) == 0
    output = capsys.readouterr()
    record = json.loads(output.out)
    assert record["hits"]
    return record["query"], record["root"], output.err


@pytest.mark.usefixtures("docs")
def test_options_may_stand_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    expected = ("mount the gauge", "docs")
    assert found(capsys, "mount", "the", "gauge", "docs/", "-n", "1")[:2] == ("mount the gauge", "docs")
    assert found(capsys, "-n", "1", "mount", "the", "gauge", "--root", "docs")[:2] == expected
    assert found(capsys, "mount", "-r", "docs", "the", "-n", "1", "gauge")[:2] == expected
    assert found(capsys, "-r", "docs", "--", "mount", "the", "gauge")[:2] == expected


@pytest.mark.usefixtures("docs")
def test_what_was_understood_is_said_if_there_is_doubt(capsys: pytest.CaptureFixture[str]) -> None:
    query, root, notes = found(capsys, "mount", "the", "gauge", "docs")
    assert (query, root) == ("mount the gauge", "docs")
    assert notes.startswith("note: searching the folder docs for 'mount the gauge'; if 'docs' is part of the query")
    assert found(capsys, "gauge", "docs", "--root", ".")[:2] == ("gauge docs", ".")


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.usefixtures("docs")
def test_a_word_with_a_dash(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "-v", "gauge", "docs"]) == 2
    error = capsys.readouterr().err
    assert "No such option" in error
    assert "write -- before the words" in error
    assert error.count("\n") == 1
    main([command, "--json", "--", "-v", "gauge", "docs"])
    record = json.loads(capsys.readouterr().out)
    assert record.get("query", record.get("question")) == "-v gauge"


@pytest.mark.usefixtures("docs")
def test_a_question_needs_no_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--no-model", "--json", "how", "do", "I", "mount", "the", "gauge?", "docs"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["question"], record["root"]) == ("how do I mount the gauge?", "docs")


# A folder that nobody named

UNNAMED = [
    ["search", "gauge", "nosuch"],
    ["ask", "--no-model", "gauge"],
    ["index"],
    ["index", "--dry-run"],
    ["read", "guide.md"],
    ["links"],
    ["related", "guide"],
    ["pack"],
    ["serve"],
    ["open"],
    ["mcp", "--http"],
]


@pytest.fixture
def large(docs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with more files than are read unasked, and one of them below."""
    monkeypatch.setattr("headnote.cli.access.MAX_FILES", 2)
    return docs


@pytest.mark.parametrize("arguments", UNNAMED, ids=" ".join)
def test_a_large_folder_that_nobody_named_is_not_read(
    arguments: list[str], large: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert "no folder is named, and the current one has more than 2 files: nothing was read" in error
    words = [word for word in arguments[1:] if not word.startswith("-")]
    end = "." if arguments[0] in ("index", "pack", "serve", "open", "mcp") else "-r ."
    assert f"to read this one: headnote {' '.join([arguments[0], *words, end])})" in error
    assert error.count("\n") == 1
    assert not Path(".headnote").exists()
    assert not (large / ".headnote").exists()


@pytest.mark.usefixtures("large")
def test_a_large_folder_that_is_named_or_known_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys, "gauge", ".")[:2] == ("gauge", ".")
    assert found(capsys, "gauge")[:2] == ("gauge", "."), "it has an index now"
    assert found(capsys, "gauge", "-r", "docs")[:2] == ("gauge", "docs")


@pytest.mark.usefixtures("large")
def test_a_large_folder_with_settings_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("headnote.toml").write_text("[index]\n", encoding="utf-8")
    assert found(capsys, "gauge")[:2] == ("gauge", ".")


@pytest.mark.parametrize("is_inside", [False, True])
def test_a_home_folder_is_large(
    is_inside: bool, docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = (docs if is_inside else Path()).absolute()
    monkeypatch.setattr(Path, "home", lambda: home)
    assert main(["search", "gauge"]) == 2
    what = "contains" if is_inside else "is"
    assert f"the current one {what} your home folder: nothing was read" in capsys.readouterr().err
    monkeypatch.chdir(docs / "notes")
    assert found(capsys, "sensor")[0] == "sensor"


@pytest.mark.parametrize("answer", [True, False])
@pytest.mark.usefixtures("large")
def test_a_person_is_asked(answer: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    def confirm(text: str, err: bool) -> bool:
        assert err, "standard output is for what is found"
        asked.append(text)
        return answer

    monkeypatch.setattr("click.confirm", confirm)
    assert main(["index", "--no-deep"]) == (0 if answer else 2)
    assert asked == ["Read all of it?"], "once"
    assert Path(".headnote").exists() is answer
    capsys.readouterr()

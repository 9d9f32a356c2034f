"""Which words are the query, and which is the folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote.cli.main import main
from headnote.cli.understanding import HERE, understand
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
        (["what", "is", "TCP/IP"], "what is TCP/IP", ".", False),
        (["mount", "docs/guide.md"], "mount", "docs/guide.md", False),
        (["install", "dosc"], "install dosc", ".", True),
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


@pytest.mark.parametrize("words", [["how to install", "nowhere"], ["how", "to", "./nowhere"], ["a", "b", "nowhere/"]])
@pytest.mark.usefixtures("docs")
def test_a_path_that_is_none_is_no_query(words: list[str]) -> None:
    with pytest.raises(MissingSource, match=r"no such folder .*add --root"):
        understand(words)


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

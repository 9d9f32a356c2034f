"""`headnote search`: what is found, how it is shown, and what is refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from folders import COMMAND, run, run_as_someone_else, set_modes
from terminals import read_all, without_colour

import headnote
from headnote.cli.main import main
from headnote.cli.terminal import columns
from headnote.errors import SettingsError
from headnote.model import Hit
from headnote.search.query import read_between, read_time
from headnote.search.snippets import LINE_WIDTH

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]


def paths_for(*arguments: str, capsys: Captured) -> list[str]:
    """Paths of the hits, best first."""
    code = main(["search", *arguments, "--json"])
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert code == (0 if hits else 1)
    return [hit["path"] for hit in hits]


# Hits


@pytest.mark.usefixtures("docs")
def test_the_first_search_builds_the_index(capsys: Captured) -> None:
    assert main(["search", "lighthouse", "docs"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    first, text = captured.out.splitlines()
    assert re.fullmatch(r"docs/alone.md:3  Alone  \d+\.\d\d", first)
    assert text == "    Nobody knows this page about lighthouses."


@pytest.mark.usefixtures("docs")
def test_a_misspelt_word_is_corrected_and_that_is_said(capsys: Captured) -> None:
    assert main(["search", "ligthhouse", "docs", "--explain"]) == 0
    first, way_back, _, place, *lines = capsys.readouterr().out.splitlines()
    assert first == "showing results for lighthouses"
    assert way_back == "--plain searches for ligthhouse instead"
    assert place.startswith("docs/alone.md:3")
    assert any(line.endswith("guessed  ligthhouse → lighthouses") for line in lines)
    assert main(["search", "ligthhouse", "docs", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["query"], record["answered"]) == ("ligthhouse", "lighthouses")
    guess = {"typed": "ligthhouse", "found": "lighthouses", "is_correction": True}
    assert record["hits"][0]["why"]["guesses"] == [guess]


@pytest.mark.usefixtures("docs")
def test_an_unfinished_word_finds_what_it_begins_without_a_word_about_it(capsys: Captured) -> None:
    assert main(["search", "lightho", "docs"]) == 0
    assert capsys.readouterr().out.startswith("docs/alone.md:3")


def test_what_is_written_is_found_and_what_is_gone_is_not(docs: Path, capsys: Captured) -> None:
    assert paths_for("lighthouse", "docs", capsys=capsys) == ["alone.md"]
    (docs / "new.md").write_text("# Windmills\n", encoding="utf-8")
    (docs / "alone.md").unlink()
    assert paths_for("windmill", "docs", "--no-update", capsys=capsys) == []
    assert paths_for("windmill", "docs", capsys=capsys) == ["new.md"]
    assert paths_for("lighthouse", "docs", capsys=capsys) == []


def test_everything_by_name_as_json(docs: Path, capsys: Captured) -> None:
    assert main(["search", "brush the sensor", str(docs), "--json"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (record["query"], record["root"]) == ("brush the sensor", "docs")
    hit = record["hits"][0]
    assert {*Hit.__slots__, "line", "snippet"} == set(hit)
    assert (hit["path"], hit["start_line"], hit["title"]) == ("notes/care.md", 1, "Care")
    assert hit["line"] == 7
    assert hit["snippet"] == [{"line": 7, "text": "Brush the sensor, then mount it, or not."}]


def test_nothing_found_is_said_and_is_exit_code_1(docs: Path, capsys: Captured) -> None:
    assert main(["search", "zeppelin", str(docs)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "nothing relevant for 'zeppelin': no document has 'zeppelin'; try another word\n"
    assert main(["search", "gauge", str(docs), "--tag", "strat", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["note"] == "no document has the tag 'strat'; the nearest are start"
    assert paths_for("zeppelin", str(docs), capsys=capsys) == []


def test_filters(docs: Path, capsys: Captured) -> None:
    for number in range(4):
        (docs / f"page{number}.md").write_text(f"# Page {number}\n\nMount it.\n", encoding="utf-8")
    os.utime(docs / "guide.md", (1_000_000_000, 1_000_000_000))
    assert len(paths_for("mount", "docs", capsys=capsys)) == 6
    assert len(paths_for("mount", "docs", "--limit", "2", capsys=capsys)) == 2
    assert paths_for("mount", "docs", "--path", "notes/*", capsys=capsys) == ["notes/care.md"]
    both = paths_for("mount", "docs", "--path", "notes", "--path", "guide.md", capsys=capsys)
    assert sorted(both) == ["guide.md", "notes/care.md"]
    assert paths_for("mount", "docs", "--tag", "start", capsys=capsys) == ["guide.md"]
    assert paths_for("mount", "docs", "--where", "status=draft", "--where", "title=Guide", capsys=capsys) == [
        "guide.md"
    ]
    assert paths_for("mount", "docs", "--where", "status=final", capsys=capsys) == []
    assert "guide.md" not in paths_for("mount", "docs", "--since", "7d", capsys=capsys)
    assert len(paths_for("mount", "docs", "--since", "2001-01-01", capsys=capsys)) == 6


def test_an_index_made_with_a_model_is_searched_without_it(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert main(["index", str(docs)]) == 0
    capsys.readouterr()
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "openai:some-model")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert paths_for("lighthouse", "docs", capsys=capsys) == ["alone.md"]


def test_while_another_writes_the_index_answers_as_it_was(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("headnote.cli.access.PATIENCE", 0.0)
    monkeypatch.setattr("headnote.cli.access.FIRST_WAIT", 0.0)
    with headnote.Index.open(docs) as index:
        with index._store.writing():
            # There is nothing it could answer from.
            assert main(["search", "lighthouse", str(docs)]) == 2
        assert "being updated by process" in capsys.readouterr().err
        index.update()
        (docs / "new.md").write_text("# New lighthouse\n", encoding="utf-8")
        with index._store.writing():
            assert main(["search", "lighthouse", str(docs)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("docs/alone.md:3")
    assert captured.err.startswith("note: the index was not updated: ")


def test_a_read_only_folder(closed: Path, capsys: Captured) -> None:
    nothing = run_as_someone_else("search", "alpha", closed)
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "cannot be created: Permission denied" in nothing.stderr
    set_modes(closed, 0o755, 0o644)
    assert main(["index", str(closed)]) == 0
    capsys.readouterr()
    set_modes(closed, 0o555, 0o444)
    result = run_as_someone_else("search", "alpha", closed)
    assert (result.returncode, result.stderr) == (0, "")
    assert "a.md:3  A  " in result.stdout


def test_several_at_once_on_a_new_folder(docs: Path) -> None:
    command = [*COMMAND, "search", "lighthouse", str(docs)]
    several = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    results = [(*process.communicate(timeout=120), process.returncode) for process in several]
    assert [(error, code) for _, error, code in results] == [("", 0)] * 4
    assert len({output for output, _, _ in results}) == 1


# How it is shown


def test_the_whole_text(docs: Path, capsys: Captured) -> None:
    assert main(["search", "brush", str(docs), "--full", "-n", "1"]) == 0
    _, *lines = capsys.readouterr().out.splitlines()
    assert lines == [f"    {line}" if line else "" for line in (docs / "notes" / "care.md").read_text().splitlines()]


@pytest.mark.parametrize("width", [40, 50, 80, 200])
def test_rows_fit_into_the_window(docs: Path, width: int) -> None:
    pty = pytest.importorskip("pty", reason="no pseudo terminals")
    text = f"{'word ' * 40}lighthouse{' and more' * 20}\n\n灯台は海を照らす、lighthouse、{'海' * 60}\n"
    (docs / "deep").mkdir()
    (docs / "deep" / "tower.md").write_text(f"# A tower\n\n## {'Above the wide sea ' * 4}\n\n{text}", encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [*COMMAND, "search", "lighthouse", str(docs), "--explain"]
    window = {**os.environ, "COLUMNS": str(width), "NO_COLOR": "1"}
    with subprocess.Popen(command, stdout=theirs, env=window) as process:
        os.close(theirs)
        rows = read_all(ours).replace("\r\n", "\n").splitlines()
    os.close(ours)
    assert process.returncode == 0
    assert any(row.startswith("docs/deep/tower.md:5") for row in rows)
    assert all(columns(row) <= width for row in rows)
    assert all(row.startswith(("docs/", "    ")) for row in rows if row), "every row keeps its indent"
    assert {"lighthouse", "word", "more"} <= {word for row in rows for word in row.split()}, "words are whole"


def test_words_are_marked_on_a_terminal_only(docs: Path) -> None:
    pty = pytest.importorskip("pty", reason="no pseudo terminals")
    ours, theirs = pty.openpty()
    with subprocess.Popen([*COMMAND, "search", "lighthouse", str(docs)], stdout=theirs) as process:
        os.close(theirs)
        shown = read_all(ours).replace("\r\n", "\n")
    os.close(ours)
    assert process.returncode == 0
    assert "about \x1b[1;33mlighthouses\x1b[0m." in shown
    piped = run("search", "lighthouse", docs)
    assert piped.stdout == without_colour(shown)


def test_nothing_a_terminal_would_obey(docs: Path, capsys: Captured) -> None:
    (docs / "evil.md").write_text("# Owl\x1b]0;owned\x07\n\nowl\x1b[2J\tflies\n", encoding="utf-8")
    for flags in ([], ["--full"]):
        assert main(["search", "owl", str(docs), *flags]) == 0
        shown = capsys.readouterr().out
        assert [character for character in "\x1b\x07\t" if character in shown] == []


def test_a_long_line_is_shown_around_what_was_found(docs: Path, capsys: Captured) -> None:
    (docs / "long.md").write_text("word " * 300 + "heliograph " + "more " * 300, encoding="utf-8")
    assert main(["search", "heliograph", str(docs)]) == 0
    _, line = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"    … (word )+heliograph( more)+ …", line)
    assert len(line) <= LINE_WIDTH + 10


# What is refused


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["  ", "docs"], "the query is empty (say what to look for)"),
        ([], "Missing argument 'QUERY'"),
        (
            ["mount it", "gauge"],
            "gauge: no such folder (check the path; if it is part of the query, put the query in quotes",
        ),
        (["mount", "docs/guide.md"], "docs/guide.md: a file, not a folder (name the folder that contains it)"),
        (["mount", "docs", "--limit", "0"], "Invalid value for '--limit'"),
        (["mount", "docs", "--where", "draft"], "--where: expected a comparison after draft, at the end (such as"),
        (["mount", "docs", "--where", "=x"], "--where: expected a field, at '=x', character 1 (such as"),
        (["mount", "docs", "--where", "a=1", "--where", "a=2"], "--where: a is given twice (keep one of them)"),
        (["mount", "docs", "--since", "soon"], "--since: 'soon' is not a time (write a date such as"),
        (["mount", "docs", "--no-update"], "docs: no index here (run headnote index docs)"),
        (["mount", "docs", "--ful"], "No such option"),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_bad_input_is_one_line(
    arguments: list[str], complaint: str, flags: list[str], docs: Path, capsys: Captured
) -> None:
    assert main(["search", *arguments, *flags]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {complaint}"), captured.err
    assert captured.err.count("\n") == 1
    assert not (docs / ".headnote").exists()


def test_times_as_people_write_them() -> None:
    now = datetime(2026, 3, 15, 12, tzinfo=UTC)
    assert read_time("7d", now) == now - timedelta(days=7)
    assert read_time(" 12H ", now) == now - timedelta(hours=12)
    assert read_time("2w", now) == now - timedelta(weeks=2)
    assert read_time("999999y", now).year == 1970
    assert read_time("Yesterday", now) == read_time("today", now) - timedelta(days=1)
    assert read_time("today", now) == datetime(now.year, now.month, now.day).astimezone() <= now
    assert read_time("2026-03") == read_time("2026-03-01")
    assert read_time("2026") == read_time("2026-01-01")
    assert read_between("yesterday")[1] == read_between("today..")[0] == read_time("today")
    assert read_time("2026-03-01T10:00:00+02:00") == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert read_time("2026-03-01").astimezone() == datetime(2026, 3, 1).astimezone()
    for text in ("", "7", "d", "7 apples", "2026-13-01", "-7d"):
        with pytest.raises(SettingsError, match="--since"):
            read_time(text, place="--since")


def test_help(capsys: Captured) -> None:
    assert main(["search", "--help"]) == 0
    output = capsys.readouterr().out
    assert "Usage: headnote search [OPTIONS] QUERY... [ROOT]" in output
    for option in ("limit", "path", "tag", "where", "since", "full", "no-update", "json"):
        assert f"--{option} " in output


@pytest.mark.parametrize(("command", "code"), [(["index"], 0), (["search", "x"], 1), (["ask", "x"], 1)])
def test_a_folder_without_markdown_is_said(tmp_path: Path, capsys: Captured, command: list[str], code: int) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF")
    assert main([*command, str(tmp_path)]) == code
    error = capsys.readouterr().err
    assert error.endswith(
        f"no Markdown in {tmp_path}: looked for .markdown, .md, .mdx, .txt; other files there: 1 .pdf\n"
    )


# Context


def numbered(lines: list[str]) -> list[int]:
    """The numbers in front of the lines of a context."""
    return [int(found[1]) for line in lines if (found := re.match(r" +(\d+) ", line))]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("around", [1, 2, 20])
def test_context_is_shown_inside_a_hit_that_is_a_whole_document(
    around: int, end: str, tmp_path: Path, capsys: Captured
) -> None:
    lines = [f"Line {number} says nothing." for number in range(1, 12)]
    lines[6] = "The lighthouse is here."
    (tmp_path / "a.md").write_bytes(end.join([*lines, ""]).encode())
    assert main(["search", "lighthouse", str(tmp_path), "--mode", "keyword", "-C", str(around)]) == 0
    place, *shown = capsys.readouterr().out.splitlines()
    assert place.startswith(f"{tmp_path / 'a.md'}:7 ")
    assert numbered(shown) == list(range(max(7 - around, 1), min(7 + around, 11) + 1))
    assert [line[7:] for line in shown] == lines[max(7 - around, 1) - 1 : 7 + around]


@pytest.mark.parametrize("mark", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_line_ends_of_markdown_end_a_line_of_context(mark: str, tmp_path: Path, capsys: Captured) -> None:
    text = f"# Page\n\nA {mark} stands here.{mark}\n\nThe lighthouse is here.\n\nAnd{mark}more.\n"
    (tmp_path / "c.md").write_text(text, encoding="utf-8", newline="")
    assert main(["search", "lighthouse", str(tmp_path), "--mode", "keyword", "-C", "1"]) == 0
    place, *shown = capsys.readouterr().out.split("\n")
    assert place.startswith(f"{tmp_path / 'c.md'}:5 ")
    assert [line.rstrip() for line in shown if line] == ["     4", "     5 The lighthouse is here.", "     6"]
    assert main(["search", "lighthouse", str(tmp_path), "--mode", "keyword", "--full"]) == 0
    assert len(capsys.readouterr().out.rstrip("\n").split("\n")) == 1 + 7

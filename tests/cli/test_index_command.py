"""`headnote index`: what it says, what it writes, and what it leaves alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from folders import COMMAND, PAGES, run, run_as_someone_else
from terminals import read_all, without_colour

import headnote
from headnote.chunking.settings import FIELD_NAMES
from headnote.cli.main import main
from headnote.cli.progress_bar import UpdateBars
from headnote.model.results import Progress

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]


def without_times(text: str) -> str:
    return re.sub(r"\b\d+\.\d s\b", "0.0 s", text)


def index_as_json(*arguments: str | Path, capsys: Captured) -> dict[str, Any]:
    assert main(["index", *map(str, arguments), "--json"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


# What it says


def test_the_first_run_and_the_next(docs: Path, capsys: Captured) -> None:
    assert main(["index", str(docs)]) == 0
    assert without_times(capsys.readouterr().out) == dedent("""\
        docs  3 documents, 3 chunks  0.0 s
          3 added, 3 chunks written, 6 vectors made
          search it: headnote search "some words" docs
        """)
    assert main(["index", str(docs)]) == 0
    assert without_times(capsys.readouterr().out) == dedent("""\
        docs  3 documents, 3 chunks  0.0 s
          3 unchanged
        """)
    (docs / "alone.md").rename(docs / "moved.md")
    (docs / "guide.md").unlink()
    (docs / "notes" / "care.md").write_text("# Other\n", encoding="utf-8")
    (docs / "new.md").write_text("# New\n", encoding="utf-8")
    assert main(["index", str(docs)]) == 0
    assert without_times(capsys.readouterr().out) == dedent("""\
        docs  3 documents, 3 chunks  0.0 s
          1 added, 1 changed, 1 renamed, 1 removed, 2 chunks written, 4 vectors made
        """)


def test_the_current_folder_is_the_default(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.chdir(docs)
    assert main(["index"]) == 0
    assert capsys.readouterr().out.startswith(".  3 documents")
    assert Path(".headnote/index.db").exists()


def test_everything_by_name_as_json(docs: Path, capsys: Captured) -> None:
    (docs / "big.md").write_text("x" * 200_000, encoding="utf-8")
    first = index_as_json(docs, "--max-file-bytes", "100000", capsys=capsys)
    assert first.pop("seconds") >= 0
    assert first == {
        "root": "docs",
        "added": sorted(PAGES),
        "changed": [],
        "touched": [],
        "renamed": [],
        "removed": [],
        "unchanged": 0,
        "rebuilt": "there is no index yet",
        "followed": [],
        "skipped": [{"path": "big.md", "reason": "too large: 200,000 bytes, and 100,000 are allowed"}],
        "warnings": [],
        "chunks": 3,
        "embedded": 3,
        "vectors": 6,
        "others": [],
        "total": {"documents": 3, "chunks": 3, "pending": 0},
    }
    (docs / "alone.md").rename(docs / "moved.md")
    os.utime(docs / "guide.md", (1, 1))
    second = index_as_json(docs, "--max-file-bytes", "100000", capsys=capsys)
    assert second["renamed"] == [{"from": "alone.md", "to": "moved.md"}]
    assert (second["touched"], second["unchanged"], second["embedded"]) == (["guide.md"], 1, 0)


def test_what_was_left_out_is_said_within_limits(docs: Path, capsys: Captured) -> None:
    for number in range(14):
        (docs / f"big{number:02}.md").write_text("x" * 2000, encoding="utf-8")
    (docs / "odd.md").write_text("---\ntitle: [\n---\n\n# Odd\n", encoding="utf-8")
    arguments = [str(docs), "--max-file-bytes", "1000"]
    assert main(["index", *arguments]) == 0
    output = capsys.readouterr().out
    assert "  skipped 14\n    docs/big00.md  too large: 2,000 bytes" in output
    assert output.count("too large") == 10
    assert "    … and 4 more\n  warnings 1\n    docs/odd.md  " in output
    assert len(index_as_json(*arguments, "--rebuild", capsys=capsys)["skipped"]) == 14


def test_rebuild_reads_everything_and_makes_no_vector_twice(docs: Path, capsys: Captured) -> None:
    index_as_json(docs, capsys=capsys)
    again = index_as_json(docs, "--rebuild", capsys=capsys)
    assert (again["rebuilt"], again["changed"], again["chunks"], again["embedded"]) == ("as asked", sorted(PAGES), 3, 0)


def test_settings_are_flags_and_other_settings_rebuild(docs: Path, capsys: Captured) -> None:
    index_as_json(docs, capsys=capsys)
    other = index_as_json(docs, "--preset", "mdvdb", "--max-tokens", "16", "--overlap", "4", capsys=capsys)
    assert other["rebuilt"] == "the settings have changed"
    with headnote.Index.open(docs, preset="mdvdb", max_tokens=16, overlap_tokens=4) as index:
        assert index.update().plan.is_empty


def test_plain_text_is_cut_in_an_index_as_by_chunk_file(docs: Path) -> None:
    note = docs / "log.txt"
    note.write_text("".join(f"Some words {number}. " for number in range(1500)), encoding="utf-8")
    expected = [each.text for each in headnote.chunk_file(note, preset="blocks")]
    assert len(expected) > 5
    with headnote.Index.open(docs, preset="blocks", embedder="none") as index:
        index.update()
        hits = index.search("words", path="log.txt", limit=50, per_document=0)
        assert {hit.text for hit in hits} == set(expected)
    assert [each.text for each in headnote.chunk_files([note], preset="blocks")] == expected


def test_include_and_exclude(docs: Path, capsys: Captured) -> None:
    assert index_as_json(docs, "--include", "notes/", "--include", "guide.md", capsys=capsys)["added"] == [
        "guide.md",
        "notes/care.md",
    ]
    left = index_as_json(docs, "--exclude", "notes", "--exclude", "a*.md", capsys=capsys)
    assert left["removed"] == ["notes/care.md"]


def test_vectors_can_wait(docs: Path, capsys: Captured) -> None:
    first = index_as_json(docs, "--no-vectors", capsys=capsys)
    assert (first["embedded"], first["total"]["pending"]) == (0, 6)
    assert main(["index", str(docs), "--no-vectors"]) == 0
    assert (
        "6 vectors of hashing:64 to come, words alone until then: headnote index makes them" in capsys.readouterr().out
    )
    assert index_as_json(docs, capsys=capsys)["embedded"] == 3


def test_no_vectors_need_no_model(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "openai:no-such-model")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["index", str(docs), "--no-vectors"]) == 0
    assert "3 added, 3 chunks written" in capsys.readouterr().out


def test_the_real_model(docs: Path, capsys: Captured) -> None:
    pytest.importorskip("onnxruntime")
    assert index_as_json(docs, "--embedder", "minilm", capsys=capsys)["embedded"] == 3
    assert index_as_json(docs, "--embedder", "minilm", capsys=capsys)["embedded"] == 0


# What it leaves alone


def test_a_dry_run_leaves_nothing_behind(docs: Path, capsys: Captured) -> None:
    assert main(["index", str(docs), "--dry-run"]) == 0
    assert capsys.readouterr().out == dedent("""\
        docs  would be: 3 added  nothing was written
          + docs/alone.md
          + docs/guide.md
          + docs/notes/care.md
        """)
    assert not (docs / ".headnote").exists()


def test_a_dry_run_shows_what_would_change(docs: Path, capsys: Captured) -> None:
    index_as_json(docs, capsys=capsys)
    database = (docs / ".headnote" / "index.db").read_bytes()
    (docs / "alone.md").rename(docs / "moved.md")
    (docs / "guide.md").write_text("# Guide\n", encoding="utf-8")
    (docs / "notes" / "care.md").unlink()
    assert main(["index", str(docs), "--dry-run"]) == 0
    assert capsys.readouterr().out == dedent("""\
        docs  would be: 1 changed, 1 renamed, 1 removed  nothing was written
          ~ docs/guide.md
          > docs/alone.md → docs/moved.md
          - docs/notes/care.md
        """)
    planned = index_as_json(docs, "--dry-run", capsys=capsys)
    assert (planned["dry_run"], planned["removed"]) == (True, ["notes/care.md"])
    assert (docs / ".headnote" / "index.db").read_bytes() == database
    done = index_as_json(docs, capsys=capsys)
    assert all(planned[name] == done[name] for name in ("added", "changed", "touched", "renamed", "removed"))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["docs", "--embedder", "minilmm"], "unknown embedder 'minilmm' .did you mean minilm"),
        (["docs", "--embedder", "hashing:many"], "hashing cannot have 'many' dimensions"),
        (["docs", "--preset", "refdoc"], "--preset: unknown preset 'refdoc'"),
        (["docs", "--max-tokens", "many"], "--max-tokens: 'many' is not a whole number"),
        (["docs", "--counter", "no/such/tokenizer.json"], "no/such/tokenizer.json: cannot read the tokenizer"),
        (["docs", "--max-file-bytes", "0"], "--max-file-bytes: 0 is not a file size"),
        (["docs", "--workers", "0"], "--workers"),
        (["docs", "--wait", "-1"], "--wait"),
        (["docs", "--watch", "--dry-run"], "--dry-run cannot be combined with --watch"),
        (["docs", "--rebuld"], "No such option.*--rebuld.*--rebuild"),
        (["docs", "more"], "more: no such file or folder .check the path"),
        (["nowhere"], "nowhere: no such file or folder .check the path"),
        (["docs/guide.md"], "docs/guide.md: a file, not a folder .name the folder that contains it"),
    ],
)
@pytest.mark.parametrize("flags", [[], ["--json"], ["--no-vectors"]])
def test_bad_input_is_one_line_and_nothing_is_left(
    arguments: list[str], complaint: str, flags: list[str], docs: Path, capsys: Captured
) -> None:
    assert main(["index", *arguments, *flags]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(rf"error: .*{complaint}.*\n", captured.err), captured.err
    assert not (docs / ".headnote").exists()


def test_a_bad_file_of_settings(docs: Path, capsys: Captured) -> None:
    (docs / "headnote.toml").write_text("[index]\nexcldue = []\n", encoding="utf-8")
    assert main(["index", str(docs)]) == 2
    assert capsys.readouterr().err.startswith(
        "error: docs/headnote.toml:2: unknown setting excldue (did you mean exclude"
    )


def test_an_index_that_is_none(docs: Path, capsys: Captured) -> None:
    (docs / ".headnote").mkdir()
    (docs / ".headnote" / "index.db").write_bytes(b"not a database, but long enough to be taken for one" * 100)
    assert main(["index", str(docs)]) == 2
    captured = capsys.readouterr()
    assert re.fullmatch(r"error: docs/.headnote/index.db: damaged: .*run headnote doctor --repair.*\n", captured.err)


def test_a_read_only_folder(closed: Path) -> None:
    result = run_as_someone_else("index", closed)
    assert (result.returncode, result.stdout) == (2, "")
    assert re.fullmatch(r"error: .*/.headnote: cannot be created: Permission denied .*\n", result.stderr)
    planned = run_as_someone_else("index", "--dry-run", closed)
    assert (planned.returncode, planned.stderr) == (0, "")
    assert "would be: 1 added" in planned.stdout


# Two at once


def test_two_runs_at_once(docs: Path) -> None:
    for number in range(60):
        (docs / f"{number}.md").write_text(f"# Page {number}\n\nAbout {number}.\n", encoding="utf-8")
    command = [*COMMAND, "index", str(docs), "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    results = [(*process.communicate(timeout=120), process.returncode) for process in both]
    assert [(error, code) for _, error, code in results] == [("", 0), ("", 0)]
    records = [json.loads(output) for output, _, _ in results]
    assert sorted(record["unchanged"] for record in records) in ([0, 63], [63, 63])
    assert run("doctor", docs).returncode == 0


def test_another_writer_is_waited_for_and_named(docs: Path, capsys: Captured) -> None:
    with headnote.Index.open(docs) as index, index._store.writing():
        assert main(["index", str(docs), "--wait", "0"]) == 2
        assert f"being updated by process {os.getpid()} on " in capsys.readouterr().err
    assert main(["index", str(docs), "--wait", "0"]) == 0


# For people


def test_help_shows_every_flag(capsys: Captured) -> None:
    assert main(["index", "--help"]) == 0
    output = capsys.readouterr().out
    assert "Usage: headnote index [OPTIONS] [ROOT]" in output
    own = ("watch", "rebuild", "dry-run", "no-deep", "embedder", "include", "exclude", "max-file-bytes", "preset")
    for name in (*own, "size", "overlap", "wait", "workers", "json", *FIELD_NAMES):
        assert f"--{name.replace('_', '-')} " in output


def test_colour_and_a_hint_on_a_terminal_only(docs: Path) -> None:
    pty = pytest.importorskip("pty", reason="no pseudo terminals")
    ours, theirs = pty.openpty()
    command = [*COMMAND, "index", str(docs), "--exclude", "notes"]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = read_all(ours).replace("\r\n", "\n")
    os.close(ours)
    assert process.returncode == 0
    assert "\x1b[1mdocs\x1b[0m" in shown
    assert without_colour(shown).endswith(
        "note: flags are stored in the index (headnote index --forget-flags drops them)\n"
    )
    piped = run("index", docs, "--exclude", "notes")
    assert "\x1b" not in piped.stdout
    assert piped.stderr == ""


def test_bars_show_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("headnote.cli.progress_bar.LONG", 0.0)
    monkeypatch.setenv("COLUMNS", "100")
    with UpdateBars() as bars:
        for done in range(1, 6):
            bars(Progress("read", done, 5))
        bars(Progress("embed", 64, 1000))
    shown = capsys.readouterr().err
    assert re.search(r"\rreading ━+╌+ 1 of 5 files, Ctrl-C is safe", shown)
    assert "\r5 files read, finishing, Ctrl-C is safe" in shown
    assert re.search(r"\rembedding ━+╌+ 64 of 1,000 vectors, Ctrl-C is safe", shown)
    assert shown.endswith("\r" + 99 * " " + "\r"), "and nothing is left of them"


def test_no_bars_for_what_is_short_or_not_seen(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    for is_terminal, long in ((False, 0.0), (True, 60.0)):
        monkeypatch.setattr("sys.stderr.isatty", lambda answer=is_terminal: answer)
        monkeypatch.setattr("headnote.cli.progress_bar.LONG", long)
        with UpdateBars() as bars:
            bars(Progress("read", 1, 1))
        assert capsys.readouterr().err == ""

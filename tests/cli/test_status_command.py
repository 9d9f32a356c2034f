"""`headnote status`: what there is, and whether it is still true."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from folders import run_as_someone_else, set_modes

from headnote.cli.formatting import ago, byte_size, duration
from headnote.cli.main import main

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]


def indexed(docs: Path, capsys: Captured, *flags: str) -> None:
    assert main(["index", str(docs), *flags]) == 0
    capsys.readouterr()


def rows(docs: Path, capsys: Captured) -> dict[str, str]:
    """What stands behind each name."""
    assert main(["status", str(docs)]) == 0
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == str(docs)
    return dict(re.split(r"  +", line.strip(), maxsplit=1) for line in lines if "  " in line)


def status_as_json(docs: Path, capsys: Captured) -> dict[str, Any]:
    assert main(["status", str(docs), "--json"]) == 0
    record: dict[str, Any] = json.loads(capsys.readouterr().out)
    return record


def test_what_there_is(docs: Path, capsys: Captured) -> None:
    indexed(docs, capsys)
    shown = rows(docs, capsys)
    assert re.fullmatch(r"(just now|\d+ seconds? ago) \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)", shown.pop("updated"))
    assert re.fullmatch(r"\d+\.\d kB", shown.pop("on disk"))
    assert shown == {
        "documents": "3",
        "chunks": "3",
        "links": "3",
        "vectors": "all made, hashing:64 answers (hashing:64)",
        "preset": "default",
        "settings": "as the default",
        "set by": "HEADNOTE_EMBEDDER: embedder",
        "made from": str(docs.resolve()),
        "files": "as indexed",
    }


def test_the_same_as_json(docs: Path, capsys: Captured) -> None:
    indexed(docs, capsys, "--no-vectors")
    record = status_as_json(docs, capsys)
    assert time.time() - record.pop("updated") < 600
    assert record.pop("bytes_on_disk") > 10_000
    assert record == {
        "root": "docs",
        "roots": [str(docs.resolve())],
        "documents": 3,
        "chunks": 3,
        "links": 3,
        "files_read": None,
        "pending": 6,
        "embedder": "hashing:64",
        "model": "hashing:64",
        "models": [{"role": "deep", "name": "hashing:64", "pending": 6}],
        "answering": "",
        "missing": "",
        "store": "sqlite",
        "schema": None,
        "preset": "default",
        "settings": {},
        "origins": {"embedder": "HEADNOTE_EMBEDDER"},
        "differing": [],
        "generation": 1,
        "files": {"new": [], "changed": [], "gone": [], "rebuild": ""},
        "left_out": [],
        "folders": [],
        "contexts": {},
        "process": None,
        "withheld": [],
    }


def test_files_that_look_other_than_they_did(docs: Path, capsys: Captured) -> None:
    indexed(docs, capsys)
    (docs / "new.md").write_text("# New\n", encoding="utf-8")
    (docs / "guide.md").write_text("# Guide\n", encoding="utf-8")
    os.utime(docs / "notes" / "care.md", (1, 1))
    (docs / "alone.md").unlink()
    assert rows(docs, capsys)["files"] == "1 new, 2 changed, 1 gone since: run headnote index"
    assert status_as_json(docs, capsys)["files"] == {
        "new": ["new.md"],
        "changed": ["guide.md", "notes/care.md"],
        "gone": ["alone.md"],
        "rebuild": "",
    }
    # It only looked.
    assert status_as_json(docs, capsys)["generation"] == status_as_json(docs, capsys)["generation"]


def test_settings_that_differ(docs: Path, capsys: Captured) -> None:
    (docs / "headnote.toml").write_text('preset = "mdvdb"\nmax_tokens = 100\n', encoding="utf-8")
    indexed(docs, capsys)
    shown = rows(docs, capsys)
    assert shown["preset"] == "mdvdb"
    assert "max_tokens 100" in shown["settings"]
    assert status_as_json(docs, capsys)["settings"]["strategy"] == "window"


def test_vectors_that_wait_and_vectors_nobody_wants(
    docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    indexed(docs, capsys, "--no-vectors")
    assert rows(docs, capsys)["vectors"] == "6 vectors of hashing:64 to come, words alone until then (hashing:64)"
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "none")
    indexed(docs, capsys)
    assert rows(docs, capsys)["vectors"] == "none"


def test_a_service_is_not_asked(docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("HEADNOTE_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HEADNOTE_EMBEDDING_KEY", "secret-of-mine")
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "openai:some-model")
    indexed(docs, capsys, "--no-vectors")
    assert main(["status", str(docs)]) == 0
    captured = capsys.readouterr()
    assert "words alone until then (openai:some-model)" in captured.out
    assert "secret-of-mine" not in captured.out + captured.err


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_no_index_is_one_line_and_none_is_made(flags: list[str], docs: Path, capsys: Captured) -> None:
    assert main(["status", str(docs), *flags]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "error: docs: no index here (run headnote index docs)\n")
    assert not (docs / ".headnote").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "nowhere: no such file or folder (check the path)"),
        (["docs/guide.md"], "docs/guide.md: a file, not a folder (name the folder that contains it)"),
        (["--jsn"], "No such option"),
    ],
)
@pytest.mark.usefixtures("docs")
def test_bad_input_is_one_line(arguments: list[str], complaint: str, capsys: Captured) -> None:
    assert main(["status", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {complaint}")
    assert captured.err.count("\n") == 1


def test_a_read_only_index(closed: Path, capsys: Captured) -> None:
    set_modes(closed, 0o755, 0o644)
    assert main(["index", str(closed)]) == 0
    capsys.readouterr()
    set_modes(closed, 0o555, 0o444)
    result = run_as_someone_else("status", closed)
    assert (result.returncode, result.stderr) == (0, "")
    assert "files      as indexed" in result.stdout


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "just now"),
        (1, "1 second ago"),
        (59, "59 seconds ago"),
        (60, "1 minute ago"),
        (7_300, "2 hours ago"),
        (86_400 * 29, "29 days ago"),
        (86_400 * 70, "2 months ago"),
        (86_400 * 800, "2 years ago"),
    ],
)
def test_how_long_ago(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_sizes_and_durations_in_words() -> None:
    assert [byte_size(number) for number in (1, 999, 1000, 2_345_678)] == ["1 byte", "999 bytes", "1.0 kB", "2.3 MB"]
    assert [duration(seconds) for seconds in (0.04, 9.94, 42.4, 185)] == ["0.0 s", "9.9 s", "42 s", "3 min 5 s"]


def test_what_is_left_out_is_said(docs: Path, capsys: Captured) -> None:
    (docs / "Makefile").touch()
    (docs / "build").mkdir()
    (docs / "build" / "out.md").write_text("# Out\n", encoding="utf-8")
    assert main(["search", "gauge", "docs"]) == 0
    assert "note: left out of the index: build (status says why)" in capsys.readouterr().err
    assert main(["search", "gauge", "docs"]) == 0
    assert "left out" not in capsys.readouterr().err, "once is enough"
    assert main(["search", "zzzquux", "docs", "--mode", "keyword"]) == 1
    assert "left out of the index: build" in capsys.readouterr().err
    assert rows(docs, capsys)["build"].startswith("taken for build output, beside Makefile")
    [left_out] = status_as_json(docs, capsys)["left_out"]
    assert left_out["path"] == "build"
    assert main(["read", "build/out.md", "--root", "docs"]) == 2
    assert "exists, and is left out (build: taken for build output" in capsys.readouterr().err

"""`headnote chunk`: JSON lines and numbers, settings and complaints."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import headnote
from headnote.chunking.aliases import FIELD_OF_ALIAS
from headnote.chunking.presets import docstrings
from headnote.chunking.settings import FIELD_NAMES
from headnote.cli.main import main
from headnote.cli.options import setting_options
from headnote.model import Chunk

COMMAND = [sys.executable, "-m", "headnote", "chunk"]
PRESETS = tuple(headnote.presets())


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("HEADNOTE_", "MDVDB_")) or name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def run(*arguments: str | Path, text: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, env={**os.environ, **environment}, timeout=60)


def as_written(chunk: Chunk) -> dict[str, Any]:
    """A chunk as it comes back from JSON."""
    written: dict[str, Any] = json.loads(json.dumps(chunk.to_dict()))
    return written


# JSON lines


@pytest.mark.parametrize("preset", PRESETS)
def test_a_folder_as_json_lines(preset: str, handbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", str(handbook), "--preset", preset]) == 0
    shown = records(capsys.readouterr().out)
    files = sorted(handbook.glob("*.md*"))
    assert shown == [as_written(chunk) for file in files for chunk in headnote.chunk_file(file, preset=preset)]
    assert {record["path"] for record in shown} == {str(file) for file in files}
    assert all(list(record) == list(Chunk.FIELDS) for record in shown)


def test_links_are_objects(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", "--json", str(guide)]) == 0
    [record] = records(capsys.readouterr().out)
    [link] = record["links"]
    assert (link["kind"], link["target"], link["fragment"]) == ("link", "other.md", "there")
    assert record["metadata"] == {"title": "Guide", "tags": ["a"]}


def test_any_number_of_workers_gives_the_same_lines(handbook: Path) -> None:
    several = [handbook, *(Path(f"src/headnote/../../{name}.md") for name in ("README", "ARCHITECTURE"))]
    copies = [*several, *sorted(Path("tests/markdown/cases").glob("*.md"))]
    alone = run(*copies, "--workers", "1")
    together = run(*copies, "--workers", "3")
    assert alone.returncode == together.returncode == 0
    assert alone.stdout == together.stdout
    assert alone.stdout.count(b"\n") > 40


def test_a_document_from_standard_input() -> None:
    result = run("-", "--path", "notes/a.mdx", text=b"import A from 'a'\n\n# Title\n\nText.\n")
    assert result.returncode == 0
    [record] = records(result.stdout.decode())
    assert (record["path"], record["id"]) == ("notes/a.mdx", "notes/a.mdx#0")
    assert record["text"].startswith("import A")
    assert record["modified"] is None


def test_standard_input_among_files_keeps_its_place(guide: Path) -> None:
    result = run(guide, "-", guide.resolve(), text=b"# Piped\n")
    assert [record["path"] for record in records(result.stdout.decode())] == ["guide.md", "-", str(guide.resolve())]


def test_readers_that_know_only_ascii(guide: Path) -> None:
    guide.write_text("# 見出し\n\n本文\n", encoding="utf-8")
    result = run(guide, PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    [record] = records(result.stdout.decode("ascii"))
    assert record["heading_path"] == ["見出し"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are Unicode elsewhere")
def test_a_file_name_that_is_not_unicode(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.md")
    file.write_text("# A\n", encoding="utf-8")
    result = run(file)
    assert result.returncode == 0
    [record] = records(result.stdout.decode())
    assert os.fsencode(record["path"]).endswith(b"caf\xe9.md")


# Settings


def test_every_setting_is_a_flag_with_its_docstring() -> None:
    shown = {option.name: option for option in setting_options() if not option.hidden}
    assert tuple(shown) == FIELD_NAMES
    for name, option in shown.items():
        assert option.opts == ["--" + name.replace("_", "-")]
        assert option.help == docstrings()[name] != ""


def test_every_name_of_another_system_is_a_flag() -> None:
    flags = {flag for option in setting_options() for flag in option.opts}
    assert {f"--{alias.replace('_', '-')}" for alias in FIELD_OF_ALIAS} <= flags


def test_a_mistyped_flag_of_another_system_gets_its_suggestion(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", str(guide), "--max-chunk-char", "90"]) == 2
    assert "--max-chunk-chars" in capsys.readouterr().err


def test_help_shows_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", "--help"]) == 0
    output = capsys.readouterr().out
    for name in (*FIELD_NAMES, "preset", "size", "overlap", "json", "stats", "workers", "path"):
        assert f"--{name.replace('_', '-')} " in output
    assert "chunk-max-tokens" not in output


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        (["--max-tokens", "24"], {"max_tokens": 24}),
        (["--size", "small"], {"size": "small"}),
        (["--size", "32", "--overlap", "high"], {"max_tokens": 32, "overlap": "high"}),
        (["--overlap", "8"], {"overlap_tokens": 8}),
        (["--no-merge", "--no-breadcrumb"], {"merge": False, "breadcrumb": False}),
        (["--frontmatter", "include"], {"frontmatter": "include"}),
        (["--max-tokens", "24", "--keep-whole", "code,table"], {"max_tokens": 24, "keep_whole": ["code", "table"]}),
        (["--max-tokens", "24", "--oversized", "code=keep"], {"max_tokens": 24, "oversized": {"code": "keep"}}),
        (["--chunk-max-tokens", "24"], {"max_tokens": 24}),
        (["--max-chunk-chars", "90"], {"max_tokens": 90, "counter": "chars"}),
        (["--chunk-size", "small", "--chunk-overlap", "high"], {"size": "small", "overlap": "high"}),
        (["--chunk-size", "32", "--chunk-overlap", "8"], {"max_tokens": 32, "overlap_tokens": 8}),
        (["--chunkMaxTokens", "24"], {"max_tokens": 24}),
        (["--max_chunk_chars", "90"], {"max_tokens": 90, "counter": "chars"}),
        (["--FrontmatterMode", "FrontmatterInclude"], {"frontmatter": "include"}),
        (["--no-mdx-mode"], {"mdx": False}),
        (["--strategy", "none", "--mdx"], {"strategy": "none", "mdx": True}),
    ],
)
def test_flags_mean_what_keywords_mean(
    flags: list[str], settings: dict[str, Any], guide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chunk", str(guide), *flags]) == 0
    shown = records(capsys.readouterr().out)
    assert shown == [as_written(chunk) for chunk in headnote.chunk_file(guide, **settings)]


def test_file_then_environment_then_flags(
    guide: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ids() -> list[str]:
        return [record["id"] for record in records(capsys.readouterr().out)]

    Path("headnote.toml").write_text('preset = "refdocs"\nmerge = false\n', encoding="utf-8")
    assert main(["chunk", str(guide)]) == 0
    assert ids() == ["guide.md:0", "guide.md:1"]
    monkeypatch.setenv("HEADNOTE_PRESET", "mdvdb")
    assert main(["chunk", str(guide)]) == 0
    assert ids() == ["guide.md#0", "guide.md#1"]
    assert main(["chunk", str(guide), "--strategy", "none"]) == 0
    assert ids() == ["guide.md_chunk_0"]


def test_settings_are_those_of_the_folder_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "headnote.toml").write_text('strategy = "none"\n', encoding="utf-8")
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n\n## B\n\nMore.\n", encoding="utf-8")
    assert main(["chunk", str(tmp_path / "docs" / "a.md")]) == 0
    assert records(capsys.readouterr().out)[0]["id"].endswith("a.md_chunk_0")


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--overlap-tokens", "512"], "overlap_tokens 512 is not below max_tokens 512; .*lower overlap_tokens"),
        (["--overlap", "600"], "overlap_tokens 600 is not below max_tokens 512; .*lower overlap_tokens"),
        (["--min-tokens", "900"], "min_tokens 900 is above max_tokens 512; .*lower min_tokens"),
        (["--max-tokens", "-5"], "--max-tokens: max_tokens -5 is too small .give a number, 1 or more"),
        (["--max-tokens", "0"], "--max-tokens: max_tokens 0 is too small"),
        (["--max-tokens", "many"], "--max-tokens: 'many' is not a whole number"),
        (["--heading-depth", "7"], "--heading-depth: .*from 1 to 6"),
        (["--preset", "refdoc"], "--preset: unknown preset 'refdoc' .did you mean refdocs"),
        (["--preset", ""], "--preset: unknown preset ''"),
        (["--size", "larg"], "--size: size 'larg' is not known .did you mean large"),
        (["--strategy", "blocks"], "--strategy: strategy 'blocks' is not known .did you mean block"),
        (["--keep-whole", "tables"], "--keep-whole: .*'tables' is not a kind of block .did you mean table"),
        (["--counter", "cl100"], "--counter: counter 'cl100' is not known .did you mean cl100k"),
        (["--counter", "no/such/tokenizer.json"], "no/such/tokenizer.json: cannot read the tokenizer"),
        (["--max-token", "9"], r"No such option.*--max-token\b.*--max-tokens"),
        (["--workers", "0"], "--workers"),
    ],
)
@pytest.mark.parametrize("output", ["--json", "--view", "--stats"])
def test_bad_settings_are_one_line_and_nothing_else(
    flags: list[str], complaint: str, output: str, guide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chunk", str(guide), output, *flags]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(rf"error: .*{complaint}.*\n", captured.err), captured.err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("max_token = 9\n", "headnote.toml:1: unknown setting 'max_token' (did you mean max_tokens?)"),
        ("min_tokens = 600\n", "min_tokens 600 is above max_tokens 512; min_tokens from headnote.toml:1"),
        ("\n[chunking\n", "headnote.toml:2: is not valid TOML"),
    ],
)
def test_a_bad_file_of_settings(text: str, complaint: str, guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("headnote.toml").write_text(text, encoding="utf-8")
    assert main(["chunk", str(guide)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {complaint}")
    assert captured.err.count("\n") == 1


def test_a_bad_variable(guide: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("HEADNOTE_MAX_TOKEN", "9")
    assert main(["chunk", str(guide)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "HEADNOTE_MAX_TOKEN: unknown setting" in captured.err
    assert "did you mean HEADNOTE_MAX_TOKENS?" in captured.err


# Bad files


@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_bad_file_does_not_hide_the_others(workers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [f"{number}.md" for number in range(40)]
    for name in names:
        Path(name).write_text(f"# {name}\n", encoding="utf-8")
    Path("20.md").write_bytes(b"# \xff\n")
    result = run(*names, "empty-folder", "--workers", workers)
    assert result.returncode == 2
    shown = [record["path"] for record in records(result.stdout.decode())]
    assert shown == [name for name in names if name != "20.md"]
    first, second = sorted(result.stderr.decode().splitlines())
    assert first.startswith("error: 20.md:1: not valid UTF-8")
    assert second.startswith("error: empty-folder: no such file or folder")


@pytest.mark.parametrize("flag", ["--json", "--view", "--stats"])
def test_nothing_is_written_when_no_file_can_be_read(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", flag, "nope.md"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: nope.md: no such file or folder (check the path)\n"


# Numbers


def test_numbers_of_a_folder(handbook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--max-tokens", "48", "--min-tokens", "12", "--overlap-tokens", "16"]
    assert main(["chunk", str(handbook), "--stats", "--json", *flags]) == 0
    [numbers] = records(capsys.readouterr().out)
    chunks = [
        chunk
        for file in sorted(handbook.glob("*.md*"))
        for chunk in headnote.chunk_file(file, max_tokens=48, min_tokens=12, overlap_tokens=16)
    ]
    sizes = sorted(chunk.tokens for chunk in chunks)
    assert (numbers["files"], numbers["chunks"], numbers["over_max"]) == (8, len(chunks), 0)
    assert numbers["tokens"]["total"] == sum(sizes)
    assert (numbers["tokens"]["min"], numbers["tokens"]["max"]) == (sizes[0], sizes[-1])
    assert numbers["tokens"]["mean"] == pytest.approx(sum(sizes) / len(sizes), abs=0.1)
    assert numbers["tokens"]["median"] == (sizes[len(sizes) // 2] + sizes[(len(sizes) - 1) // 2]) / 2
    assert sum(row["chunks"] for row in numbers["histogram"]) == len(chunks)
    assert numbers["below_min"] == sum(size < 12 for size in sizes)
    assert numbers["split_sections"] == len({(c.path, c.section) for c in chunks if c.is_split})
    assert 0 < numbers["overlapping"] == sum(bool(c.overlap) for c in chunks)


def test_cut_blocks_are_counted_by_kind(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = guide.read_text(encoding="utf-8")
    guide.write_text(text + "\n" + "A sentence of six words. " * 20, encoding="utf-8")
    for size, cut in (("512", {}), ("24", {"paragraph": 1, "code": 1})):
        assert main(["chunk", str(guide), "--stats", "--json", "--max-tokens", size]) == 0
        [numbers] = records(capsys.readouterr().out)
        assert numbers["cut_blocks"] == cut


def test_a_window_that_ends_with_a_block_does_not_cut_it(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide.write_text("one two three\n\nfour five six\n", encoding="utf-8")
    first = headnote.count_tokens("one two three")
    flags = ["--preset", "mdvdb", "--overlap-tokens", "0", "--max-tokens", str(first)]
    assert main(["chunk", str(guide), "--stats", "--json", *flags]) == 0
    [numbers] = records(capsys.readouterr().out)
    assert numbers["chunks"] > 1
    assert numbers["cut_blocks"].get("paragraph", 0) < 2


def test_numbers_for_people(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", str(guide), "--stats", "--preset", "ragdocs", "--max-tokens", "60", "--no-merge"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"1 file, \d chunks, [\d,]+ chars  preset ragdocs", lines[0])
    assert any(re.fullmatch(r"chars in a chunk   mean \d+   median \d+   min \d+   max \d+", line) for line in lines)
    assert any(re.fullmatch(r" +over 60  [1-9]  █+", line) for line in lines)
    assert re.fullmatch("cut blocks +none", lines[-2])
    assert re.fullmatch("with overlap, at most 50 +0 of 2", lines[-1])
    assert all(line == line.rstrip() for line in lines)


def test_numbers_of_nothing(guide: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide.write_bytes(b"")
    assert main(["chunk", str(guide), "--stats", "--json"]) == 0
    [numbers] = records(capsys.readouterr().out)
    assert (numbers["chunks"], numbers["tokens"]["mean"], numbers["tokens"]["max"]) == (0, None, None)
    assert main(["chunk", str(guide), "--stats"]) == 0
    assert capsys.readouterr().out.startswith("1 file, 0 chunks, 0 tokens")

"""What an index was made with lasts until somebody says otherwise."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import headnote
from headnote.cli.main import main
from headnote.embedding.embedder import HashingEmbedder

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]

QUESTIONS = json.dumps({"question": "mount the gauge", "gold": {"path": "guide.md"}})


def output_of(capsys: Captured, *arguments: str | Path) -> tuple[dict[str, Any], str]:
    """What a command says to programs, and to people."""
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    shown = capsys.readouterr()
    record: dict[str, Any] = json.loads(shown.out)
    return record, shown.err


def status(docs: Path, capsys: Captured) -> dict[str, Any]:
    return output_of(capsys, "status", docs)[0]


def chunks(docs: Path) -> list[str]:
    with headnote.Index.open(docs, read_only=True) as index:
        return [chunk.chunk_id for path in index.documents() for chunk in index.document(path).chunks]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    file.write_text(QUESTIONS, encoding="utf-8")
    return file


def test_no_command_cuts_anew_what_flags_have_cut(docs: Path, questions: Path, capsys: Captured) -> None:
    flags = ["--preset", "mdvdb", "--max-tokens", "16", "--overlap", "4"]
    output_of(capsys, "index", docs, *flags, "--exclude", "alone.md", "--embedder", "hashing:32")
    before, generation = chunks(docs), status(docs, capsys)["generation"]
    root = str(docs)
    for command in (
        *(["search", "gauge", root], ["ask", "gauge", root, "--no-model"], ["links", "--root", root]),
        *(["status", root], ["doctor", root], ["eval", str(questions), root], ["config", root], ["index", root]),
    ):
        record, note = output_of(capsys, *command)
        assert (chunks(docs), note) == (before, ""), command
        assert not record.get("rebuilt")
    shown = status(docs, capsys)
    assert (shown["generation"], shown["preset"], shown["model"]) == (generation, "mdvdb", "hashing:32")
    assert shown["origins"]["preset"] == "kept in the index (--preset)"
    with headnote.Index.open(docs) as index:
        assert index.update().plan.is_empty
        assert index.index_settings.exclude == ("alone.md",)


def test_config_and_status_say_where_a_value_comes_from(docs: Path, capsys: Captured) -> None:
    (docs / "headnote.toml").write_text("min_tokens = 8\n", encoding="utf-8")
    output_of(capsys, "index", docs, "--max-tokens", "40", "--include", "*.md")
    record, _ = output_of(capsys, "config", docs)
    assert record["chunking"]["max_tokens"] == {"value": 40, "origin": "kept in the index (--max-tokens)"}
    assert record["chunking"]["min_tokens"]["origin"] == "docs/headnote.toml:1"
    assert record["index"]["include"] == {"value": ["*.md"], "origin": "kept in the index (--include)"}
    assert main(["status", str(docs)]) == 0
    shown = capsys.readouterr().out
    assert "kept in the index  max_tokens, include\n" in shown
    assert "set by             docs/headnote.toml: min_tokens; HEADNOTE_EMBEDDER: embedder\n" in shown


def test_an_index_follows_its_file_as_soon_as_it_may_write(docs: Path, capsys: Captured) -> None:
    output_of(capsys, "index", docs)
    file = docs / "headnote.toml"
    file.write_text('max_tokens = 30\n[index]\nexclude = ["alone.md"]\n', encoding="utf-8")
    record, note = output_of(capsys, "search", "lighthouses", docs, "--no-update")
    assert record["hits"][0]["path"] == "alone.md"
    says = "docs/headnote.toml:3 says exclude alone.md, not nothing; docs/headnote.toml:1 says max_tokens 30, not 512"
    assert note == f"note: the index keeps its settings: {says} (headnote index applies the change)\n"
    shown = status(docs, capsys)
    assert (shown["settings"], shown["differing"]) == ({}, says.split("; "))
    _, note = output_of(capsys, "search", "gauge", docs)
    assert note == (
        "note: the index follows its settings file, all files were read again: "
        "docs/headnote.toml:3 says exclude alone.md; docs/headnote.toml:1 says max_tokens 30\n"
    )
    shown = status(docs, capsys)
    assert (shown["documents"], shown["settings"]["max_tokens"]) == (2, 30)
    assert shown["origins"]["max_tokens"] == "docs/headnote.toml:1"
    assert output_of(capsys, "search", "gauge", docs)[1] == "", "nothing is new"
    generation = status(docs, capsys)["generation"]
    file.write_text('# moved\n\nmax_tokens = 30\n[index]\nexclude = ["alone.md"]\n', encoding="utf-8")
    assert output_of(capsys, "search", "gauge", docs)[1] == "", "the same, elsewhere in the file"
    assert status(docs, capsys)["generation"] == generation
    file.unlink()
    record, note = output_of(capsys, "index", docs)
    assert (record["rebuilt"], record["added"]) == ("the settings have changed", ["alone.md"])
    assert record["followed"] == [
        "docs/headnote.toml:3 no longer says exclude alone.md",
        "docs/headnote.toml:1 no longer says max_tokens 30",
    ]
    assert output_of(capsys, "status", docs)[1] == ""


def test_an_index_that_follows_keeps_the_vectors_that_fit(docs: Path) -> None:
    with headnote.Index.open(docs, embedder=HashingEmbedder(32)) as index:
        made = index.update().embedded
        (docs / "headnote.toml").write_text("max_tokens = 500\n", encoding="utf-8")
        report = index.update()
        assert (report.rebuilt, len(report.followed)) == ("the settings have changed", 1)
        assert made > report.embedded == 0
        assert index.settings.max_tokens == 500
        assert index.status().origins["max_tokens"].endswith("headnote.toml:1")
        assert index.update().followed == ()


def test_a_watched_index_follows_its_file(docs: Path) -> None:
    stop = threading.Event()
    with headnote.Index.open(docs, embedder="none") as index:
        updates = index.watch(stop, debounce_ms=10)
        next(updates)
        (docs / "headnote.toml").write_text('[index]\nexclude = ["alone.md"]\n', encoding="utf-8")
        assert next(report for report in updates if report.followed).plan.removed == ["alone.md"]
        (docs / "headnote.toml").write_text("max_tokens = 40\n", encoding="utf-8")
        report = next(report for report in updates if report.followed)
        assert (report.plan.added, index.settings.max_tokens) == (["alone.md"], 40)
        stop.set()


def test_a_process_that_reads_takes_what_another_one_has_stored(docs: Path) -> None:
    with headnote.Index.open(docs, embedder="none") as writer:
        writer.update()
        (docs / "headnote.toml").write_text("max_tokens = 40\n", encoding="utf-8")
        with headnote.Index.open(docs) as reader:
            reader.take_settings()
            assert reader.settings.max_tokens == 512
            writer.update()
            reader.take_settings()
            assert (reader.settings.max_tokens, reader.embedder.name) == (40, "none")


def test_variables_are_words_like_those_of_a_file(
    docs: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    output_of(capsys, "index", docs)
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "none")
    assert "HEADNOTE_EMBEDDER says embedder none, not hashing:64" in output_of(capsys, "search", "gauge", docs)[1]
    assert status(docs, capsys)["model"] == "hashing:64"


def test_a_variable_of_another_system_counts_with_a_stored_preset(
    docs: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MDVDB_CHUNK_MAX_TOKENS", "300")
    output_of(capsys, "index", docs, "--preset", "mdvdb")
    for command in (["search", "gauge", str(docs)], ["index", str(docs)]):
        record, note = output_of(capsys, *command)
        assert (record.get("rebuilt", ""), note) == ("", ""), command
    assert status(docs, capsys)["settings"]["max_tokens"] == 300


def test_flags_outlive_the_file(docs: Path, capsys: Captured) -> None:
    file = docs / "headnote.toml"
    file.write_text('preset = "blocks"\nmax_tokens = 300\n', encoding="utf-8")

    def sizes() -> tuple[str, int]:
        shown = status(docs, capsys)
        return shown["preset"], shown["settings"]["max_tokens"]

    output_of(capsys, "index", docs, "--preset", "mdvdb", "--max-tokens", "100")
    assert sizes() == ("mdvdb", 100)
    output_of(capsys, "index", docs)
    assert sizes() == ("mdvdb", 100), "the file says nothing new"
    output_of(capsys, "index", docs, "--max-tokens", "120")
    assert sizes() == ("mdvdb", 120), "the other flag stays"
    file.write_text('preset = "blocks"\nmax_tokens = 400\n', encoding="utf-8")
    kept = "docs/headnote.toml:2 says max_tokens 400, and --max-tokens 120 stays"
    assert status(docs, capsys)["differing"] == [kept]
    note = output_of(capsys, "search", "gauge", docs)[1]
    assert note == f"note: the index keeps its flags: {kept} (headnote index --forget-flags drops them)\n"
    output_of(capsys, "index", docs)
    assert sizes() == ("mdvdb", 120), "a flag outlives what the file says"
    output_of(capsys, "index", docs, "--size", "small")
    assert sizes()[1] == 256, "basic and advanced names speak of the same thing"
    output_of(capsys, "index", docs, "--forget-flags")
    assert sizes() == ("blocks", 400)


def test_programs_follow_the_same_rule(docs: Path, capsys: Captured) -> None:
    with headnote.Index.open(docs, preset="mdvdb", keep_whole=["table", "code"], embedder="none") as index:
        index.update()
        cut = index.settings
    with headnote.Index.open(docs) as index:
        assert index.settings == cut
        assert index.embedder.name == "none"
        assert index.update().plan.is_empty
    with headnote.Index.open(docs, configure="anew") as index:
        assert index.choice.chunking.preset == "default"
    assert status(docs, capsys)["preset"] == "mdvdb", "nothing was updated"


def test_an_embedder_that_cannot_be_had_is_not_forgotten(docs: Path, capsys: Captured) -> None:
    (docs / "headnote.toml").write_text('[index]\nembedder = "openai:m"\n', encoding="utf-8")
    output_of(capsys, "trust", docs)
    headnote.Index.open(docs, embedder="hashing:16").update()
    output_of(capsys, "index", docs, "--embedder", "openai:text", "--no-vectors")
    output_of(capsys, "search", "gauge", docs, "--mode", "keyword")
    assert status(docs, capsys)["embedder"] == "openai:text"

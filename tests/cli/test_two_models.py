"""The commands with an instant and a deep model: search works at once, and they say what answers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from headnote.cli.main import main
from headnote.embedding import registry
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models
from headnote.index import deep_vectors

pytest_plugins = ("folder_fixtures",)

Captured = pytest.CaptureFixture[str]

INSTANT, DEEP = HashingEmbedder(32), HashingEmbedder(64)


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any name stands for these two."""
    monkeypatch.setattr("headnote.api.folders.get_models", lambda _: Models(INSTANT, DEEP))


@pytest.fixture
def without_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of the deep model is not installed."""
    monkeypatch.setitem(sys.modules, "headnote_deep", None)
    registry._packaged.cache_clear()


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("flag", ["--no-deep", "--no-vectors"])
def test_deep_vectors_can_wait(docs: Path, capsys: Captured, flag: str) -> None:
    assert main(["index", str(docs), flag]) == 0
    assert "vectors of hashing:64 to come, hashing:32 answers until then" in capsys.readouterr().out
    assert main(["search", "lighthouses", str(docs), "--explain", "--no-update"]) == 0
    output = capsys.readouterr().out
    assert "by hashing:32" in output
    assert "vectors of hashing:64 to come" in output
    assert main(["status", str(docs), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["answering"] == "hashing:32"
    assert [(model["role"], model["pending"] > 0) for model in status["models"]] == [("instant", False), ("deep", True)]


@pytest.mark.usefixtures("both")
def test_a_search_makes_a_few_deep_vectors_and_uses_them(docs: Path, capsys: Captured) -> None:
    assert main(["search", "lighthouses", str(docs), "--explain"]) == 0
    output = capsys.readouterr()
    assert "by hashing:64" in output.out
    assert "to come" not in output.out + output.err


@pytest.mark.usefixtures("both")
def test_a_search_does_not_wait_for_many(docs: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.cli.access.A_MOMENT", 1)
    assert main(["search", "lighthouses", str(docs), "--explain"]) == 0
    output = capsys.readouterr()
    assert "by hashing:32" in output.out
    assert "to come, hashing:32 answers until then (headnote index makes them)" in output.err


@pytest.mark.usefixtures("both")
def test_an_interrupted_run_says_how_to_go_on(docs: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(deep_vectors._EmbeddingRun, "_embed_texts", interrupt)
    assert main(["index", str(docs)]) == 130
    error = capsys.readouterr().err
    assert "of hashing:64 to come, hashing:32 answers until then; run headnote index to finish" in error
    monkeypatch.undo()


@pytest.mark.usefixtures("without_deep")
def test_the_default_without_the_deep_package_is_silent(
    docs: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "default")
    assert main(["search", "lighthouses", str(docs), "--explain"]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert "by instant" in output.out
    for command in ("status", "doctor"):
        assert main([command, str(docs)]) == 0
        assert 'pip install "headnote-md[deep]" headnote-md-deep' in capsys.readouterr().out


@pytest.mark.usefixtures("without_deep")
def test_a_deep_model_that_was_named_and_is_missing(
    docs: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEADNOTE_EMBEDDER", "deep")
    assert main(["index", str(docs)]) == 2
    assert "pip install" in capsys.readouterr().err
    assert main(["search", "lighthouses", str(docs), "--explain"]) == 0
    output = capsys.readouterr()
    assert "the instant model answers" in output.err
    assert "pip install" in output.err
    assert "by instant" in output.out

"""Vectors of the deep model travel if asked for, and are used where that model is."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import headnote
from headnote import EmbeddingError, Index, IndexFailure, MissingExtra, SettingsError
from headnote.cli.main import main
from headnote.embedding import registry
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models, get_models
from headnote.extra.packs.unpacking import verify_pack

QUERIES = ["how often do I calibrate", "battery", "wiring the sensor"]


class FakeDeep(HashingEmbedder):
    """A model with the name of one that travels."""

    def __init__(self, version: str = "1") -> None:
        super().__init__(64)
        self.name = f"deep:{version}"


DEEP = FakeDeep()


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Models:
    """What any name stands for, wherever a folder or a pack is opened."""
    models = Models(get_models("instant").instant, DEEP)
    monkeypatch.setattr("headnote.api.folders.get_models", lambda _: models)
    monkeypatch.setattr("headnote.extra.packs.unpacking.get_models", lambda _: models)
    return models


@pytest.fixture
def folder(tmp_path: Path, repository: Path) -> Path:
    root = tmp_path / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    return root


@pytest.fixture
def index(folder: Path, both: Models) -> Iterator[Index]:
    with Index.open(folder, embedder=both) as opened:
        opened.update()
        yield opened


def test_the_deep_model_answers_as_in_the_folder(index: Index, tmp_path: Path) -> None:
    info = index.pack(tmp_path / "a.headnote", deep=True)
    assert info.models[1:] == (DEEP.name,)
    assert verify_pack(tmp_path / "a.headnote") == info
    with headnote.open_pack(tmp_path / "a.headnote") as opened:
        assert opened.status().answering == DEEP.name
        for query in QUERIES:
            assert opened.search(query, mode="semantic") == index.search(query, mode="semantic")
            assert opened.search(query) == index.search(query)
        assert opened.related("calibration.md") == index.related("calibration.md")


def test_without_being_asked_for_they_stay_here(index: Index, tmp_path: Path) -> None:
    assert len(index.pack(tmp_path / "a.headnote").models) == 1
    assert b"deep:1" not in (tmp_path / "a.headnote").read_bytes()
    with headnote.open_pack(tmp_path / "a.headnote") as opened:
        assert opened.status().answering.startswith("instant:")


def test_where_the_model_is_missing_the_instant_one_answers(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.headnote"
    index.pack(file, deep=True)
    monkeypatch.setattr("headnote.extra.packs.unpacking.get_models", get_models)
    monkeypatch.setitem(sys.modules, "headnote_deep", None)
    registry._packaged.cache_clear()
    with pytest.raises((EmbeddingError, MissingExtra)):
        headnote.open_pack(file)
    with headnote.open_pack(file, without_deep=True) as opened:
        assert opened.status().answering.startswith("instant:")
        assert opened.search("battery")
    assert main(["search", "battery", "--pack", str(file)]) == 0
    assert "the instant model answers" in capsys.readouterr().err


def test_another_version_of_the_model_does_not_answer(
    index: Index, tmp_path: Path, both: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.headnote"
    index.pack(file, deep=True)
    newer = Models(both.instant, FakeDeep("2"))
    monkeypatch.setattr("headnote.extra.packs.unpacking.get_models", lambda _: newer)
    with pytest.raises(EmbeddingError, match="made with deep:1, and here is deep:2"):
        headnote.open_pack(file)


def test_all_vectors_must_be_there(folder: Path, both: Models, tmp_path: Path) -> None:
    with Index.open(folder, embedder=both) as index:
        index.update(vectors=False)
        with pytest.raises(IndexFailure, match="vectors of the deep model are missing"):
            index.pack(tmp_path / "a.headnote", deep=True)
    assert not (tmp_path / "a.headnote").exists()


@pytest.mark.parametrize("embedder", ["none", "instant", "hashing"])
def test_vectors_of_other_models_cannot_travel(folder: Path, tmp_path: Path, embedder: str) -> None:
    with Index.open(folder, embedder=embedder) as index:
        index.update()
        with pytest.raises(SettingsError, match="whose vectors cannot travel"):
            index.pack(tmp_path / "a.headnote", deep=True)


@pytest.mark.usefixtures("both")
def test_the_command_has_it(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "a.headnote")
    assert main(["pack", str(folder), "-o", file, "--deep"]) == 2
    assert "run headnote index, which makes them" in capsys.readouterr().err
    assert main(["index", str(folder)]) == 0
    assert main(["pack", str(folder), "-o", file, "--deep"]) == 0
    assert "deep:1" in capsys.readouterr().out
    assert main(["search", "battery", "--pack", file, "--explain"]) == 0
    assert "by deep" in capsys.readouterr().out

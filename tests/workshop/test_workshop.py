"""The scripts that train the models run from pairs to files that headnote loads: a few steps, on a small sample."""

from __future__ import annotations

import json
import lzma
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headnote
from headnote.embedding import instant

pytest.importorskip("torch", reason="needs torch")
pytest.importorskip("tokenizers", reason="needs tokenizers")
pytest.importorskip("onnx", reason="needs onnx")


WIDTH, WORDS, PLACES, LAYERS = 384, 30_522, 256, 1
"""As the scripts and the vocabulary want them; the layers are narrow, because nobody asks what they have learnt."""
TABLE = 256
FILES = 15
"""Documents of each site."""
WIDE, INNER = 192, 96
"""Neurons of the feed-forward part, before a student takes the larger half of them and after."""
FEW = ["--batch", "32", "--steps", "2", "--epochs", "1", "--rate", "1e-4"]

Script = Callable[..., str]


@pytest.fixture(scope="module")
def script(repository: Path) -> Script:
    """Runs a script of the workshop and returns what it prints."""

    def run(name: str, *arguments: object) -> str:
        command = [sys.executable, str(repository / "models" / "workshop" / name), *map(str, arguments)]
        # Other tests have the other cores: threads of torch that wait for one of them keep theirs busy with waiting.
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workshop")


@pytest.fixture(scope="module")
def pairs(repository: Path, folder: Path) -> Path:
    """Headings and sentences of our own documentation, and the passages they belong to."""
    chunks: list[dict[str, Any]] = []
    queries: list[list[Any]] = []
    for site in ("docs", "examples"):
        for chunk in headnote.chunk_files(sorted((repository / site).rglob("*.md"))[:FILES], max_tokens=64):
            headings, text = list(chunk.heading_path), chunk.text[:1200]
            queries += [["head", heading, len(chunks)] for heading in headings[-1:]]
            queries += [["ict", sentence, len(chunks)] for sentence in re.findall(r"[A-Z][^.\n]{20,}\.", text)[:2]]
            queries += [["link", headings[-1], len(chunks)]] if headings else []
            chunks.append({"r": site, "p": chunk.path, "t": chunk.title, "h": headings, "x": text})
    file = folder / "pairs.json.xz"
    with lzma.open(file, "wt", encoding="utf-8", preset=0) as stream:
        json.dump({"chunks": chunks, "pairs": queries}, stream)
    return file


@pytest.fixture(scope="module")
def start(folder: Path) -> Path:
    """Random weights under the names of BERT, as `published.py` writes those to start from."""
    generator = np.random.default_rng(5)

    def drawn(*shape: int) -> Any:
        return generator.normal(0, 0.05, shape).astype(np.float16)

    def norm(name: str) -> dict[str, Any]:
        return {f"{name}.weight": np.ones(WIDTH, np.float16), f"{name}.bias": np.zeros(WIDTH, np.float16)}

    def linear(name: str, width: int, out: int) -> dict[str, Any]:
        return {f"{name}.weight": drawn(out, width), f"{name}.bias": np.zeros(out, np.float16)}

    words = "embeddings.word_embeddings.weight"
    tensors: dict[str, Any] = {
        words: generator.integers(-127, 128, (WORDS, WIDTH), np.int8),
        f"{words}.scale": np.full(WORDS, 0.05 / 127, np.float32),
        "embeddings.position_embeddings.weight": drawn(PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": drawn(2, WIDTH),
        **norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        inside = f"encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            tensors |= linear(f"{inside}.attention.{part}", WIDTH, WIDTH)
        tensors |= norm(f"{inside}.attention.output.LayerNorm") | norm(f"{inside}.output.LayerNorm")
        tensors |= linear(f"{inside}.intermediate.dense", WIDTH, WIDE)
        tensors |= linear(f"{inside}.output.dense", WIDE, WIDTH)
    np.savez(folder / "start.npz", **tensors)
    return folder / "start.npz"


@pytest.fixture(scope="module")
def teacher(script: Script, start: Path, pairs: Path, folder: Path) -> Path:
    printed = script("train.py", start, pairs, folder / "teacher.npz", *FEW)
    assert_finite(printed)
    return folder / "teacher.npz"


@pytest.fixture(scope="module")
def table(script: Script, teacher: Path, pairs: Path, folder: Path) -> Path:
    out = folder / "table.npz"
    assert_finite(script("distil.py", teacher, pairs, out, "--teacher", teacher, "--table", TABLE, *FEW))
    return out


@pytest.fixture(scope="module")
def layers(script: Script, start: Path, teacher: Path, pairs: Path, folder: Path) -> Path:
    out = folder / "layers.npz"
    assert_finite(script("distil.py", start, pairs, out, "--teacher", teacher, "--layers", "0", "--inner", INNER, *FEW))
    return out


def assert_finite(printed: str) -> None:
    steps, loss = re.findall(r"(\d+) of 2 steps, loss (\S+)", printed)[-1]
    assert int(steps) == 2
    assert math.isfinite(float(loss))


def test_the_pairs_are_counted(script: Script, pairs: Path) -> None:
    printed = script("pairs.py", pairs)
    assert "passages of 2 sites" in printed
    assert {"head", "ict", "link"} <= set(printed.split())


def test_a_trained_model_is_a_start_again(teacher: Path, start: Path) -> None:
    with np.load(teacher) as trained, np.load(start) as before:
        assert set(trained.files) == set(before.files)
        name = "encoder.layer.0.intermediate.dense.weight"
        assert np.isfinite(trained[name]).all()
        assert not np.array_equal(trained[name], before[name])


def test_a_table_has_a_row_for_each_word_piece(table: Path) -> None:
    with np.load(table) as stored:
        assert stored["table"].shape == (WORDS, TABLE)
        assert np.isfinite(stored["table"]).all()


def test_a_student_has_its_layers(layers: Path) -> None:
    with np.load(layers) as stored:
        assert {name.split(".")[2] for name in stored.files if name.startswith("encoder.")} == {"0"}
        assert stored["encoder.layer.0.intermediate.dense.bias"].shape == (INNER,)


LOADED = """
from headnote.embedding.registry import get_embedder
vectors = get_embedder("deep").embed(["the gauge is silent", ""])
print(vectors.shape, abs((vectors[0] ** 2).sum() - 1) < 1e-5, vectors[1].any())
"""


def test_the_table_becomes_an_instant_model(
    script: Script, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(instant.DATA / "vocabulary.txt", tmp_path)
    script("quantise.py", "instant", table, tmp_path)
    shipped = instant.InstantEmbedder().name
    monkeypatch.setattr(instant, "DATA", tmp_path)
    embedder = instant.InstantEmbedder()
    vectors = embedder.embed(["the gauge is silent", ""])
    assert embedder.name != shipped
    assert vectors.shape == (2, TABLE)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0, 0.0])


def test_the_layers_become_a_deep_model(script: Script, layers: Path, repository: Path, tmp_path: Path) -> None:
    package = tmp_path / "headnote_deep"
    package.mkdir()
    shutil.copy(repository / "models" / "deep" / "src" / "headnote_deep" / "__init__.py", package)
    script("quantise.py", "deep", layers, package)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", LOADED]
    result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.stdout.split(maxsplit=2)[2:] == ["True False\n"], result.stderr
    assert result.stdout.startswith(f"(2, {WIDTH})")

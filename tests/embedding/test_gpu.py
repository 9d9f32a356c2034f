"""Models with layers on a GPU: when one is used, and that vectors stay the same. Without a GPU, torch computes the same
on a CPU."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_packages import model_package
from reference_texts import reference_texts

from headnote.cli.main import main
from headnote.embedding import gpu, transformer
from headnote.embedding.gpu import TOLERANCE, GpuModel, chosen_device
from headnote.embedding.transformer import TransformerEmbedder
from headnote.errors import EmbeddingError, MissingExtra, SettingsError

TEXTS = [text for text in reference_texts() if 0 < len(text) < 500][::8]


def test_the_variable_names_the_device() -> None:
    assert chosen_device({}) == "auto"
    assert chosen_device({"HEADNOTE_DEVICE": " CPU "}) == "cpu"
    with pytest.raises(SettingsError, match=r"HEADNOTE_DEVICE: unknown device 'tpu' \(use auto, cpu, cuda\)"):
        chosen_device({"HEADNOTE_DEVICE": "tpu"})


@pytest.mark.parametrize(
    ("device", "texts", "is_used"),
    [("auto", 1, False), ("auto", 3, True), ("cpu", 3, False), ("cuda", 1, True)],
)
def test_a_gpu_is_for_many_texts(monkeypatch: pytest.MonkeyPatch, device: str, texts: int, is_used: bool) -> None:
    used: list[int] = []

    class Recording:
        def __init__(self, file: Path) -> None:
            assert file.name == "model.onnx"

        def run(self, pieces: Sequence[Sequence[int]]) -> list[Any]:
            used.append(len(pieces))
            assert all((text[0], text[-1]) == (101, 102) for text in pieces)
            return [np.ones(384, "float32") for _ in pieces]

    monkeypatch.setattr(transformer, "WORTH_A_GPU", 3)
    monkeypatch.setattr(transformer, "has_gpu", lambda: True)
    monkeypatch.setattr(transformer, "check_gpu", lambda: None)
    monkeypatch.setattr(transformer, "GpuModel", Recording)
    with model_package("deep"):
        TransformerEmbedder("deep", device=device).embed(["one", "two", "three"][:texts])
    assert used == ([texts] if is_used else [])


def test_the_device_travels() -> None:
    with model_package("deep"):
        embedder = TransformerEmbedder("deep", device="cuda")
        assert embedder.__reduce__()[1][2] == "cuda"
        assert embedder.with_threads(1).__reduce__()[1][2] == "cuda"
        assert embedder.with_threads(1, "cpu").__reduce__()[1][2] == "cpu"
        assert embedder.name == TransformerEmbedder("deep", device="cpu").name


def test_without_a_gpu_torch_is_not_loaded() -> None:
    if gpu.has_gpu():
        pytest.skip("there is a GPU")
    code = "import sys; from headnote.embedding.gpu import has_gpu; sys.exit(has_gpu() or 'torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    with model_package("deep"), pytest.raises((EmbeddingError, MissingExtra), match=r"GPU"):
        TransformerEmbedder("deep", device="cuda").embed(["text"])


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow", reason="the extra bulk is not installed")
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    arguments = ["bulk", str(tmp_path), "--out", str(tmp_path / "out"), "--vectors", "--embedder", "instant"]
    assert main([*arguments, "--device", "tpu"]) == 2
    assert "--device: unknown device 'tpu'" in capsys.readouterr().err
    if not gpu.has_gpu():
        assert main([*arguments, "--device", "cuda"]) == 2
        assert "GPU" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["deep", "minilm"])
def test_near_the_vectors_of_a_cpu(name: str) -> None:
    pytest.importorskip("torch", reason="needs torch")
    pytest.importorskip("onnx", reason="needs onnx")
    with model_package(name) as embedder:
        on_cpu = embedder.embed(TEXTS)
        other = TransformerEmbedder(name, device="cuda")
        other._on_gpu = GpuModel(other._files.MODEL, "cuda" if gpu.has_gpu() else "cpu")
        on_gpu = other.embed(TEXTS)
        shuffled = other.embed(TEXTS[::-1])[::-1]
    can_read = on_cpu.any(axis=1)
    assert (on_gpu.any(axis=1) == can_read).all()
    assert (on_cpu * on_gpu).sum(axis=1)[can_read].min() >= TOLERANCE
    assert (shuffled * on_gpu).sum(axis=1)[can_read].min() >= TOLERANCE

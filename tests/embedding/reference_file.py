"""The reference vectors as text: one line each, signed bytes in base64. Rounding costs less than .0001 of cosine."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors


def reference_file(model: str) -> Path:
    return Path(__file__).with_name(f"{model}_reference.txt")


def digest(texts: Sequence[str]) -> str:
    """Identifies the texts that the vectors belong to."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def write_reference(file: Path, texts: Sequence[str], vectors: Vectors) -> None:
    lines = [digest(texts)]
    for vector in vectors:
        rounded = np.rint(vector / np.abs(vector).max() * 127).astype(np.int8)
        lines.append(b64encode(rounded.tobytes()).decode())
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


def read_reference(file: Path, texts: Sequence[str]) -> Vectors:
    first, *lines = file.read_text(encoding="ascii").splitlines()
    assert first == digest(texts), "the vectors are of other texts: run models/onnx/reference.py"
    rows = np.array([np.frombuffer(b64decode(line), dtype=np.int8) for line in lines], dtype=np.float32)
    vectors: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return vectors

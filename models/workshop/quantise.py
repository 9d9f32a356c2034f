"""Write the files that ship, in 8 bits: `python quantise.py instant|deep WEIGHTS.npz [FOLDER]`.

The weights are what `distil.py` writes: a table for the instant model, layers for the deep one.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from published import read_start

REPOSITORY = Path(__file__).resolve().parents[2]
INSTANT = REPOSITORY / "src" / "headnote" / "embedding" / "data"
DEEP = REPOSITORY / "models" / "deep" / "src" / "headnote_deep"

LIMIT = 127
"""Largest absolute value of a rounded number."""
STEP = 2.0**-18
"""What a weight of one stands for: so small that no row loses by a whole weight, so large that thousands of rows can be
added up in 32 bits."""


def write_instant(weights: Path, folder: Path) -> None:
    with np.load(weights) as stored:
        rows, scales = round_table(stored["table"])
    np.save(folder / "rows.npy", rows)
    np.save(folder / "weights.npy", scales)
    write_fingerprint(folder, ["rows.npy", "weights.npy", "vocabulary.txt"])


def round_table(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    """Each row in 8 bits, and the whole number that it is to be multiplied by."""
    weights = np.maximum(np.ceil(np.abs(table).max(axis=1) / (LIMIT * STEP)), 1)
    rows = np.rint(table / (weights[:, None] * STEP))
    return rows.astype(np.int8), weights.astype(np.int32)


def write_fingerprint(folder: Path, names: list[str]) -> None:
    """It changes whenever one of the files does."""
    content = b"".join((folder / name).read_bytes() for name in names)
    (folder / "fingerprint.txt").write_text(hashlib.sha256(content).hexdigest()[:12] + "\n", encoding="ascii")
    for name in names:
        sys.stdout.write(f"{name}: {(folder / name).stat().st_size:,} bytes\n")


def write_deep(weights: Path, folder: Path) -> None:
    sys.path.insert(0, str(REPOSITORY / "models" / "onnx"))
    from graph import Graph
    from package import write_package

    model = Graph(read_start(weights)).build("headnote-deep", "headnote-deep")
    write_package(folder, model.SerializeToString(deterministic=True))


KINDS: dict[str, tuple[Callable[[Path, Path], None], Path]] = {
    "instant": (write_instant, INSTANT),
    "deep": (write_deep, DEEP),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=KINDS)
    parser.add_argument("weights", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", help="where to write, instead of the place they ship from")
    arguments = parser.parse_args()
    write, folder = KINDS[arguments.model]
    write(arguments.weights, arguments.folder or folder)


if __name__ == "__main__":
    main()

"""Vectors that survive a run: a text is embedded once, however often a benchmark is repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class VectorFile(MutableMapping[str, NDArray[np.float32]]):
    """Hash → vector, in two files that only grow. For one process at a time."""

    def __init__(self, folder: Path, model: str, dimensions: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"\W+", "-", model)
        self._names = folder / f"{stem}.hashes"
        self._numbers = folder / f"{stem}.float16"
        self._dimensions = dimensions
        self._vectors: dict[str, NDArray[np.float32]] = {}
        if self._names.exists():
            self._load()

    def _load(self) -> None:
        names = self._names.read_text(encoding="ascii").split()
        matrix = np.fromfile(self._numbers, np.float16).reshape(-1, self._dimensions)[: len(names)]
        # A vector is written before its name, so a kill leaves at most one that nothing belongs to.
        matrix.tofile(self._numbers)
        self._vectors = dict(zip(names, matrix.astype(np.float32), strict=True))

    def __setitem__(self, digest: str, vector: NDArray[np.float32]) -> None:
        if digest in self._vectors:
            return
        half = np.asarray(vector, np.float16)
        with self._numbers.open("ab") as numbers:
            numbers.write(half.tobytes())
        with self._names.open("a", encoding="ascii") as names:
            names.write(digest + "\n")
        # The same after a restart as before.
        self._vectors[digest] = half.astype(np.float32)

    def __getitem__(self, digest: str) -> NDArray[np.float32]:
        return self._vectors[digest]

    def __delitem__(self, digest: str) -> None:
        raise TypeError("vectors are only added")

    def __iter__(self) -> Iterator[str]:
        return iter(self._vectors)

    def __len__(self) -> int:
        return len(self._vectors)

    def __contains__(self, digest: object) -> bool:
        return digest in self._vectors

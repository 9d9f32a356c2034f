"""How shards are written. `static/shards.js` reads them."""

from __future__ import annotations

import gzip
import struct
from typing import TYPE_CHECKING

from headnote.numeric import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 7
"""A number of a vector is one of so many steps to either side: four bits."""


def number(value: int) -> bytes:
    """Seven bits in each byte, the lowest first; the highest bit says that more follow."""
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes([*data, value])


def text(value: str) -> bytes:
    data = value.encode("utf-8", "replace")
    return number(len(data)) + data


def vectors(matrix: NDArray[np.float32]) -> bytes:
    """Each row as a scale, and two numbers in a byte."""
    scales = (np.abs(matrix).max(axis=1) / STEPS).astype("<f4")
    steps = np.rint(matrix / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8) + STEPS + 1
    halves = (steps[:, ::2] << 4 | steps[:, 1::2]).astype(np.uint8)
    return b"".join(struct.pack("<f", scale) + row.tobytes() for scale, row in zip(scales, halves, strict=True))


def packed(data: bytes) -> bytes:
    """Compressed where that pays: many hosts of static files do not do it themselves."""
    compressed = gzip.compress(data, 9, mtime=0)
    return compressed if len(compressed) < len(data) else data

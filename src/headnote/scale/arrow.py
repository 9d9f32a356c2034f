"""The packages this room needs, and how to get them."""

from __future__ import annotations

from typing import Any

from headnote.extras import load

BULK = 'pip install "headnote[bulk]"'
S3 = 'pip install "headnote[s3]"'
RAY = 'pip install "headnote[ray]"'
SPARK = 'pip install "headnote[spark]"'

_PURPOSE = "chunking in bulk"


def load_arrow() -> Any:
    return load("pyarrow", _PURPOSE, BULK)


def load_parquet() -> Any:
    return load("pyarrow.parquet", _PURPOSE, BULK)

"""Chunks for programs: one JSON object per chunk and line."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from headnote.cli.chunk_work import ChunkedFile
from headnote.model import Chunk

_ENCODER = msgspec.json.Encoder()


def json_lines(file: ChunkedFile, ascii_only: bool = False) -> bytes:
    """The lines of one file. `ascii_only` is for readers that know no more."""
    records = [_record(chunk) for chunk in file.chunks]
    if not ascii_only:
        try:
            return _ENCODER.encode_lines(records)
        except UnicodeEncodeError:
            # The name of a file need not be Unicode. Escaped, it survives even that.
            pass
    return b"".join(json.dumps(record, default=str).encode("ascii") + b"\n" for record in records)


def _record(chunk: Chunk) -> dict[str, Any]:
    record = chunk.to_dict()
    # A tuple would be written as a list, and nobody remembers what stands at which place.
    record["links"] = [link._asdict() for link in record["links"]]
    return record

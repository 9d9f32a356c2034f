"""Chunks for programs: one JSON object per chunk and line."""

from __future__ import annotations

import json

import msgspec

from headnote.cli.chunk_work import ChunkedFile
from headnote.cli.terminal import escaped

_ENCODER = msgspec.json.Encoder()


def json_lines(file: ChunkedFile, ascii_only: bool = False) -> bytes:
    """The lines of one file. `ascii_only` is for readers that know no more."""
    records = [chunk.to_dict() for chunk in file.chunks]
    if not ascii_only:
        try:
            return escaped(_ENCODER.encode_lines(records))
        except UnicodeEncodeError:
            # The name of a file need not be Unicode. Escaped, it survives even that.
            pass
    return b"".join(json.dumps(record).encode("ascii") + b"\n" for record in records)

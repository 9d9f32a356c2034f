"""What an embedding service answers."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from loopback_service import Reply

from headnote.embedding.hashing import HashingEmbedder

DIMENSIONS = 16
HASHING = HashingEmbedder(DIMENSIONS)


def numbers(question: dict[str, Any]) -> list[list[float]]:
    vectors: list[list[float]] = (HASHING.embed(question["input"]) * 5).tolist()
    return vectors


def reply(vectors: list[Any], **changes: Any) -> Reply:
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return Reply([json.dumps({"object": "list", "data": data, **changes}).encode()])


def floats(question: dict[str, Any]) -> Reply:
    return reply(numbers(question))


def base64(question: dict[str, Any]) -> Reply:
    """As asked for, and in disorder, which the indexes undo."""
    vectors = HASHING.embed(question["input"]) * 5
    data = [
        {"object": "embedding", "index": index, "embedding": b64encode(vector.astype("<f4").tobytes()).decode()}
        for index, vector in enumerate(vectors)
    ]
    return reply([], data=data[::-1])

"""Embedders behind one interface: texts become vectors, near each other for texts that mean the same.

| name | vectors |
|---|---|
| `minilm` | all-MiniLM-L6-v2, on this machine, offline |
| `openai:MODEL` | any service with an OpenAI-compatible `/embeddings` |
| `sentence-transformers:MODEL` | any model of that library |
| `hashing`, `hashing:DIMENSIONS` | hashed words and word pairs: for tests, needs no model |
| `none` | none at all: keyword search only |

`get_embedder` returns the embedder for a name. Packages are loaded when the first text is embedded.
"""

from __future__ import annotations

from headnote.embedding.base import Embedder
from headnote.embedding.registry import DEFAULT, NAMES, get_embedder

__all__ = ["DEFAULT", "NAMES", "Embedder", "get_embedder"]

"""What does a text mean? Embedders behind one interface: texts → rows of numbers, near for texts that mean the same.

| name | vectors |
|---|---|
| `minilm` | all-MiniLM-L6-v2, on this machine, offline |
| `openai:MODEL` | any service with an OpenAI-compatible `/embeddings` |
| `sentence-transformers:MODEL` | any model of that library |
| `hashing`, `hashing:DIMENSIONS` | words and pairs of words, hashed: for tests, needs no model |
| `none` | none at all: keyword search only |

`get_embedder` gives the object behind a name. Packages are loaded when the first text is embedded.
"""

from __future__ import annotations

from headnote.embedding.base import Embedder
from headnote.embedding.registry import DEFAULT, NAMES, get_embedder

__all__ = ["DEFAULT", "NAMES", "Embedder", "get_embedder"]

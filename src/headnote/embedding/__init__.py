"""Embedders behind one interface: texts become vectors, near each other for texts that mean the same.

| name | vectors |
|---|---|
| `default` | `instant`, and `deep` too if its package is installed |
| `instant` | a table of word pieces that ships with headnote: every text at once, with numpy alone |
| `deep` | three layers, trained on documentation; package `models/deep` |
| `minilm` | all-MiniLM-L6-v2, six layers; package `models/minilm` |
| `quality` | gte-small, twelve layers, where people can wait; package `models/quality` |
| `openai:MODEL` | any service with an OpenAI-compatible `/embeddings` |
| `sentence-transformers:MODEL` | any model of that library |
| `hashing`, `hashing:DIMENSIONS` | hashed words and word pairs: for tests, needs no model |
| `none` | none at all: keyword search only |

All but the services run on this machine, offline. `deep`, `minilm` and `quality` come with the vectors of `instant`,
which serve until theirs are complete. `get_models` returns both models of a name, `get_embedder` the better one.
Packages are loaded when the first text is embedded.
"""

from __future__ import annotations

from headnote.embedding.embedder import Embedder
from headnote.embedding.registry import DEFAULT, NAMES, Models, get_embedder, get_models

__all__ = ["DEFAULT", "NAMES", "Embedder", "Models", "get_embedder", "get_models"]

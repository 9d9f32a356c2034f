"""Any model of the library sentence-transformers, by name or folder."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from headnote.embedding.vectors import normalised, weighted_mean, zeros
from headnote.embedding.windows import windows
from headnote.extras import load
from headnote.tokens.bpe import as_encodable

if TYPE_CHECKING:
    from headnote.embedding.base import Vectors

OVERLAP = 32
_SPARE = 8
"""Tokens left free in a window: a part of a text, read by itself, may have some more than in its place."""


class SentenceTransformersEmbedder:
    """Loads on first use. The library cuts a long text off without a word, so it is given windows."""

    def __init__(self, model: str) -> None:
        self._model_name = model
        self._lock = Lock()
        self._loaded: Any = None
        self.name = f"sentence-transformers:{model}"

    @property
    def dimensions(self) -> int:
        model = self._model()
        # Renamed in later releases.
        ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(ask())

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, "encode_document")

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([text], "encode_query")[0]
        return vector

    def _embed(self, texts: Sequence[str], method: str) -> Vectors:
        parts = [(row, *part) for row, text in enumerate(texts) for part in self._parts(as_encodable(text))]
        vectors = zeros(len(texts), self.dimensions)
        if not parts:
            return vectors
        model = self._model()
        # Older releases have one method for both.
        encode = getattr(model, method, None) or model.encode
        found = encode([text for _, text, _ in parts], convert_to_numpy=True, show_progress_bar=False)
        by_row: dict[int, list[tuple[int, Vectors]]] = {}
        for (row, _, tokens), vector in zip(parts, found, strict=True):
            by_row.setdefault(row, []).append((tokens, vector))
        for row, of_text in by_row.items():
            vectors[row] = weighted_mean([vector for _, vector in of_text], [tokens for tokens, _ in of_text])
        return normalised(vectors)

    def _parts(self, text: str) -> list[tuple[str, int]]:
        """Each window of the text with the number of its tokens."""
        if not text or text.isspace():
            return []
        model = self._model()
        tokenizer, limit = model.tokenizer, model.max_seq_length
        if not limit or not getattr(tokenizer, "is_fast", False):
            return [(text, 1)]
        offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        places: list[tuple[int, int]] = offsets["offset_mapping"]
        room = limit - tokenizer.num_special_tokens_to_add()
        if len(places) <= room:
            return [(text, 1)]
        size = max(room - _SPARE, 1)
        cuts = windows(len(places), size, min(OVERLAP, size // 4))
        return [(text[places[start][0] : places[end - 1][1]], end - start) for start, end in cuts]

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                library = load(
                    "sentence_transformers",
                    "embedding with sentence-transformers",
                    'pip install "headnote[sentence-transformers]"',
                )
                self._loaded = library.SentenceTransformer(self._model_name)
            return self._loaded

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"

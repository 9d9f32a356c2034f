"""Any model of the sentence-transformers library, by name or folder."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from headnote.embedding.embedder import mean_of_windows, windows, zeros
from headnote.embedding.gpu import chosen_device
from headnote.extras import install, load
from headnote.tokens.bpe import as_encodable

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

OVERLAP = 32
_SPARE = 8
"""Tokens left free in a window: a slice of a text may have a few more tokens by itself than in context."""


class SentenceTransformersEmbedder:
    """Loads on first use. The library silently truncates long texts, so it is given windows."""

    def __init__(self, model: str) -> None:
        self._model_name = model
        self._lock = Lock()
        self._loaded: Any = None
        self.name = f"sentence-transformers:{model}"

    @property
    def dimensions(self) -> int:
        model = self._model()
        # Renamed in later releases.
        get_dimension = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(get_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts, "encode_document")

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([text], "encode_query")[0]
        return vector

    def _embed(self, texts: Sequence[str], method: str) -> Vectors:
        parts = [(row, *part) for row, text in enumerate(texts) for part in self._parts(as_encodable(text))]
        if not parts:
            return zeros(len(texts), self.dimensions)
        model = self._model()
        # Older releases have one method for both.
        encode = getattr(model, method, None) or model.encode
        vectors = encode([text for _, text, _ in parts], convert_to_numpy=True, show_progress_bar=False)
        weighted = ((row, tokens, vector) for (row, _, tokens), vector in zip(parts, vectors, strict=True))
        return mean_of_windows(len(texts), self.dimensions, weighted)

    def _parts(self, text: str) -> list[tuple[str, int]]:
        """The windows of the text, each with its number of tokens."""
        if not text or text.isspace():
            return []
        model = self._model()
        tokenizer, limit = model.tokenizer, model.max_seq_length
        if not limit or not getattr(tokenizer, "is_fast", False):
            return [(text, 1)]
        encoding = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        offsets: list[tuple[int, int]] = encoding["offset_mapping"]
        capacity = limit - tokenizer.num_special_tokens_to_add()
        if len(offsets) <= capacity:
            return [(text, 1)]
        size = max(capacity - _SPARE, 1)
        cuts = windows(len(offsets), size, min(OVERLAP, size // 4))
        return [(text[offsets[start][0] : offsets[end - 1][1]], end - start) for start, end in cuts]

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                library = load(
                    "sentence_transformers", "embedding with sentence-transformers", install("sentence-transformers")
                )
                device = chosen_device()
                # The library finds a GPU by itself.
                choice = {} if device == "auto" else {"device": device}
                self._loaded = library.SentenceTransformer(self._model_name, **choice)
            return self._loaded

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"

"""Vectors from any service with an OpenAI-compatible `/embeddings`."""

from __future__ import annotations

import binascii
import os
from base64 import b64decode
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.embedding.embedder import mean_of_windows, normalised
from headnote.errors import SettingsError, WrongAnswer
from headnote.extras import np
from headnote.services import OPENAI_URL, Client, Limits, Service, find_limits, find_service
from headnote.tokens.bpe import as_encodable
from headnote.tokens.names import get_counter

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

_PARALLEL = 4
_BASE_BYTES = 1 << 20
_BYTES_PER_TEXT = 200_000
"""Bytes of a response for each text: a vector of 8192 numbers, each written in 24 characters."""


class TextBatches(NamedTuple):
    """How much goes into one request. Services limit the number of texts and of tokens."""

    texts: int = 256
    tokens: int = 100_000
    """Counted with cl100k. Other tokenizers differ, so this stays well below the limits of services."""
    text_tokens: int = 8000
    """What the model reads of one text. A longer text is embedded in parts, which are averaged."""


class _Part(NamedTuple):
    row: int
    text: str
    tokens: int


class OpenAIEmbedder:
    """Learns the number of dimensions from the first response."""

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        service: Service | None = None,
        limits: Limits | None = None,
        batches: TextBatches | None = None,
    ) -> None:
        """`dimensions` requests vectors of that size, for models that offer several."""
        if dimensions is not None and dimensions < 1:
            raise SettingsError(f"vectors cannot have {dimensions} dimensions", remedy="use at least 1")
        self._client = Client(
            service or find_service(os.environ, "embedding"), limits or find_limits(os.environ, "embedding", Limits())
        )
        self._model = model
        self._requested_dimensions = dimensions
        self._known_dimensions = dimensions
        self._batches = batches or TextBatches()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """Includes the address, because two services may use one name for different models."""
        service = self._client.service
        address = "" if service.url.rstrip("/") == OPENAI_URL else f"@{service.address}"
        dimensions = f":{self._requested_dimensions}" if self._requested_dimensions else ""
        return f"openai:{self._model}{address}{dimensions}"

    @property
    def dimensions(self) -> int:
        if self._known_dimensions is None:
            self._request(["headnote"])
        assert self._known_dimensions is not None
        return self._known_dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        parts = [part for row, text in enumerate(texts) for part in self._parts(row, text)]
        batches = list(self._pack(parts))
        responses = self._request_all(batches)
        weighted = [
            (part.row, part.tokens, vector)
            for batch, vectors in zip(batches, responses, strict=True)
            for part, vector in zip(batch, vectors, strict=True)
        ]
        # Without texts there is no request, so the number of dimensions may be unknown.
        dimensions = self.dimensions if texts else self._known_dimensions or 0
        return mean_of_windows(len(texts), dimensions, weighted)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def _parts(self, row: int, text: str) -> Iterator[_Part]:
        """The text in parts that the model can read; none for a blank text, which services refuse."""
        if not text or text.isspace():
            return
        text = as_encodable(text)
        counter = get_counter("cl100k")
        start = 0
        while start < len(text):
            end = counter.fit(text, self._batches.text_tokens, start)
            if not text[start:end].isspace():
                yield _Part(row, text[start:end], max(1, counter.count(text[start:end])))
            start = end

    def _pack(self, parts: list[_Part]) -> Iterator[list[_Part]]:
        batch: list[_Part] = []
        tokens = 0
        for part in parts:
            if batch and (len(batch) == self._batches.texts or tokens + part.tokens > self._batches.tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(part)
            tokens += part.tokens
        if batch:
            yield batch

    def _request_all(self, batches: list[list[_Part]]) -> list[Vectors]:
        inputs = [[part.text for part in batch] for batch in batches]
        if len(inputs) < 2:
            return [self._request(texts) for texts in inputs]
        # The first goes alone: it settles which options the service knows, and a wrong key fails only once.
        first = self._request(inputs[0])
        pool = ThreadPoolExecutor(_PARALLEL, thread_name_prefix="embedding")
        try:
            return [first, *pool.map(self._request, inputs[1:])]
        finally:
            pool.shutdown(cancel_futures=True)

    def _request(self, texts: list[str]) -> Vectors:
        payload: dict[str, Any] = {"model": self._model, "input": texts}
        if self._requested_dimensions:
            payload["dimensions"] = self._requested_dimensions
        # Base64 takes a third of the size of decimal numbers and is faster to decode, but not every service knows it.
        response = self._client.post_json(
            "/embeddings",
            payload,
            options={"encoding_format": "base64"},
            max_bytes=_BASE_BYTES + len(texts) * _BYTES_PER_TEXT,
        )
        return self._decode(response, len(texts))

    def _decode(self, response: Any, count: int) -> Vectors:
        rows = self._decode_rows(response, count)
        with self._lock:
            self._known_dimensions = self._known_dimensions or len(rows[0])
        dimensions = self._known_dimensions
        wrong_sizes = {len(row) for row in rows} - {dimensions}
        if wrong_sizes:
            raise self._wrong_answer(f"has vectors of {min(wrong_sizes)} dimensions instead of {dimensions}")
        vectors = np.array(rows, dtype="float32").reshape(count, dimensions)
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise self._wrong_answer("has vectors without a direction: all zeros, or not finite")
        return normalised(vectors)

    def _decode_rows(self, response: Any, count: int) -> list[Any]:
        """The vectors of a response in the order of the texts."""
        try:
            data = response["data"]
            by_index = {entry.get("index", position): entry for position, entry in enumerate(data)}
            if len(data) != count:
                raise self._wrong_answer(f"has {len(data)} vectors for {count} texts")
            if by_index.keys() != set(range(count)):
                raise self._wrong_answer("does not say which vector belongs to which text")
            return [_decode_vector(by_index[index]["embedding"]) for index in range(count)]
        except (KeyError, TypeError, AttributeError, ValueError, binascii.Error):
            raise self._wrong_answer("contains no vectors") from None

    def _wrong_answer(self, problem: str) -> WrongAnswer:
        address = self._client.service.address
        return WrongAnswer(f"the response of {address} {problem}", remedy=f"is {self._model!r} an embedding model?")

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"


def _decode_vector(embedding: Any) -> Any:
    """A vector from decimal numbers, or from their bytes in base64."""
    if isinstance(embedding, str):
        return np.frombuffer(b64decode(embedding, validate=True), dtype="<f4")
    vector = np.asarray(embedding)
    if vector.ndim != 1 or vector.dtype.kind not in "fiu":
        raise ValueError("not a row of numbers")
    with np.errstate(over="ignore"):  # too large becomes infinite, which is refused later
        return vector.astype("float32")

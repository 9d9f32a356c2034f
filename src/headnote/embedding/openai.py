"""Vectors from any service that answers as OpenAI's `/embeddings` does."""

from __future__ import annotations

import binascii
import os
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from headnote.embedding.vectors import normalised, weighted_mean, zeros
from headnote.errors import RequestRefused, SettingsError, WrongAnswer
from headnote.extras import load_numpy
from headnote.services.endpoint import Endpoint
from headnote.services.service import URL, Patience, Service, find_patience, find_service
from headnote.tokens.bpe import as_encodable
from headnote.tokens.names import get_counter

if TYPE_CHECKING:
    from headnote.embedding.base import Vectors

_PARALLEL = 4
_BYTES_AROUND = 1 << 20
_BYTES_PER_TEXT = 200_000
"""Of an answer: a vector of 8192 numbers, each written in 24 characters."""


class Batches(NamedTuple):
    """How much goes into one request. Services count texts and tokens, and refuse what is over."""

    texts: int = 256
    tokens: int = 100_000
    """By the counter cl100k; other tokenizers differ, so it stays well below what services take."""
    text_tokens: int = 8000
    """What the model reads of one text. A longer one is embedded in parts, and the parts are averaged."""


class _Part(NamedTuple):
    row: int
    text: str
    tokens: int


class OpenAIEmbedder:
    """Knows how many dimensions there are once it has seen the first answer."""

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        service: Service | None = None,
        patience: Patience | None = None,
        batches: Batches | None = None,
    ) -> None:
        """`dimensions` asks for vectors of that size, of models that have several."""
        if dimensions is not None and dimensions < 1:
            raise SettingsError(f"vectors cannot have {dimensions} dimensions", remedy="use at least 1")
        self._endpoint = Endpoint(
            service or service_from(os.environ), patience or find_patience(os.environ, "embedding", Patience())
        )
        self._model = model
        self._asked = dimensions
        self._known = dimensions
        self._batches = batches or Batches()
        self._base64 = True
        self._lock = Lock()

    @property
    def name(self) -> str:
        """With the address: two services may well call different models the same."""
        service = self._endpoint.service
        place = "" if service.url.rstrip("/") == URL else f"@{service.place}"
        return f"openai:{self._model}{place}" + (f":{self._asked}" if self._asked else "")

    @property
    def dimensions(self) -> int:
        if self._known is None:
            self._ask(["headnote"])
        assert self._known is not None
        return self._known

    def embed(self, texts: Sequence[str]) -> Vectors:
        parts = [part for row, text in enumerate(texts) for part in self._parts(row, text)]
        batches = list(self._pack(parts))
        found: list[list[tuple[int, Vectors]]] = [[] for _ in texts]
        for batch, vectors in zip(batches, self._ask_all(batches), strict=True):
            for part, vector in zip(batch, vectors, strict=True):
                found[part.row].append((part.tokens, vector))
        # No texts, no question: whoever embeds nothing needs no service.
        rows = zeros(len(texts), self.dimensions if texts else self._known or 0)
        for row, of_text in enumerate(found):
            if of_text:
                rows[row] = weighted_mean([vector for _, vector in of_text], [weight for weight, _ in of_text])
        return normalised(rows)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def _parts(self, row: int, text: str) -> Iterator[_Part]:
        """The text as it is sent, in as many parts as the model needs; none for a blank one, which services refuse."""
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

    def _ask_all(self, batches: list[list[_Part]]) -> list[Vectors]:
        questions = [[part.text for part in batch] for batch in batches]
        if len(questions) < 2:
            return [self._ask(texts) for texts in questions]
        # The first alone: it settles the form of the answers, and a wrong key fails once.
        first = self._ask(questions[0])
        pool = ThreadPoolExecutor(_PARALLEL, thread_name_prefix="embedding")
        try:
            return [first, *pool.map(self._ask, questions[1:])]
        finally:
            pool.shutdown(cancel_futures=True)

    def _ask(self, texts: list[str]) -> Vectors:
        question: dict[str, Any] = {"model": self._model, "input": texts}
        if self._asked:
            question["dimensions"] = self._asked
        post = partial(self._endpoint.post, "/embeddings", most_bytes=_BYTES_AROUND + len(texts) * _BYTES_PER_TEXT)
        if not self._base64:
            return self._read(post(question), len(texts))
        try:
            # A third of the size of numbers written out, and faster to read.
            answer = post({**question, "encoding_format": "base64"})
        except RequestRefused as refused:
            if "encoding_format" not in refused.message:
                raise
            answer = post(question)
            self._base64 = False
        return self._read(answer, len(texts))

    def _read(self, answer: Any, count: int) -> Vectors:
        numpy = load_numpy()
        try:
            data = answer["data"]
            numbered = {entry.get("index", place): entry for place, entry in enumerate(data)}
            if len(data) != count:
                raise self._wrong(f"has {len(data)} vectors for {count} texts")
            if numbered.keys() != set(range(count)):
                raise self._wrong("does not say which vector belongs to which text")
            rows = [_read_vector(numbered[place]["embedding"]) for place in range(count)]
        except (KeyError, TypeError, AttributeError, ValueError, binascii.Error):
            raise self._wrong("has no vectors in it") from None
        with self._lock:
            self._known = self._known or len(rows[0])
        sizes = {len(row) for row in rows} - {self._known}
        if sizes:
            raise self._wrong(f"has vectors of {min(sizes)} dimensions instead of {self._known}")
        vectors: Vectors = numpy.array(rows, dtype="float32").reshape(count, self._known)
        if not numpy.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise self._wrong("has vectors that are no direction: zeros, or no numbers")
        return normalised(vectors)

    def _wrong(self, what: str) -> WrongAnswer:
        place = self._endpoint.service.place
        return WrongAnswer(f"the answer of {place} {what}", remedy=f"is {self._model!r} an embedding model?")

    def __repr__(self) -> str:
        return f"<embedder {self.name}>"


def _read_vector(embedding: Any) -> Any:
    """Numbers written out, or their bytes in base64."""
    numpy = load_numpy()
    if isinstance(embedding, str):
        return numpy.frombuffer(b64decode(embedding, validate=True), dtype="<f4")
    vector = numpy.asarray(embedding)
    if vector.ndim != 1 or vector.dtype.kind not in "fiu":
        raise ValueError("a vector is a row of numbers")
    with numpy.errstate(over="ignore"):  # what is too large becomes no number, which is seen later
        return vector.astype("float32")


def service_from(environment: Mapping[str, str]) -> Service:
    """The embedding service that the environment names."""
    return find_service(environment, "embedding")

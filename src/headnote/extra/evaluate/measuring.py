"""Asks every question and scores the results: questions and a way of searching in, scores out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from headnote.embedding.embedder import Embedder
from headnote.errors import MissingSource
from headnote.extra.evaluate import metrics
from headnote.extra.evaluate.metrics import TextSpan
from headnote.extra.evaluate.questions import Question, locate
from headnote.extras import np
from headnote.index.text_vectors import parts_of
from headnote.lines import count_line_ends
from headnote.model import Hit, text_hash
from headnote.store.interface import Reader, Store
from headnote.store.quantized import names_of
from headnote.tokens import count_tokens

if TYPE_CHECKING:
    from headnote.embedding.embedder import Vectors

    Cache: TypeAlias = MutableMapping[str, Vectors]


Search = Callable[[str, int], Sequence[Hit]]
"""Takes a question and a limit; returns hits, best first."""
Read = Callable[[str], str]
"""Takes the path of a document; returns its text, or raises MissingSource."""
OnProgress = Callable[[int, int], None]
"""Called with the number of questions done, and of all questions."""

BUDGET = 5000
"""Characters of the recall that is fair to large and small passages."""
DEPTH = 50
"""Hits requested at least, so that small passages fill the budget too."""


class LocatedQuestion(NamedTuple):
    """A question with the spans of its gold."""

    question: Question
    gold: tuple[TextSpan, ...]
    lines: tuple[int, ...]
    """The line where each begins."""


class Retrieved(NamedTuple):
    """A retrieved passage, reduced to what is measured."""

    span: TextSpan
    tokens: int


class Answered(NamedTuple):
    """How one question was answered."""

    rank: int | None
    """Rank of the first right passage, from 1; None if it is not among those that were looked at."""
    first: Hit | None
    """What came first; None if nothing was found."""


Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measurement:
    """The scores of one way of searching."""

    name: str
    scores: tuple[Scores, ...]
    """One per question, in their order."""
    answers: tuple[Answered, ...] = ()
    """The same."""

    def of(self, metric: str) -> list[float]:
        return [scores[metric] for scores in self.scores]


def locate_gold(questions: Iterable[Question], read: Read) -> list[LocatedQuestion]:
    """Find every gold passage in its document. A missing one is an error that names the line of the question."""
    located = []
    for question in questions:
        spans, lines = [], []
        for gold in question.gold:
            try:
                text = read(gold.path)
            except MissingSource:
                raise question.place.error(
                    f"no document {gold.path!r} in the index", "paths are from the root"
                ) from None
            span = locate(gold, text, question.place)
            spans.append(span)
            lines.append(1 + count_line_ends(text[: span.start]))
        located.append(LocatedQuestion(question, tuple(spans), tuple(lines)))
    return located


def measure(
    name: str, questions: Sequence[LocatedQuestion], search: Search, limit: int, on_progress: OnProgress | None = None
) -> Measurement:
    """Ask all questions in one way of searching."""
    scores, answers = [], []
    for done, (question, gold, _) in enumerate(questions, 1):
        hits = eligible_hits(question, search, max(limit, DEPTH))
        retrieved = [Retrieved(TextSpan(hit.path, hit.start, hit.end), count_tokens(hit.text)) for hit in hits]
        scores.append(score(retrieved, gold, limit))
        rank = metrics.first_rank([passage.span for passage in retrieved], gold)
        answers.append(Answered(rank, hits[0] if hits else None))
        if on_progress is not None:
            on_progress(done, len(questions))
    return Measurement(name, tuple(scores), tuple(answers))


def eligible_hits(question: Question, search: Search, limit: int) -> list[Hit]:
    """The first hits outside the documents to leave out, searching deeper until there are enough."""
    depth = limit
    while True:
        hits = search(question.text, depth)
        eligible = [hit for hit in hits if hit.path not in question.leave_out]
        if len(eligible) >= limit or len(hits) < depth:
            return eligible[:limit]
        depth *= 2


def score(
    retrieved: Sequence[Retrieved], gold: Sequence[TextSpan], limit: int, budget: int = BUDGET
) -> dict[str, float]:
    """Every metric of one question."""
    spans = [passage.span for passage in retrieved[:limit]]
    return {
        "hit": metrics.hit(spans, gold),
        "mrr": metrics.reciprocal_rank(spans, gold),
        "ndcg": metrics.discounted_gain(spans, gold, limit),
        "found": metrics.items_found(spans, gold),
        "recall": metrics.recall(spans, gold),
        "precision": metrics.precision(spans, gold),
        "iou": metrics.intersection_over_union(spans, gold),
        "recall_within": metrics.recall_within([passage.span for passage in retrieved], gold, budget),
        "tokens_to_first": metrics.cost_to_first([passage.tokens for passage in retrieved[:limit]], spans, gold),
        "silent": 0.0 if retrieved else 1.0,
    }


def first_of_each_document(retrieved: Iterable[Retrieved]) -> Iterator[Retrieved]:
    """Only the best passage of each document."""
    seen: set[str] = set()
    for passage in retrieved:
        if passage.span.path not in seen:
            seen.add(passage.span.path)
            yield passage


# -- An embedder that embeds no text twice, for evaluations in which several indexes share most of their texts.


class CachingEmbedder:
    """Wraps an embedder, and calls it only for texts whose hash is not in the cache."""

    def __init__(self, embedder: Embedder, cache: Cache) -> None:
        self._embedder = embedder
        self._cache = cache

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        hashes = [text_hash(text) for text in texts]
        missing = {digest: text for digest, text in zip(hashes, texts, strict=True) if digest not in self._cache}
        if missing:
            vectors = self._embedder.embed(list(missing.values()))
            for digest, vector in zip(missing, vectors, strict=True):
                self._cache[digest] = vector
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([self._cache[digest] for digest in hashes]).astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        # Some models embed a query differently from a passage with the same text.
        digest = text_hash(f"query: {text}")
        if digest not in self._cache:
            self._cache[digest] = self._embedder.embed_query(text)
        return self._cache[digest]


def cached_vectors(store: Store, model: str) -> Cache:
    """The vectors of an index by the hash of their text."""
    with store.reading() as reader:
        return {
            text_hash(text): vector
            for path in reader.document_paths()
            for text, vector in _vectors_of(reader, path, model)
        }


def _vectors_of(reader: Reader, path: str, model: str) -> Iterator[tuple[str, Vectors]]:
    """The parts and the names of each chunk of a document, with their vectors."""
    chunks = {chunk.id: chunk for chunk in reader.chunks_of(path)}
    parts = reader.parts(model, list(chunks))
    names_of_chunks, texts = parts.floats()
    rows = iter(texts)
    for chunk_id, name_vectors in zip(parts.chunks, names_of_chunks, strict=True):
        chunk = chunks[chunk_id]
        yield from ((part, next(rows)) for part in parts_of(chunk.embed_text))
        names = names_of(chunk.title, chunk.row.heading_path)
        # A name without a vector yet has a row of zeros.
        yield from (named for named in zip(names, name_vectors, strict=True) if named[1].any())

"""Search as others build it over chunks of others: BM25 with stemming, the same embedder as ours, reciprocal ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import bm25s
import numpy as np
import Stemmer

import headnote
from faults import Piece
from headnote.embedding.embedder import Embedder
from headnote.extra.evaluate.measuring import Retrieved
from headnote.extra.evaluate.metrics import TextSpan
from headnote.markdown.frontmatter import read_frontmatter, title
from headnote.search.ranking import Ranking, ranked, reciprocal_ranks
from splitters import langchain_header_pieces, semantic_pieces

LIMIT = 250
"""Tokens of a chunk, what these splitters are usually set to for an embedder with a window of 256."""
DEPTH = 200
BATCH = 64

MODES = ("keyword", "semantic", "rrf")


class PeerChunk(NamedTuple):
    retrieved: Retrieved
    embedded: str


def langchain_chunks(path: str, text: str) -> Iterable[PeerChunk]:
    """Title of the page and header path in front of what is embedded and indexed."""
    page = title_of(path, text)
    cut = langchain_header_pieces(LIMIT)(text)
    for piece, span in zip(cut, located(path, text, cut), strict=True):
        trail = dict.fromkeys([page, *piece.headings]) if page else piece.headings
        front = " > ".join(trail)
        yield PeerChunk(_found(span, piece.text), f"{front}\n\n{piece.text}" if front else piece.text)


def semantic_chunks(path: str, text: str) -> Iterable[PeerChunk]:
    for piece in semantic_pieces(LIMIT)(text):
        start = piece.start or 0
        yield PeerChunk(_found(TextSpan(path, start, start + len(piece.text)), piece.text), piece.text)


def _found(span: TextSpan, text: str) -> Retrieved:
    return Retrieved(span, headnote.count_tokens(text))


def title_of(path: str, text: str) -> str:
    """What the frontmatter says."""
    blocks = headnote.parse(text, mdx=path.endswith(".mdx"))
    return title(read_frontmatter(text, blocks[0]).data) if blocks and blocks[0].kind == "frontmatter" else ""


def located(path: str, text: str, pieces: Sequence[Piece]) -> list[TextSpan]:
    """Where pieces stand whose blanks and control characters were rewritten."""
    places = [at for at, character in enumerate(text) if _counts(character)]
    plain = "".join(text[at] for at in places)
    spans, cursor = [], 0
    for piece in pieces:
        needle = "".join(filter(_counts, piece.text))
        at = plain.find(needle, cursor)
        if at < 0:
            at = plain.find(needle)
        if at < 0 or not needle:
            spans.append(TextSpan(path, 0, 0))
            continue
        spans.append(TextSpan(path, places[at], places[at + len(needle) - 1] + 1))
        cursor = at + 1
    return spans


def _counts(character: str) -> bool:
    return character.isprintable() and not character.isspace()


class PeerIndex:
    """Chunks of one splitter, searched in three ways."""

    def __init__(self, chunks: Sequence[PeerChunk], embedder: Embedder, watch: Callable[[int, int], None]) -> None:
        self.chunks = chunks
        self._embedder = embedder
        self._stemmer = Stemmer.Stemmer("english")
        self._words = bm25s.BM25()
        self._words.index(self._terms([chunk.embedded for chunk in chunks]), show_progress=False)
        parts = []
        for at in range(0, len(chunks), BATCH):
            parts.append(embedder.embed([chunk.embedded for chunk in chunks[at : at + BATCH]]))
            watch(min(at + BATCH, len(chunks)), len(chunks))
        self._matrix = np.concatenate(parts)

    def _terms(self, texts: list[str]) -> bm25s.tokenization.Tokenized:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def asking(self, mode: str) -> Callable[[str, int], list[Retrieved]]:
        return lambda question, limit: self.search(question, mode)[:limit]

    def search(self, question: str, mode: str) -> list[Retrieved]:
        words = self._by_words(question) if mode != "semantic" else []
        meaning = self._by_meaning(question) if mode != "keyword" else []
        order = ranked(reciprocal_ranks(words, meaning)) if mode == "rrf" else [one for one, _ in [*words, *meaning]]
        return [self.chunks[at].retrieved for at in order]

    def _by_words(self, question: str) -> Ranking:
        depth = min(DEPTH, len(self.chunks))
        retrieved, scores = self._words.retrieve(self._terms([question]), k=depth, show_progress=False)
        return [(int(at), float(score)) for at, score in zip(retrieved[0], scores[0], strict=True) if score > 0]

    def _by_meaning(self, question: str) -> Ranking:
        similarities = self._matrix @ self._embedder.embed_query(question)
        best = np.argsort(-similarities, kind="stable")[:DEPTH]
        return [(int(at), float(similarities[at])) for at in best]


SPLITTERS: dict[str, Callable[[str, str], Iterable[PeerChunk]]] = {
    "LangChain header + recursive, path": langchain_chunks,
    "semantic-text-splitter": semantic_chunks,
}
DISTRIBUTIONS = ["bm25s", "PyStemmer", "langchain-text-splitters", "semantic-text-splitter"]

"""Search as it is put together from Whoosh and FAISS, over the same chunks and vectors as ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
from whoosh.analysis import StemmingAnalyzer
from whoosh.fields import NUMERIC, TEXT, Schema
from whoosh.index import create_in, exists_in, open_dir
from whoosh.qparser import OrGroup, QueryParser

from headnote.embedding.embedder import Embedder
from headnote.search.ranking import Ranking, ranked, reciprocal_ranks
from headnote.store.sqlite import store
from headnote.store.sqlite.store import SqliteStore
from headnote.store.sqlite.writer import SqliteReader

DEPTH = 200
LIMIT = 10


class Peer:
    """Everything in memory that these two hold in memory; texts come from Whoosh."""

    def __init__(self, store: SqliteStore, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        with store.reading() as reader:
            chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
            vectors = _vectors(reader, embedder.name)
        stored = {chunk.id: chunk.embed_text for chunk in chunks}
        matrix = np.stack([vectors[chunk.row.hash] for chunk in chunks])
        self._chunks = np.array(list(stored))
        self._vectors = faiss.IndexFlatIP(matrix.shape[1])
        self._vectors.add(matrix)
        self._texts = stored
        index = open_dir(folder) if _is_there(folder) else _written(stored, folder)
        self._searcher = index.searcher()
        self._parser = QueryParser("text", index.schema, group=OrGroup)

    def by_words(self, query: str) -> list[str]:
        return self._read(self._words(query))

    def by_meaning(self, query: str) -> list[str]:
        return self._read(self._meaning(query))

    def both(self, query: str) -> list[str]:
        order = ranked(reciprocal_ranks(self._words(query), self._meaning(query)))
        return [self._texts[chunk] for chunk in order[:LIMIT]]

    def _words(self, query: str) -> Ranking:
        # Words only: its query language would take signs for operators.
        words = " ".join("".join(c if c.isalnum() else " " for c in query).lower().split())
        hits = self._searcher.search(self._parser.parse(words), limit=DEPTH)
        return [(hit["chunk"], hit.score) for hit in hits]

    def _meaning(self, query: str) -> Ranking:
        scores, rows = self._vectors.search(self._embedder.embed_query(query)[None, :], DEPTH)
        return [(int(self._chunks[row]), float(score)) for row, score in zip(rows[0], scores[0], strict=True)]

    def _read(self, ranking: Ranking) -> list[str]:
        return [self._texts[chunk] for chunk, _ in ranking[:LIMIT]]


def _vectors(reader: SqliteReader, name: str) -> dict[str, Any]:
    """Hash of a text → its vector."""
    (model,) = (model for model in store.models(reader.db) if model.name == name)
    return {
        digest.hex(): np.frombuffer(row, "<f2").astype(np.float32)
        for block in store.blocks(reader.db, model)
        for digest, (row, _) in store.sound_vectors(reader.db, model, block).items()
    }


def _is_there(folder: Path) -> bool:
    return folder.is_dir() and exists_in(folder)


def _written(texts: dict[int, str], folder: Path) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    schema = Schema(chunk=NUMERIC(stored=True), text=TEXT(analyzer=StemmingAnalyzer()))
    index = create_in(folder, schema)
    writer = index.writer(limitmb=512)
    for chunk, text in texts.items():
        writer.add_document(chunk=chunk, text=text)
    writer.commit()
    return index

"""Search by words."""

from __future__ import annotations

from headnote.index.store.base import Reader
from headnote.index.store.filters import Filter
from headnote.index.terms import query_terms
from headnote.model import Hit


def keyword_hits(reader: Reader, query: str, limit: int, only: Filter) -> list[Hit]:
    """Chunks that have words of the query, best first."""
    found = reader.keyword(query_terms(query), limit, only=only)
    scores = {hit.chunk: hit.score for hit in found}
    return [
        Hit(
            chunk.path,
            chunk.row.start_line,
            chunk.row.end_line,
            " > ".join(filter(None, chunk.row.heading_path)),
            chunk.title,
            chunk.text,
            scores[chunk.id],
            chunk.chunk_id,
            chunk.key,
            chunk.row.tokens,
        )
        for chunk in reader.chunks([hit.chunk for hit in found])
    ]

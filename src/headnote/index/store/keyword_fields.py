"""What the keyword index knows of a chunk: its fields as terms.

Working them out is most of the work of a `put`, so whoever cuts documents on many cores can do it there.
"""

from __future__ import annotations

from collections.abc import Iterable

from headnote.chunking.pictures import without_pictures
from headnote.index.store.rows import ChunkRow, DocumentRow, KeywordFields
from headnote.index.terms import term_line


def keyword_fields(document: DocumentRow, chunks: Iterable[ChunkRow]) -> list[KeywordFields]:
    """One for each chunk. Overlap and breadcrumb are left out of the text: what they say is said elsewhere."""
    title = term_line(document.title)
    aliases = term_line("\n".join(document.aliases))
    return [
        KeywordFields(
            title,
            term_line("\n".join(chunk.heading_path)),
            term_line(without_pictures(chunk.own_text(document.text))),
            aliases,
            term_line("\n".join(chunk.tags)),
        )
        for chunk in chunks
    ]

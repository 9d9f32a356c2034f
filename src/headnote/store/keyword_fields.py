"""What the keyword index knows of a chunk: its fields as terms.

Whatever is indexed is worked out here and nowhere else: the search asks here, too, what a chunk can be found by. It is
most of the work of a `put`, so whoever cuts documents on many cores can do it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from headnote.chunking.data_uris import strip_data_uris
from headnote.store.rows import ChunkRow, DocumentRow, KeywordFields, Parent, StoredChunk
from headnote.store.terms import term_line


def keyword_fields(document: DocumentRow | Parent, chunks: Iterable[ChunkRow]) -> list[KeywordFields]:
    """One for each chunk. Overlap and breadcrumb are left out of the text: what they say is said elsewhere."""
    title = term_line(document.title)
    aliases = term_line("\n".join((*document.aliases, file_name(document.path))))
    return [
        KeywordFields(
            title=title,
            headings=term_line("\n".join(chunk.heading_path)),
            text=term_line(strip_data_uris(chunk.own_text(document.text))),
            aliases=aliases,
            tags=term_line("\n".join(chunk.tags)),
        )
        for chunk in chunks
    ]


def keyword_fields_of(chunks: Sequence[StoredChunk]) -> list[KeywordFields]:
    """The same for chunks of one document that come from a store."""
    return keyword_fields(chunks[0].document, (chunk.row for chunk in chunks)) if chunks else []


def terms_of(chunk: StoredChunk) -> set[str]:
    """Every term by which a chunk can be found, in whatever field."""
    (fields,) = keyword_fields_of([chunk])
    return {term for field in fields for term in field.split()}


def file_name(path: str) -> str:
    """What the file of a document is called, without its folders and its ending."""
    return PurePosixPath(path).stem

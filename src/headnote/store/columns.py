"""An entry as the tables store it, made by whoever has read the document.

These are plain values: another process sends them in a third of the time that rows take, and the writer, which all
processes wait for, only adds numbers.
"""

from __future__ import annotations

from headnote.store import codec
from headnote.store.rows import Columns, Entry, LinkRow
from headnote.store.terms import keyword_fields


def columns_of(entry: Entry | Columns) -> Columns:
    """The columns of an entry; itself, if it has become columns already."""
    if isinstance(entry, Columns):
        return entry
    document, chunks = entry.document, entry.chunks
    return Columns(
        path=document.path,
        document=codec.document_row(document),
        text=document.text,
        chunks=[codec.chunk_row(document, chunk) for chunk in chunks],
        links=[codec.link_row(link) for link in entry.links],
        keywords=[tuple(fields) for fields in keyword_fields(document, chunks)],
        tags=codec.document_tags(document, chunks),
        fields=codec.fields(document),
        vectors=entry.vectors,
    )


def links_in(columns: Columns) -> list[LinkRow]:
    """The links as rows again."""
    path = columns.document[0]
    return [codec.stored_link((path, *link)) for link in columns.links]

"""Entries → rows of the tables, and chunks back. Pure: what goes where, and in which form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from headnote.index.names import name_hash, names_of
from headnote.index.store.carried import carried_of, read_carried
from headnote.index.store.damage import integer
from headnote.index.store.filters import flat_fields, folded_tag
from headnote.index.store.rows import ChunkRow, DocumentRow, LinkRow, NonText, Parent, StoredChunk
from headnote.index.store.values import packed, packed_strings, sealed, unpacked, unpacked_strings, unsealed

Row = tuple[str | int | bytes | None, ...]


def document_row(document: DocumentRow) -> Row:
    """All but its number and its text."""
    return (
        *(sealed(document.path), document.size, document.mtime_ns, sealed(document.hash), sealed(document.title)),
        *(packed(document.metadata), packed_strings(document.tags), packed_strings(document.aliases)),
        *(sealed(document.warning), int(document.mdx), name_hash(names_of(document.title, ())[0])),
    )


def non_text_row(file: NonText) -> Row:
    return sealed(file.path), file.size, file.mtime_ns, sealed(file.reason)


def text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def chunk_rows(number: int, document: DocumentRow, chunks: Iterable[tuple[int, ChunkRow]]) -> Iterator[Row]:
    for identity, chunk in chunks:
        yield (
            *(identity, number, *chunk[:10]),
            bytes.fromhex(chunk.hash),
            sealed(chunk.id_tail),
            sealed(chunk.key_tail),
            packed_strings(chunk.heading_path),
            None if chunk.tags == document.tags else packed_strings(chunk.tags),
            carried_of(chunk, document.text),
            name_hash(names_of(document.title, chunk.heading_path)[-1]),
        )


def link_rows(number: int, links: Iterable[LinkRow]) -> Iterator[Row]:
    for link in links:
        yield (
            *(number, link.chunk, link.line, link.kind, sealed(link.target), sealed(link.fragment), sealed(link.text)),
            int(link.external),
            None if link.resolved is None else sealed(link.resolved),
            None if link.section is None else sealed(link.section),
            link.resolved_chunk,
        )


def document_tag_rows(number: int, document: DocumentRow) -> list[Row]:
    return [(number, tag) for tag in sorted(_folded_tags(document.tags))]


def chunk_tag_rows(document: DocumentRow, chunks: Iterable[tuple[int, ChunkRow]]) -> Iterator[Row]:
    """Only tags that the document does not have as a whole."""
    shared = _folded_tags(document.tags)
    for identity, chunk in chunks:
        if chunk.tags != document.tags:
            yield from ((identity, tag) for tag in sorted(_folded_tags(chunk.tags) - shared))


def field_rows(number: int, document: DocumentRow) -> list[Row]:
    return [(number, sealed(key), sealed(value)) for key, value in sorted(flat_fields(document.metadata))]


def _folded_tags(tags: Sequence[str]) -> set[str]:
    return {sealed(tag) for tag in map(folded_tag, tags) if tag}


PARENT_COLUMNS = "d.path, d.title, d.mtime_ns, d.metadata, d.tags, d.aliases"
"""All of a parent but its text."""


def parent(columns: Sequence[Any], text: str) -> Parent:
    """The other way round: these columns of a document, and its text."""
    path, title, mtime_ns, metadata, tags, aliases = columns
    return Parent(
        path=unsealed(path),
        title=unsealed(title),
        mtime_ns=integer(mtime_ns),
        metadata=unpacked(metadata),
        tags=unpacked_strings(tags),
        aliases=unpacked_strings(aliases),
        text=text,
    )


def stored_chunk(row: tuple[Any, ...], document: Parent) -> StoredChunk:
    """Columns of a chunk, its number and its document's in front, and what its document says."""
    digest, id_tail, key_tail, written_path, tags, carried = row[12:]
    heading_path = unpacked_strings(written_path)
    chunk = ChunkRow._make(
        (
            *(None if number is None else integer(number) for number in row[2:12]),
            digest.hex(),
            unsealed(id_tail),
            unsealed(key_tail),
            heading_path,
            document.tags if tags is None else unpacked_strings(tags),
            *read_carried(carried, heading_path, document.text),
        )
    )
    if not 0 <= chunk.start <= chunk.end <= len(document.text) or not 1 <= chunk.start_line <= chunk.end_line:
        raise ValueError(f"{document.path}: chunk {chunk.number} lies outside of the text")
    return StoredChunk(row[0], document, chunk)

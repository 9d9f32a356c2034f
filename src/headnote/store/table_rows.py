"""Entries → rows of the tables, and chunks back. Pure: what goes where, and in which form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from headnote.store.carried import carried_of, read_carried
from headnote.store.damage import integer
from headnote.store.filters import flat_fields, folded_tag
from headnote.store.names import name_hash, names_of
from headnote.store.rows import ChunkRow, DocumentRow, LinkRow, NonText, Parent, StoredChunk
from headnote.store.values import escaped, packed, packed_strings, unescaped, unpacked, unpacked_strings

Row = tuple[str | int | bytes | None, ...]


def document_row(document: DocumentRow) -> Row:
    """All but its number and its text."""
    return (
        *(escaped(document.path), document.size, document.mtime_ns, escaped(document.hash), escaped(document.title)),
        *(packed(document.metadata), packed_strings(document.tags), packed_strings(document.aliases)),
        *(escaped(document.warning), int(document.mdx), name_hash(names_of(document.title, ())[0])),
    )


def non_text_row(file: NonText) -> Row:
    return escaped(file.path), file.size, file.mtime_ns, escaped(file.reason)


def text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def chunk_rows(number: int, document: DocumentRow, chunks: Iterable[tuple[int, ChunkRow]]) -> Iterator[Row]:
    for identity, chunk in chunks:
        yield (
            *(identity, number, *chunk[:10]),
            bytes.fromhex(chunk.hash),
            escaped(chunk.id_tail),
            escaped(chunk.key_tail),
            packed_strings(chunk.heading_path),
            None if chunk.tags == document.tags else packed_strings(chunk.tags),
            carried_of(chunk, document.text),
            name_hash(names_of(document.title, chunk.heading_path)[-1]),
        )


def link_rows(number: int, links: Iterable[LinkRow]) -> Iterator[Row]:
    for link in links:
        yield (
            *(
                number,
                link.chunk,
                link.line,
                link.kind,
                escaped(link.target),
                escaped(link.fragment),
                escaped(link.text),
            ),
            int(link.external),
            None if link.resolved is None else escaped(link.resolved),
            None if link.section is None else escaped(link.section),
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
    return [(number, escaped(key), escaped(value)) for key, value in sorted(flat_fields(document.metadata))]


def _folded_tags(tags: Sequence[str]) -> set[str]:
    return {escaped(tag) for tag in map(folded_tag, tags) if tag}


PARENT_COLUMNS = "d.path, d.title, d.mtime_ns, d.metadata, d.tags, d.aliases"
"""All of a parent but its text."""


def parent(columns: Sequence[Any], text: str) -> Parent:
    """The other way round: these columns of a document, and its text."""
    path, title, mtime_ns, metadata, tags, aliases = columns
    return Parent(
        path=unescaped(path),
        title=unescaped(title),
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
            unescaped(id_tail),
            unescaped(key_tail),
            heading_path,
            document.tags if tags is None else unpacked_strings(tags),
            *read_carried(carried, heading_path, document.text),
        )
    )
    if not 0 <= chunk.start <= chunk.end <= len(document.text) or not 1 <= chunk.start_line <= chunk.end_line:
        raise ValueError(f"{document.path}: chunk {chunk.number} lies outside of the text")
    return StoredChunk(row[0], document, chunk)

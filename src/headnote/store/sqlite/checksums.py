"""Checksums of rows: what is shown is compared with them when it is read.

SQLite notices a damaged page only where its structure breaks. A bit that turned over in a text is another text.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

from headnote.store.codec import CHUNK_COLUMNS, inflated, text_bytes, text_of
from headnote.store.document_reader import DOCUMENT_COLUMNS, LINK_COLUMNS
from headnote.store.integrity import Damaged
from headnote.store.rows import Row

_BETWEEN = "\x1f"

CHECKED_DOCUMENT = f"{DOCUMENT_COLUMNS}, d.checksum"
CHECKED_CHUNK = f"{CHUNK_COLUMNS}, c.checksum"
CHECKED_LINK = f"{LINK_COLUMNS}, l.checksum"
"""The columns that the checksum of a row is made of, and that."""


def checksum_of(values: Iterable[str | int | bytes | None]) -> int:
    """Of the columns of a row, in their order."""
    plain = [value.hex() if type(value) is bytes else str(value) for value in values]
    return zlib.crc32(_BETWEEN.join(plain).encode())


def with_checksum(row: Row) -> Row:
    return *row, checksum_of(row)


def document_checksum(number: int, row: Row) -> int:
    """Of a row as `codec.document_row` makes it."""
    path, _, _, digest, title, metadata, tags, aliases, warning, mdx, _ = row
    return checksum_of((number, path, digest, title, metadata, tags, aliases, warning, mdx))


def chunk_row(number: int, document: int, row: Row) -> Row:
    """A chunk, from a row as `codec.chunk_row` makes it."""
    whole = (number, document, *row)
    return *whole, checksum_of(whole[:-1])


def text_row(document: int, text: str) -> Row:
    data = text_bytes(text)
    return document, data, _text_checksum(document, data)


def _text_checksum(document: int, data: bytes) -> int:
    """Of a text before it is compressed."""
    return zlib.crc32(data, document & 0xFFFFFFFF)


def sound(what: str, row: Sequence[Any]) -> Sequence[Any]:
    """The columns of a row whose last column is its checksum. Raises if they are not what was stored."""
    *columns, checksum = row
    if checksum is not None and checksum != checksum_of(columns):
        raise Damaged(f"{what} is not what was stored")
    return columns


def sound_text(document: int, stored: bytes, checksum: int | None) -> str:
    """The text of a document, from the columns of its row."""
    data = inflated(stored)
    if checksum is not None and checksum != _text_checksum(document, data):
        raise Damaged("the text of a document is not what was stored")
    return text_of(data)

"""The stored format does not change unless its version does: an index made before opens afterwards, as it is."""

from __future__ import annotations

import datetime
import hashlib
from types import ModuleType

import numpy as np
import pytest

from headnote.model.chunk import BREADCRUMB, OVERLAP
from headnote.store import codec
from headnote.store.integrity import signed
from headnote.store.postgres import schema as postgres
from headnote.store.quantized import packed_parts
from headnote.store.rows import ChunkRow, Dated, Dates, DocumentRow
from headnote.store.sqlite import schema as sqlite
from headnote.store.sqlite.matrix import BLOCK
from headnote.store.sqlite.vectors import BYTES, checksum


@pytest.mark.parametrize(
    ("database", "version", "expected"), [(sqlite, 14, "81d4c9b62a0f810f"), (postgres, 10, "2a08922cefd519d1")]
)
def test_other_tables_have_another_version(database: ModuleType, version: int, expected: str) -> None:
    found = hashlib.sha256(database.SCHEMA.encode()).hexdigest()[:16]
    assert (database.VERSION, found) == (version, expected), "raise VERSION with every change, and pin both here"


TEXT = "# One\n\nbefore. after\n"
DOCUMENT = DocumentRow(
    path="a\udcff.md",
    size=21,
    mtime_ns=7,
    hash="00ff",
    title="Tïtle\0",
    text=TEXT,
    metadata={"day": datetime.date(2024, 5, 6), "n": [1, None]},
    tags=("x",),
    aliases=(),
    mdx=True,
    comments=((6, 7),),
    dates=Dates(frontmatter=5, best=Dated(5, "frontmatter")),
)
CHUNK = ChunkRow(
    number=0,
    start=15,
    end=20,
    start_line=3,
    end_line=3,
    block_start=1,
    block_end=2,
    section=1,
    part=None,
    tokens=1,
    hash="0a0b",
    id_tail="#one",
    key_tail="#one:1",
    heading_path=("One",),
    tags=("x", "y"),
    front=(BREADCRUMB, OVERLAP),
    lead=(),
    prefix="",
    suffix="\n",
    overlap="before. ",
    headings=("One", "Two"),
)


def test_columns_are_written_as_before() -> None:
    *document, name, frontmatter, git, file_name, time_ns, origin = codec.document_row(DOCUMENT)
    metadata = '{"day":{"$headnote":["date","2024-05-06"]},"n":[1,null]}'
    assert document == ["a\uffffdcff.md", 21, 7, "00ff", "Tïtle\uffff0000", metadata, '["x"]', "[]", "", 1, "6 7"]
    assert isinstance(name, bytes)
    assert name.hex() == "2f465f29f8bb0eaf0f2b0e54f134cd41"
    assert (frontmatter, git, file_name, time_ns, origin) == (5, None, None, 5, "frontmatter")
    *chunk, name = codec.chunk_row(DOCUMENT, DOCUMENT.masked, CHUNK)
    numbers = [0, 15, 20, 3, 3, 1, 2, 1, None, 1]
    carried = '[[0,1],[],"","\\n",[7,15]]'
    assert chunk == [*numbers, b"\x0a\x0b", "#one", "#one:1", '["One"]', '["x","y"]', carried, '["One","Two"]']
    assert isinstance(name, bytes)
    assert name.hex() == "a083bc21d202a868752faf7cd47ddf44"


def test_vectors_are_written_as_before() -> None:
    parts = np.array([[0.5, -1.0, 0.25], [0.0, 0.0, 0.0]], np.float32)
    assert packed_parts(parts).hex() == "0402013c4081200000803f000000"
    assert (BLOCK, BYTES, checksum(b"hash", b"row", b"parts")) == (1024, 2, 349851453)


def test_entries_of_the_manifest_are_signed_as_before() -> None:
    assert signed(["/docs"]) == '652dbd24980e5e68 ["/docs"]'

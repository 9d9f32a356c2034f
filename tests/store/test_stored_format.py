"""The stored format does not change: an index made before opens afterwards, without being rebuilt."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Sequence

import numpy as np
import pytest

from headnote.model.chunk import BREADCRUMB, OVERLAP
from headnote.store import codec
from headnote.store.integrity import signed
from headnote.store.postgres import schema as postgres
from headnote.store.quantized import packed_parts
from headnote.store.rows import ChunkRow, DocumentRow
from headnote.store.sqlite import schema as sqlite
from headnote.store.sqlite.matrix import BLOCK
from headnote.store.sqlite.vectors import BYTES, checksum

# One hash per format version. A new version adds a hash; a changed hash means that existing indexes break.
SQLITE = """
7ecc66821c06a2d3 d51d15650c35cb7f 00c8c0c999c2051e 5a32ce197c1f65d5 2e1f1daec4839573 727ab4c1daa3b0c6 f9ff516cd41470e6
73998c5a35ba6435 6cdc73fabdbefac2 458ac4ace808b891 04b9e3f186caa5e5
""".split()
POSTGRES = """
4b38923793e9b87a 2205a3cbede75c6c 0ea2fa77dc5bf6b9 d04e20c2a8547818 b37ad085187a4743 89fee7b469606f3f cdcb651c3d26384b
""".split()


@pytest.mark.parametrize(("migrations", "expected"), [(sqlite.MIGRATIONS, SQLITE), (postgres.MIGRATIONS, POSTGRES)])
def test_no_released_migration_is_edited(migrations: Sequence[str], expected: list[str]) -> None:
    hashes = [hashlib.sha256(migration.encode()).hexdigest()[:16] for migration in migrations]
    assert hashes[: len(expected)] == expected
    assert len(hashes) == len(expected), "pin the hash of the new version too"


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
)


def test_columns_are_written_as_before() -> None:
    *document, name = codec.document_row(DOCUMENT)
    metadata = '{"day":{"$headnote":["date","2024-05-06"]},"n":[1,null]}'
    assert document == ["a\uffffdcff.md", 21, 7, "00ff", "Tïtle\uffff0000", metadata, '["x"]', "[]", "", 1]
    assert isinstance(name, bytes)
    assert name.hex() == "2f465f29f8bb0eaf0f2b0e54f134cd41"
    *chunk, name = codec.chunk_row(DOCUMENT, CHUNK)
    numbers = [0, 15, 20, 3, 3, 1, 2, 1, None, 1]
    carried = '[[0,1],[],"","\\n",[7,15]]'
    assert chunk == [*numbers, b"\x0a\x0b", "#one", "#one:1", '["One"]', '["x","y"]', carried]
    assert isinstance(name, bytes)
    assert name.hex() == "a083bc21d202a868752faf7cd47ddf44"


def test_vectors_are_written_as_before() -> None:
    parts = np.array([[0.5, -1.0, 0.25], [0.0, 0.0, 0.0]], np.float32)
    assert packed_parts(parts).hex() == "0402013c4081200000803f000000"
    assert (BLOCK, BYTES, checksum(b"hash", b"row", b"parts")) == (1024, 2, 349851453)


def test_entries_of_the_manifest_are_signed_as_before() -> None:
    assert signed(["/docs"]) == '652dbd24980e5e68 ["/docs"]'

"""The comparison of two indexes: it finds every difference, and none where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

import headnote
from contents import compare
from headnote.embedding.embedder import HashingEmbedder
from notes import write_notes

NOTES = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("notes")
    write_notes(root, NOTES, 0.1)
    return root


def indexed(folder: Path, file: Path, workers: int) -> Path:
    shutil.rmtree(folder / ".headnote", ignore_errors=True)
    with headnote.Index.open(folder, embedder=HashingEmbedder(8)) as index:
        index.update(workers=workers)
    shutil.copy2(folder / ".headnote" / "index.db", file)
    return file


@pytest.fixture(scope="module")
def index(folder: Path) -> Path:
    return indexed(folder, folder.with_name("first.db"), workers=1)


@pytest.mark.usefixtures("processes")
def test_an_index_is_the_same_on_any_number_of_cores(folder: Path, index: Path, tmp_path: Path) -> None:
    comparison = compare(index, indexed(folder, tmp_path / "other.db", workers=2))
    assert comparison.differences == []
    assert comparison.rows["documents"] == NOTES
    assert all(comparison.rows[name] > NOTES for name in ("chunks", "links", "places", "hits", "vectors"))


@pytest.mark.parametrize(
    ("change", "tables"),
    [
        ("UPDATE documents SET title = 'x' WHERE id = 7", {"documents"}),
        ("UPDATE links SET resolved = NULL WHERE id = (SELECT max(id) FROM links)", {"links"}),
        ("DELETE FROM document_tags WHERE document = 7", {"document_tags"}),
        ("UPDATE vector_blocks SET data = zeroblob(length(data))", {"vector_blocks"}),
        ("INSERT INTO keyword (rowid, text) VALUES (100000, 'zzz')", {"places", "hits"}),
    ],
)
def test_every_difference_is_found(index: Path, tmp_path: Path, change: str, tables: set[str]) -> None:
    other = tmp_path / "other.db"
    shutil.copy2(index, other)
    db = apsw.Connection(str(other))
    db.execute(change)
    db.close()
    assert {difference.table for difference in compare(index, other).differences} == tables


def test_how_an_index_was_written_is_no_difference(index: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    shutil.copy2(index, other)
    db = apsw.Connection(str(other))
    db.execute("UPDATE state SET generation = 77, updated_ns = 1; UPDATE links SET id = id + 100000")
    db.close()
    assert compare(index, other).differences == []

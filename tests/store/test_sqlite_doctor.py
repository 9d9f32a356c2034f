"""The doctor of the SQLite store sees every kind of damage and repairs it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest
from index_states import vectors_by_hash
from store_samples import entry, link, paths, put, search_paths

from headnote.errors import LockedIndex
from headnote.store.sqlite import store as sqlite_store
from headnote.store.sqlite.store import FILE, FOLDER, SqliteStore

ENTRIES = (
    entry("a.md", "---\ntags: [x]\nstatus: draft\n---\n\nalpha #own\n")._replace(
        links=[link("a.md", "b.md", "b.md", resolved_chunk=0)]
    ),
    entry("b.md", "# B\n\nbeta\n"),
)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    store = SqliteStore.open(tmp_path)
    put(store, *ENTRIES)
    with store.writing() as writer:
        pending = writer.pending("m", 9)
        writer.add_vectors("m", [text.hash for text in pending], np.ones((len(pending), 4)))
        names = writer.pending_names("m")
        writer.add_names("m", names, np.ones((len(names), 4)))
    assert store.check() == []
    return store


DAMAGE = {
    "DELETE FROM keyword WHERE rowid = 1": "1 chunks that the keyword index does not have",
    "INSERT INTO keyword (rowid, text) VALUES (99, 'x')": "1 rows of the keyword index without a chunk",
    "DELETE FROM keyword WHERE rowid = 2; INSERT INTO keyword (rowid, text) VALUES (2, 'x')": "b.md: the keyword index",
    "DELETE FROM document_tags": "a.md: what filters ask for",
    "DELETE FROM document_tags WHERE tag = 'own'": "a.md: what filters ask for",
    "UPDATE names SET number = 7 WHERE document = 2 AND kind = 2": "b.md: it is found by other names",
    "UPDATE fields SET value = 'final'": "a.md: what filters ask for",
    "DELETE FROM texts WHERE document = 1": "1 documents without text",
    "UPDATE texts SET text = x'6f7468657220746578742e', checksum = NULL WHERE document = 2": "b.md: chunk 0",
    'UPDATE chunks SET "end" = 9999, checksum = NULL WHERE id = 2': "b.md: chunk 0 lies outside of the text",
    "UPDATE chunks SET number = 5, checksum = NULL WHERE id = 2": "b.md: a chunk is missing",
    "UPDATE chunks SET carried = '{' WHERE id = 2": "b.md: unreadable",
    "UPDATE links SET chunk = 7, checksum = NULL": "a.md: a link belongs to a chunk that does not exist",
    "UPDATE links SET resolved_chunk = 7, checksum = NULL": "1 links to a chunk that does not exist",
    "UPDATE texts SET text = x'6f7468657220746578742e' WHERE document = 2": "the text of a document is not what was",
    "UPDATE documents SET title = 'B' WHERE id = 2": "a document is not what was stored",
    "UPDATE chunks SET start_line = 2, end_line = 2 WHERE id = 2": "a chunk is not what was stored",
    "UPDATE links SET text = 'other'": "a link is not what was stored",
    "UPDATE vectors SET slot = 5000 WHERE slot = 1": "1 vectors outside of the blocks",
    "UPDATE vector_blocks SET data = x'00'": "1 blocks of vectors of the wrong size",
    "UPDATE name_vectors SET data = x'00'": "vectors of names of the wrong size",
    "UPDATE chunks SET name = x'00' WHERE id = 2": "b.md: names that its title and headings do not say",
    "UPDATE models SET changed = 99": "1 models from a generation to come",
    "DELETE FROM documents WHERE id = 2": "chunks: a row belongs to documents that do not exist",
    "DELETE FROM models": "vectors: a row belongs to models that do not exist",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_seen_and_repaired(store: SqliteStore, tmp_path: Path, damage: str) -> None:
    connection = apsw.Connection(str(tmp_path / FOLDER / FILE))
    connection.execute(damage)
    connection.close()
    complaints = store.check()
    assert any(DAMAGE[damage] in complaint for complaint in complaints), complaints
    assert store.repair()
    assert store.check() == []
    put(store, entry("a.md", "alpha again"), entry("c.md", "gamma"))
    assert search_paths(store, "alpha") == ["a.md"]
    assert store.check() == []


def test_vectors_outlive_a_repair_and_documents_are_read_again(store: SqliteStore) -> None:
    with store.reading() as reader:
        vectors = vectors_by_hash(reader, "m")
    assert store.repair() == ["file rebuilt: 2 vectors kept, documents are read again"]
    assert paths(store) == []
    put(store, *ENTRIES)
    with store.reading() as reader:
        assert vectors_by_hash(reader, "m") == vectors
        assert reader.pending("m", 9) == []
        assert reader.pending_names("m") == []


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ("vector_blocks", "2 vectors of m are not what was stored"),
        ("vector_parts", "2 vectors of m are not what was stored"),
        ("name_vectors", "2 vectors of names of m are not what was stored"),
    ],
)
def test_vectors_that_are_not_what_was_stored_are_seen_and_made_again(
    store: SqliteStore, tmp_path: Path, table: str, complaint: str
) -> None:
    connection = apsw.Connection(str(tmp_path / FOLDER / FILE))
    connection.execute(f"UPDATE {table} SET data = zeroblob(length(data))")
    connection.close()
    assert store.check() == [complaint]
    store.repair()
    put(store, *ENTRIES)
    with store.reading() as reader:
        assert len(reader.pending("m", 9)) == (0 if table == "name_vectors" else 2)
        assert len(reader.pending_names("m")) == (2 if table == "name_vectors" else 0)


def test_a_check_sees_what_others_have_written_since_it_looked_last(tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path)) as ours, closing(SqliteStore.open(tmp_path)) as other:
        put(other, entry("a.md", "words to be found\n"))
        assert ours.check() == []
        with other.writing() as writer:
            writer.clear()
            writer.put([entry(":", "")])
        assert ours.check() == []


def test_who_has_it_open_sees_the_new_file(store: SqliteStore, tmp_path: Path) -> None:
    other = SqliteStore.open(tmp_path)
    assert paths(other) == ["a.md", "b.md"]
    store.repair()
    assert paths(other) == []
    put(other, entry("c.md", "gamma"))
    put(store, entry("d.md", "delta"))
    assert paths(store) == paths(other) == ["c.md", "d.md"]
    other.close()
    assert store.check() == []


def test_nobody_repairs_what_another_one_writes(
    store: SqliteStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_WAIT", 0.1)
    with SqliteStore.open(tmp_path).writing() as writer:
        writer.remove(["a.md"])
        with pytest.raises(LockedIndex):
            store.repair()
    assert paths(store) == ["b.md"]
    assert sorted(file.name for file in (tmp_path / FOLDER).iterdir() if file.is_dir()) == []

"""The file of the SQLite store: made, brought up to date, damaged, refused."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import numpy as np
import pytest
from store_samples import entry, paths, put, search_paths
from unprivileged import DROP_ROOT, reachable_folder, set_modes

import headnote
from headnote.errors import CorruptIndex, IndexFailure, LockedIndex, NewerIndex, UnwritableIndex
from headnote.store.sqlite.schema import VERSION
from headnote.store.sqlite.store import FILE, FOLDER, SqliteStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Of an index with two pages."""
    store = SqliteStore.open(tmp_path)
    put(store, entry("a.md", "alpha"), entry("b.md", "# B\n\n" + "beta words\n\n" * 400))
    store.close()
    return tmp_path / FOLDER / FILE


def test_an_index_is_one_file(file: Path) -> None:
    assert sorted(path.name for path in file.parent.iterdir()) == [".gitignore", FILE, "lock"]
    assert (file.parent / ".gitignore").read_text() == "*\n"
    assert (file.parent / "lock").read_bytes() == b""
    assert SqliteStore.exists(file.parent.parent)
    assert not SqliteStore.exists(file.parent)


def test_many_may_make_it_at_once(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> None:
        store = SqliteStore.open(tmp_path)
        made.append(store.generation())
        store.close()

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [0] * 8


# -- versions


def made_by_an_older_headnote(file: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.pragma("user_version", VERSION - 1)
    connection.execute("ALTER TABLE documents RENAME COLUMN title TO heading")
    connection.close()


def test_an_older_file_is_made_anew(file: Path, tmp_path: Path) -> None:
    """Vectors are kept: they take long to make, and belong to texts, whatever else the tables say."""
    store = SqliteStore.open(tmp_path)
    with store.writing() as writer:
        writer.set_manifest({"settings": "s", "reader": "r"})
        texts = writer.pending("m", 9)
        writer.add_vectors("m", [text.hash for text in texts], np.eye(len(texts), 8, dtype=np.float32))
    store.close()
    made_by_an_older_headnote(file)
    before = file.read_bytes()
    with pytest.raises(UnwritableIndex, match=r"written by an older headnote \(run headnote index once"):
        SqliteStore.open(tmp_path, read_only=True)
    assert file.read_bytes() == before
    newer = SqliteStore.open(tmp_path)
    assert paths(newer) == []
    with newer.reading() as reader:
        assert reader.manifest() == {"settings": "s"}, "without the entry that says who has read the documents"
        assert reader.db.execute("SELECT count(*) FROM vectors").fetchall() == [(len(texts),)]
        assert reader.db.pragma("user_version") == VERSION
    assert newer.check() == []
    newer.close()


def test_an_update_says_why_it_reads_all_of_an_older_index(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nalpha\n")
    with headnote.Index.open(tmp_path, embedder="none") as index:
        index.update(workers=1)
    made_by_an_older_headnote(tmp_path / FOLDER / FILE)
    with headnote.Index.open(tmp_path, embedder="none") as index:
        assert index.update(workers=1).rebuilt == "another version of headnote made it"
        assert [hit.path for hit in index.search("alpha")] == ["a.md"]
        assert index.update(workers=1).rebuilt == ""


def test_a_newer_file_is_refused_untouched(file: Path, tmp_path: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.pragma("user_version", 999)
    connection.close()
    before = file.read_bytes()
    with pytest.raises(NewerIndex, match="999") as failure:
        SqliteStore.open(tmp_path)
    assert isinstance(failure.value, IndexFailure)
    assert file.read_bytes() == before


# -- damage


@pytest.mark.parametrize("content", [b"not a database at all, by no means" * 40, b"SQLite format 3\0" + b"\xff" * 500])
def test_a_file_that_is_no_database_is_refused(file: Path, tmp_path: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(CorruptIndex, match=r"headnote doctor --repair"):
        SqliteStore.open(tmp_path)
    assert file.read_bytes() == content


def test_the_database_of_a_stranger_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    file = tmp_path / FOLDER / FILE
    connection = apsw.Connection(str(file))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(CorruptIndex, match="not a headnote index"):
        SqliteStore.open(tmp_path)
    assert file.read_bytes() == before


def read_all(root: Path) -> None:
    store = SqliteStore.open(root)
    try:
        with store.reading() as reader:
            for path in reader.document_paths():
                reader.document(path)
                reader.chunks_of(path)
            reader.keyword(["beta"], 10)
        assert store.check() == []
    finally:
        store.close()


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9])
def test_a_file_cut_short_is_reported(file: Path, tmp_path: Path, cut: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * cut)])
    with pytest.raises((CorruptIndex, AssertionError)):
        read_all(tmp_path)


def test_noise_in_the_file_is_reported(file: Path, tmp_path: Path) -> None:
    content = bytearray(file.read_bytes())
    content[4096:] = bytes(byte ^ 0x5A for byte in content[4096:])
    file.write_bytes(content)
    with pytest.raises(CorruptIndex, match="damaged"):
        read_all(tmp_path)


def test_an_empty_file_is_a_new_index(file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"")
    store = SqliteStore.open(tmp_path)
    assert paths(store) == []
    store.close()


def test_a_file_that_was_replaced_is_noticed(file: Path, tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    assert search_paths(store, "alpha") == ["a.md"]
    for path in file.parent.glob(f"{FILE}*"):
        path.unlink()
    other = SqliteStore.open(tmp_path)
    put(other, entry("c.md", "gamma"))
    assert paths(store) == ["c.md"]
    for one in (store, other):
        one.close()


def test_a_stranger_who_locks_the_file_is_reported(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.store.sqlite.connections._BUSY_SECONDS", 0.05)
    store = SqliteStore.open(tmp_path)
    stranger = apsw.Connection(str(file))
    stranger.execute("BEGIN IMMEDIATE")
    with pytest.raises(LockedIndex, match="another program"):
        put(store, entry("c.md", "gamma"))
    assert paths(store) == ["a.md", "b.md"]
    stranger.execute("ROLLBACK")
    stranger.close()
    put(store, entry("c.md", "gamma"))
    store.close()


# -- where nothing can be written

CHILD = """
import os, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from store_samples import entry, search_paths, paths, put
from headnote.errors import HeadnoteError
from headnote.store.sqlite.store import SqliteStore
import apsw, numpy
put(SqliteStore.open({scratch!r}), entry("a.md", "so that all that is loaded late is loaded"))
root = {root!r}
"""


def in_child(root: Path, code: str) -> subprocess.CompletedProcess[str]:
    with TemporaryDirectory() as scratch:
        setup = CHILD.format(tests=str(Path(__file__).parent), root=str(root), scratch=scratch)
        return subprocess.run([sys.executable, "-c", setup + code], capture_output=True, text=True)


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    with reachable_folder() as folder:
        yield folder


READ_ONLY = """
store = SqliteStore.open(root)
print(search_paths(store, "alpha"), paths(store), store.check())
try:
    put(store, entry("c.md", "gamma"))
except HeadnoteError as error:
    print(type(error).__name__, error)
"""


def test_a_read_only_folder_can_be_searched_and_says_why_it_cannot_be_written(elsewhere: Path) -> None:
    store = SqliteStore.open(elsewhere)
    put(store, entry("a.md", "alpha"))
    store.close()
    set_modes(elsewhere, 0o555, 0o444)
    result = in_child(elsewhere, DROP_ROOT + READ_ONLY)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("['a.md'] ['a.md'] []\nUnwritableIndex"), result.stdout
    assert "ermission" in result.stdout


def test_no_index_can_be_made_in_a_read_only_folder(elsewhere: Path) -> None:
    set_modes(elsewhere, 0o555, 0o444)
    result = in_child(elsewhere, DROP_ROOT + "SqliteStore.open(root)\n")
    assert "UnwritableIndex" in result.stderr, result.stderr
    assert "check the permissions" in result.stderr


FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore.open(root)
size = (Path(root) / ".headnote" / "index.db").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, resource.RLIM_INFINITY))
big = [entry(f"{n}.md", f"# {n}\\n\\n" + f"many words {n}\\n\\n" * 400) for n in range(60)]
try:
    put(store, *big)
except HeadnoteError as error:
    print(type(error).__name__, error)
try:
    with store.writing() as writer:
        try:
            writer.put(big)
        except Exception:
            writer.touch("a.md", 7, 7)
except HeadnoteError as error:
    print(type(error).__name__, error)
print(paths(store), store.generation())
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
put(store, entry("c.md", "gamma"))
print(search_paths(store, "gamma"), store.check())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
@pytest.mark.usefixtures("file")
def test_a_full_disk_is_reported_and_loses_nothing(tmp_path: Path) -> None:
    result = in_child(tmp_path, FULL)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("UnwritableIndex"), result.stdout
    assert lines[1].startswith("UnwritableIndex"), result.stdout
    assert lines[-2:] == ["['a.md', 'b.md'] 1", "['c.md'] []"], result.stdout


@pytest.mark.usefixtures("file")
def test_a_full_database_is_reported(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)

    def fill() -> None:
        with store.writing() as writer:
            writer.db.pragma("max_page_count", writer.db.pragma("page_count") + 5)
            writer.put([entry("c.md", "# C\n\n" + "gamma words\n\n" * 9000)])

    with pytest.raises(UnwritableIndex, match="no space left"):
        fill()
    assert paths(store) == ["a.md", "b.md"]
    assert store.check() == []
    store.close()

"""What can go wrong around an index: a clear error or a reported skip, never a wrong or a lost index."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest
from index_states import State, fresh_state, put_file, state, write
from unprivileged import DROP_ROOT, reachable_folder, set_modes

import headnote
from headnote.errors import CorruptIndex, LockedIndex, NewerIndex
from headnote.index.entries import FileRead, FileReader, FileToRead
from headnote.index.plan import Report
from headnote.sources import tree
from headnote.sources.discover import discover
from headnote.sources.repository import Listing, SkippedFile
from headnote.store.sqlite.store import FILE, FOLDER, SqliteStore

MODEL = "hashing:16"
PAGES = {f"p{number}.md": f"# Page {number}\n\nSome text [x](p{number + 1}.md).\n" for number in range(6)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    write(folder, PAGES)
    update(folder)
    return folder


def update(root: Path, **options: Any) -> Report:
    with headnote.Index.open(root, embedder=MODEL) as index:
        report = index.update(workers=1, **options)
        assert index.check() == []
    return report


def reasons(report: Report) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in report.skipped}


def is_true(root: Path, tmp_path: Path) -> None:
    assert state(root, MODEL) == fresh_state(root, tmp_path / "fresh")


# -- files that are there no more when they are read


def delete_after_listing(monkeypatch: pytest.MonkeyPatch, *files: Path) -> None:
    really = discover

    def look(*given: Any, **options: Any) -> Listing:
        listing = really(*given, **options)
        for file in files:
            file.unlink(missing_ok=True)
        return listing

    monkeypatch.setattr(tree, "discover", look)


def test_a_file_that_vanishes_before_it_is_read_is_reported(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_file(root / "p1.md", b"# changed", 50)
    put_file(root / "new.md", b"# new", 51)
    put_file(root / "stays.md", b"# stays", 52)
    with monkeypatch.context() as patch:
        delete_after_listing(patch, root / "p1.md", root / "new.md")
        report = update(root)
    assert reasons(report) == {"p1.md": "no such file or folder", "new.md": "no such file or folder"}
    assert (report.plan.added, report.plan.changed, report.plan.removed) == (["stays.md"], [], [])
    with headnote.Index.open(root, embedder=MODEL) as index:
        assert index.read("p1.md").text == PAGES["p1.md"], "as it was known, until a look says that it is gone"
    assert update(root).plan.removed == ["p1.md"]
    is_true(root, tmp_path)


def test_a_folder_that_vanishes_while_it_is_read_takes_nothing_with_it(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a drive does that is pulled out: nothing is gone because it cannot be seen for a moment."""
    before = state(root, MODEL)
    with monkeypatch.context() as patch:
        delete_after_listing(patch, *(root / name for name in PAGES))
        report = update(root, rebuild=True)
    assert report.plan.removed == []
    assert set(reasons(report)) == set(PAGES)
    assert state(root, MODEL) == before
    write(root, PAGES)
    assert update(root).plan.is_empty
    is_true(root, tmp_path)


def test_a_copy_that_vanishes_while_its_original_is_renamed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("a-copy.md", "b-copy.md")):
        put_file(root / name, PAGES["p1.md"].encode(), 60 + number)
    (root / "p1.md").unlink()
    really = FileReader.__call__

    def read(self: FileReader, files: Sequence[FileToRead]) -> list[FileRead]:
        results = really(self, files)
        if any(path == "b-copy.md" for path, _ in files):
            (root / "b-copy.md").unlink(missing_ok=True)
        return results

    with monkeypatch.context() as patch:
        patch.setattr(FileReader, "__call__", read)
        report = update(root)
    assert (report.plan.renamed, report.plan.added) == ([("p1.md", "a-copy.md")], [])
    assert set(reasons(report)) == {"b-copy.md"}
    is_true(root, tmp_path)


def test_what_another_writer_has_seen_is_not_gone(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look may be old by the time a writer's turn comes: a file that came in between is no file that is gone."""
    really = discover
    looks: list[Listing] = []

    def look(*given: Any, **options: Any) -> Listing:
        listing = really(*given, **options)
        looks.append(listing)
        if len(looks) == 1:
            put_file(root / "between.md", b"# Between", 70)
            update(root)
        return listing

    put_file(root / "p0.md", b"# Something to write", 71)
    with monkeypatch.context() as patch:
        patch.setattr(tree, "discover", look)
        report = update(root)
    assert report.plan.removed == []
    is_true(root, tmp_path)


def test_a_file_too_large_is_reported_and_gone(root: Path) -> None:
    put_file(root / "p1.md", b"large " * 1000, 80)
    with headnote.Index.open(root, embedder=MODEL, max_file_bytes=1000) as index:
        report = index.update(workers=1)
        assert report.plan.removed == ["p1.md"]
        assert "too large" in reasons(report)["p1.md"]
        assert index.documents() == sorted(set(PAGES) - {"p1.md"})


def test_a_busy_index_says_so_and_is_left_alone(root: Path) -> None:
    put_file(root / "p1.md", b"# changed", 90)
    store = SqliteStore.open(root)
    with store.writing(), pytest.raises(LockedIndex, match="being updated by process"):
        update(root, wait=0.05)
    store.close()
    assert update(root).plan.changed == ["p1.md"]


# -- permissions and disks


CHILD = """
import os, sys
import headnote, numpy, apsw
from headnote.errors import HeadnoteError
from pathlib import Path
root = Path({root!r})
Path({scratch!r}, "a.md").write_text("so that all that is loaded late is loaded")
def update(folder, **options):
    with headnote.Index.open(folder, embedder="hashing:16") as index:
        try:
            report = index.update(workers=1, **options)
            print(*(f"{{skipped.path}}: {{skipped.reason}}" for skipped in report.skipped), sep=", ")
        except HeadnoteError as error:
            print(type(error).__name__, error)
        print(index.check(), len(index.documents()))
update({scratch!r})
"""


def in_child(root: Path, code: str) -> list[str]:
    """What a process prints that has updated something else before."""
    with TemporaryDirectory() as scratch:
        setup = CHILD.format(root=str(root), scratch=scratch)
        result = subprocess.run([sys.executable, "-c", setup + code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()[2:]


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder that other users can reach, with an index."""
    with reachable_folder() as root:
        write(root, {**PAGES, "sub/deep.md": "# Deep"})
        update(root)
        set_modes(root, 0o777, 0o666)
        yield root


def test_a_read_only_folder_that_is_up_to_date_is_fine(elsewhere: Path) -> None:
    set_modes(elsewhere, 0o555, 0o444)
    assert in_child(elsewhere, DROP_ROOT + "update(root)") == ["", "[] 7"]


def test_a_read_only_folder_that_is_not_says_why(elsewhere: Path) -> None:
    put_file(elsewhere / "p1.md", b"# changed", 100)
    set_modes(elsewhere, 0o555, 0o444)
    lines = in_child(elsewhere, DROP_ROOT + "update(root)")
    assert lines[0].startswith("UnwritableIndex"), lines
    assert lines[1] == "[] 7"


def test_files_and_folders_without_permission_are_reported_and_kept(elsewhere: Path, tmp_path: Path) -> None:
    before = state(elsewhere, MODEL)
    put_file(elsewhere / "p1.md", b"# changed", 100)
    (elsewhere / "p1.md").chmod(0)
    (elsewhere / "sub").chmod(0)
    lines = in_child(elsewhere, DROP_ROOT + "update(root)")
    assert sorted(lines[0].split(", ")) == [
        "p1.md: cannot be read: permission denied",
        "sub: cannot be read: permission denied",
    ]
    assert lines[1] == "[] 7"
    (elsewhere / "sub").chmod(0o777)
    assert state(elsewhere, MODEL) == before
    (elsewhere / "p1.md").chmod(0o666)
    assert update(elsewhere).plan.changed == ["p1.md"]
    is_true(elsewhere, tmp_path)


def test_a_file_without_permission_is_left_out_and_not_new(elsewhere: Path) -> None:
    put_file(elsewhere / "closed.md", b"# closed", 100)
    (elsewhere / "closed.md").chmod(0)
    asked = "index = headnote.Index.open(root); index.update(); drift = index.drift(); print(); print()\n"
    asked += "print(drift.new, [tuple(one)[:2] for one in drift.left_out], [one.path for one in index.left_out()])"
    expected = "[] [('closed.md', 'cannot be read: permission denied')] ['closed.md']"
    assert in_child(elsewhere, DROP_ROOT + asked)[-1] == expected


def test_files_that_cannot_even_be_looked_at_are_kept(elsewhere: Path) -> None:
    """Their names can be listed and nothing else."""
    (elsewhere / "sub").chmod(0o444)
    assert in_child(elsewhere, DROP_ROOT + "update(root)") == ["sub/deep.md: cannot be read: permission denied", "[] 7"]


ONE_TRANSACTION = "from headnote.index import applying; applying.FEW = 1_000\n"
EVERY_DOCUMENT = "from headnote.index import applying; applying.FEW = applying.FIRST = applying.MAX_SECONDS = 0\n"
FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (260_000, resource.RLIM_INFINITY))
update(root)
with headnote.Index.open(root, embedder="hashing:16", read_only=True) as index:
    print(index.files_read)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
update(root)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize("batches", [ONE_TRANSACTION, EVERY_DOCUMENT], ids=["one transaction", "every document"])
def test_a_full_disk_is_reported_and_the_next_update_completes_it(
    batches: str, with_index: bool, root: Path, tmp_path: Path
) -> None:
    if not with_index:
        shutil.rmtree(root / FOLDER)
    write(root, {f"big{number}.md": f"# Big {number}\n\n" + f"many words {number}\n\n" * 400 for number in range(60)})
    lines = in_child(root, batches + FULL)
    assert lines[0].startswith("UnwritableIndex"), lines
    known = len(PAGES) if with_index else 0
    if batches == ONE_TRANSACTION:
        assert lines[1] == f"[] {known}", "nothing is half there"
    else:
        complaints, documents = lines[1].split()
        assert complaints == "[]"
        assert known < int(documents) < 66, "what was committed stays"
    assert lines[2] == ("None" if batches == ONE_TRANSACTION or with_index else f"{documents} of 66 files read")
    assert lines[3:] == ["", "[] 66"]
    is_true(root, tmp_path)


# -- the file of the index


def index_files(root: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (root / FOLDER).iterdir()}


@pytest.mark.parametrize("damage", ["garbage", "cut", "other"])
def test_a_damaged_index_is_refused_and_left_as_it_is(damage: str, root: Path, tmp_path: Path) -> None:
    file = root / FOLDER / FILE
    if damage == "garbage":
        file.write_bytes(b"\xff" * 10_000)
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:5000])
    else:
        file.unlink()
        connection = apsw.Connection(str(file))
        connection.execute("CREATE TABLE mine (x)")
        connection.close()
    before = index_files(root)[FILE]
    with pytest.raises(CorruptIndex) as raised:
        update(root)
    assert raised.value.path == str(file)
    assert raised.value.remedy
    assert index_files(root)[FILE] == before
    shutil.rmtree(root / FOLDER)  # as the remedy says: everything in it can be rebuilt
    update(root)
    is_true(root, tmp_path)


def test_an_index_of_a_newer_version_is_left_alone(root: Path) -> None:
    connection = apsw.Connection(str(root / FOLDER / FILE))
    connection.pragma("user_version", 999)
    connection.close()
    before = index_files(root)[FILE]
    with pytest.raises(NewerIndex, match="format 999"):
        update(root)
    assert index_files(root)[FILE] == before


def test_an_older_manifest_rebuilds_without_a_manual_step(root: Path, tmp_path: Path) -> None:
    before = state(root, MODEL)
    for manifest in ({}, {"reader": "0"}, {**before.manifest, "reader": "0"}):
        store = SqliteStore.open(root)
        with store.writing() as writer:
            writer.set_manifest(manifest)
        store.close()
        report = update(root)
        assert report.rebuilt
        assert report.embedded == 0, "vectors that still fit are kept"
        assert len(report.plan.changed) == len(PAGES)
        assert state(root, MODEL) == before
    is_true(root, tmp_path)


def test_a_repaired_index_is_completed_by_the_next_update(root: Path, tmp_path: Path) -> None:
    connection = apsw.Connection(str(root / FOLDER / FILE))
    connection.execute("UPDATE texts SET text = x'00' WHERE document = 1")
    connection.close()
    with headnote.Index.open(root, embedder=MODEL) as index:
        assert index.check() != []
        assert index.repair()
        assert index.check() == []
    update(root)
    is_true(root, tmp_path)


def test_skipped_files_are_reported_even_when_there_is_nothing_to_do(root: Path) -> None:
    (root / "link.md").symlink_to("/nowhere/else.md")
    for _ in range(2):
        assert update(root).skipped == [SkippedFile("link.md", "a broken symlink")]


def test_states_are_compared_field_by_field(root: Path) -> None:
    """The judge of all these tests sees what it should."""
    stored = state(root, MODEL)
    assert len(stored.documents) == len(stored.chunks) == len(stored.vectors) == len(PAGES)
    assert len(stored.links) == len(PAGES)
    assert sum(link.resolved is not None for link in stored.links) == len(PAGES) - 1
    assert stored.keywords["text"][0] == len(stored.keywords["text"][1]) == len(PAGES)
    assert isinstance(stored, State)

"""Reading a listed file: text and hash of one moment, whatever happens meanwhile."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest
from smallfolders import make, paths

from headnote.errors import MissingSource, NotAFile, NotText, SourceError, UnreadableSource
from headnote.sources import files as files_module
from headnote.sources.discover import discover
from headnote.sources.files import FileSnapshot, read_snapshot


def test_a_document_is_what_the_file_was(tmp_path: Path) -> None:
    data = "\ufeff# Über\r\n".encode()
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.md").write_bytes(data)
    status = (tmp_path / "x" / "a.md").stat()
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    expected = FileSnapshot("x/a.md", len(data), status.st_mtime_ns, digest, "\ufeff# Über\r\n", "")
    assert read_snapshot(tmp_path, "x/a.md") == expected
    assert read_snapshot(str(tmp_path), "x/a.md") == expected
    assert len(digest) == 32


def test_size_and_time_are_those_of_the_listing(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "x/-b.md", "x/c\nd.md")
    for file in discover(tmp_path).files:
        snapshot = read_snapshot(tmp_path, file.path)
        assert (snapshot.path, snapshot.size, snapshot.mtime_ns) == file[:3]


def test_old_encodings_are_read_with_a_warning_or_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("# A\n\ncafé\n".encode("latin-1"))
    snapshot = read_snapshot(tmp_path, "a.md")
    assert snapshot.text == "# A\n\ncafé\n"
    assert snapshot.warning == "1 byte that is not UTF-8 read as cp1252, first in line 3"
    with pytest.raises(NotText, match=r"^a\.md:3: not valid UTF-8"):
        read_snapshot(tmp_path, "a.md", fallback=None)


def test_binary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(bytes(range(256)))
    with pytest.raises(NotText, match="binary"):
        read_snapshot(tmp_path, "a.md")


def test_a_file_that_is_gone_since_the_listing_is_missing(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "x/b.md")
    listed = paths(discover(tmp_path))
    (tmp_path / "a.md").unlink()
    (tmp_path / "x" / "b.md").unlink()
    (tmp_path / "x").rmdir()
    for path in [*listed, "a\0.md"]:
        with pytest.raises(MissingSource, match="no such file or folder") as caught:
            read_snapshot(tmp_path, path)
        assert caught.value.path == path


def test_a_forbidden_file_is_unreadable(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (tmp_path / "a.md").chmod(0)
    if os.access(tmp_path / "a.md", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(UnreadableSource, match=r"^a\.md: cannot be read: permission denied"):
        read_snapshot(tmp_path, "a.md")


def test_a_file_that_the_system_refuses_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As above, for those who may read everything."""
    make(tmp_path, "a.md")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UnreadableSource, match=r"^a\.md: cannot be read: permission denied"):
        read_snapshot(tmp_path, "a.md")


@pytest.mark.parametrize("path", ["../outside.md", "x/../../outside.md", "link.md", "linked/outside.md", "..", "."])
def test_nothing_outside_the_root_is_read(path: str, tmp_path: Path) -> None:
    make(tmp_path, "outside.md", "root/x/a.md")
    (tmp_path / "root" / "link.md").symlink_to("../outside.md")
    (tmp_path / "root" / "linked").symlink_to("..")
    with pytest.raises(SourceError, match="leads out of the folder"):
        read_snapshot(tmp_path / "root", path)
    with pytest.raises(SourceError, match="leads out of the folder"):
        read_snapshot(tmp_path / "root", str(tmp_path / "outside.md"))


def test_a_folder_that_becomes_a_link_is_noticed(tmp_path: Path) -> None:
    make(tmp_path, "outside/a.md", "root/x/a.md")
    root = tmp_path / "root"
    assert read_snapshot(root, "x/a.md").text == "text\n"
    (root / "x" / "a.md").unlink()
    (root / "x").rmdir()
    (root / "x").symlink_to("../outside")
    with pytest.raises(UnreadableSource, match="leads out of the folder"):
        read_snapshot(root, "x/a.md")


def test_links_inside_the_root_are_read(tmp_path: Path) -> None:
    make(tmp_path, ".store/a.md")
    (tmp_path / "b.md").symlink_to(".store/a.md")
    (tmp_path / "store").symlink_to(".store")
    assert read_snapshot(tmp_path, "b.md").text == read_snapshot(tmp_path, "store/a.md").text == "text\n"


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(SourceError):
        read_snapshot(tmp_path, "folder.md")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.md")
        with pytest.raises(NotAFile, match=r"pipe\.md: not a file"):
            read_snapshot(tmp_path, "pipe.md")


def change_while_reading(monkeypatch: pytest.MonkeyPatch, *changes: object) -> None:
    """Runs the next of the changes each time a file has been read."""
    waiting = list(changes)
    read_once = files_module._read_once

    def read_and_change(file: str, path: str) -> tuple[bytes, os.stat_result]:
        result = read_once(file, path)
        if waiting:
            change = waiting.pop(0)
            assert callable(change)
            change()
        return result

    monkeypatch.setattr(files_module, "_read_once", read_and_change)


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", text="one")
    file = tmp_path / "a.md"
    change_while_reading(monkeypatch, lambda: file.write_text("three"), lambda: file.write_text("seven"))
    snapshot = read_snapshot(tmp_path, "a.md")
    assert snapshot.text == "seven"
    assert snapshot.mtime_ns == file.stat().st_mtime_ns


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.md", "b.md", text="one")
    (tmp_path / "b.md").write_text("two")
    status = (tmp_path / "a.md").stat()
    os.utime(tmp_path / "b.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    change_while_reading(monkeypatch, lambda: (tmp_path / "b.md").replace(tmp_path / "a.md"))
    assert read_snapshot(tmp_path, "a.md").text == "two"


def test_a_file_that_vanishes_while_it_is_read_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md")
    change_while_reading(monkeypatch, (tmp_path / "a.md").unlink)
    with pytest.raises(MissingSource):
        read_snapshot(tmp_path, "a.md")


def test_a_file_that_never_rests_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md")
    monkeypatch.setattr(files_module, "FIRST_PAUSE", 0)
    grow = [lambda length=length: (tmp_path / "a.md").write_text("x" * length) for length in range(10, 20)]
    change_while_reading(monkeypatch, *grow)
    with pytest.raises(UnreadableSource, match="keeps changing"):
        read_snapshot(tmp_path, "a.md")


def test_the_same_size_and_time_mean_the_same_text(tmp_path: Path) -> None:
    """An edit right after reading gets another time, however coarse the clock: reading waits for its next tick."""
    file = tmp_path / "a.md"
    for _ in range(20):
        file.write_text("one")
        snapshot = read_snapshot(tmp_path, "a.md")
        file.write_text("two")
        assert file.stat().st_mtime_ns != snapshot.mtime_ns


def test_a_time_in_the_future_is_not_waited_for(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    later = time.time() + 3600
    os.utime(tmp_path / "a.md", (later, later))
    start = time.monotonic()
    read_snapshot(tmp_path, "a.md")
    assert time.monotonic() - start < 60

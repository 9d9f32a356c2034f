"""Changes as they happen, with real events. Every wait ends as soon as what is waited for is there."""

from __future__ import annotations

import os
import queue
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from smallfolders import make, paths

from headnote.errors import MissingExtra, MissingSource
from headnote.sources import watch as watching
from headnote.sources.discover import discover
from headnote.sources.tree import Tree
from headnote.sources.watch import watch

PATIENCE = 60.0
"""Seconds until a test gives up: far more than ever needed, so that a busy machine is no failure."""


class Watcher:
    """A watch in a thread of its own, and what it has reported so far."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.root = root
        self.ended: BaseException | None = None
        self._stop = threading.Event()
        self._reported: queue.Queue[set[str]] = queue.Queue()
        self._expected: set[str] = set()
        since = settings.pop("since", None) or discover(root)
        tree = Tree.of_folder(root, exclude=settings.pop("exclude", ()))
        self._changes = watch(tree, stop=self._stop, since=since, debounce_ms=50, **settings)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for changed in self._changes:
                self._reported.put(changed)
        except BaseException as error:  # noqa: BLE001 - the test asks for it
            self.ended = error

    def expect(self, *expected: str) -> None:
        """Waits until all of these have been reported, and nothing that was never expected.

        One change may be reported twice, when its events come in two batches: what was expected before may come again.
        """
        waiting = set(expected)
        self._expected |= waiting
        end = time.monotonic() + PATIENCE
        while waiting:
            try:
                reported = self._reported.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"waited for {sorted(waiting)}, ended by {self.ended!r}")
            assert reported <= self._expected
            waiting -= reported

    def allow(self, *paths: str) -> None:
        """These may be reported, or not."""
        self._expected |= set(paths)

    def expect_nothing_else(self) -> None:
        """Whatever is still unreported when a change made now arrives will never be reported."""
        marker = f"marker-{time.monotonic_ns()}.md"
        make(self.root, marker)
        self.expect(marker)

    def told_to_the_end(self) -> list[set[str]]:
        self._thread.join(PATIENCE)
        return [reported for reported in self._reported.queue if not reported <= self._expected]

    def close(self) -> None:
        self._stop.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()


Start = Callable[..., Watcher]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[Watcher] = []

    def begin(root: Path = tmp_path, **settings: Any) -> Watcher:
        running.append(Watcher(root, **settings))
        running[-1].expect_nothing_else()  # now the watches stand
        return running[-1]

    yield begin
    for watcher in running:
        watcher.close()


def test_files_that_come_change_and_go(tmp_path: Path, start: Start) -> None:
    make(tmp_path, "a.md", "x/b.md")
    watcher = start()
    make(tmp_path, "x/new.md")
    watcher.expect("x/new.md")
    make(tmp_path, "a.md", text="longer than before\n")
    watcher.expect("a.md")
    (tmp_path / "x" / "b.md").unlink()
    watcher.expect("x/b.md")


def test_only_what_would_be_read_is_told(tmp_path: Path, start: Start) -> None:
    make(tmp_path, "a.md", "node_modules/b.md", "drafts/c.md")
    make(tmp_path, ".gitignore", text="drafts/\n*.tmp.md\n")
    watcher = start(exclude=["old"], max_bytes=100)
    make(
        tmp_path, "a.py", "node_modules/b.md", "drafts/d.md", "x.tmp.md", ".headnote/index.md", "old/e.md", text="new\n"
    )
    make(tmp_path, "large.md", text="x" * 101)
    watcher.expect_nothing_else()


def test_what_changed_since_the_listing_comes_first(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "b.md", "c.md", "gone/d.md")
    since = discover(tmp_path)
    make(tmp_path, "a.md", text="other text\n")
    (tmp_path / "b.md").unlink()
    shutil.rmtree(tmp_path / "gone")
    make(tmp_path, "new/folder/e.md")
    watcher = Watcher(tmp_path, since=since)
    try:
        watcher.expect("a.md", "b.md", "gone/d.md", "new/folder/e.md")
    finally:
        watcher.close()


def test_a_rename_is_one_that_goes_and_one_that_comes(tmp_path: Path, start: Start) -> None:
    make(tmp_path, "a.md", "x/b.md")
    watcher = start()
    (tmp_path / "a.md").rename(tmp_path / "x" / "z.md")
    watcher.expect("a.md", "x/z.md")
    (tmp_path / "x" / "b.md").rename(tmp_path / "x" / "b.py")
    watcher.expect("x/b.md")


def test_whole_folders_come_move_and_go(tmp_path: Path, start: Start) -> None:
    make(tmp_path, "root/a.md", "outside/x/b.md", "outside/x/y/c.md")
    root = tmp_path / "root"
    watcher = start(root)
    (tmp_path / "outside" / "x").rename(root / "x")
    watcher.expect("x/b.md", "x/y/c.md")
    make(root, "x/y/d.md")
    watcher.expect("x/y/d.md")
    (root / "x").rename(root / "z")
    watcher.expect("x/b.md", "x/y/c.md", "x/y/d.md", "z/b.md", "z/y/c.md", "z/y/d.md")
    make(root, "z/y/d.md", text="changed where it is now\n")
    watcher.expect("z/y/d.md")
    shutil.rmtree(root / "z")
    watcher.expect("z/b.md", "z/y/c.md", "z/y/d.md")
    watcher.expect_nothing_else()


def test_a_folder_that_is_replaced_is_watched_again(tmp_path: Path, start: Start) -> None:
    make(tmp_path, "x/a.md", "new/a.md", "new/b.md")
    watcher = start()
    shutil.rmtree(tmp_path / "x")
    (tmp_path / "new").rename(tmp_path / "x")
    watcher.allow("x/a.md")  # it looks as before, or not: the two were written at almost the same time
    watcher.expect("x/b.md", "new/a.md", "new/b.md")
    watcher.expect_nothing_else()
    make(tmp_path, "x/b.md", text="written after the exchange\n")
    watcher.expect("x/b.md")


def save_by_rename(file: Path, text: str) -> None:
    temporary = file.with_name(f".{file.name}.swp")
    temporary.write_text(text)
    temporary.replace(file)


def save_with_backup(file: Path, text: str) -> None:
    file.rename(f"{file}~")
    file.write_text(text)
    Path(f"{file}~").unlink()


def save_by_deleting(file: Path, text: str) -> None:
    file.unlink()
    file.write_text(text)


def save_in_pieces(file: Path, text: str) -> None:
    with file.open("w") as opened:
        for character in text:
            opened.write(character)
            opened.flush()


@pytest.mark.parametrize("save", [save_by_rename, save_with_backup, save_by_deleting, save_in_pieces])
def test_however_editors_save(save: Callable[[Path, str], None], tmp_path: Path, start: Start) -> None:
    make(tmp_path, "a.md", "b.md")
    watcher = start()
    save(tmp_path / "a.md", "saved text\n")
    watcher.expect("a.md")
    watcher.expect_nothing_else()


def test_a_file_that_is_away_for_a_moment_is_told_as_changed(tmp_path: Path) -> None:
    """The first look after the event finds it gone, the second finds it back."""
    make(tmp_path, "a.md")
    before = discover(tmp_path)
    looks = iter([discover(tmp_path, exclude=["a.md"]), before])
    timing = watching._Timing(1, 1.0)
    now = watching._look_at_rest(lambda: next(looks), before, timing, threading.Event())
    assert paths(now) == ["a.md"]


def test_a_burst_is_told_in_few_sets_and_whole(tmp_path: Path, start: Start) -> None:
    watcher = start()
    names = [f"f{number % 7}/{number}.md" for number in range(700)]
    make(tmp_path, *names)
    watcher.expect(*names)
    watcher.expect_nothing_else()


def test_a_change_of_rules_tells_what_comes_and_goes(tmp_path: Path, start: Start) -> None:
    make(tmp_path, ".git/info/exclude", "docs/a.md", "docs/b.md", "docs/x/c.md", "docs/build/d.md", "docs/Makefile")
    docs = tmp_path / "docs"
    watcher = start(docs)
    make(docs, ".gitignore", text="a.md\n/x/\n")
    watcher.expect("a.md", "x/c.md")
    make(docs, ".headnoteignore", text="!a.md\n!build/\n")
    watcher.expect("a.md", "build/d.md")
    (docs / ".gitignore").unlink()
    watcher.expect("x/c.md")
    make(tmp_path, ".gitignore", text="/docs/b.md\n")
    watcher.expect("b.md")
    make(tmp_path, ".git/info/exclude", text="c.md\n")
    watcher.expect("x/c.md")
    make(docs, "x/c.md", "build/d.md", text="c is ignored now, d is not\n")
    watcher.expect("build/d.md")
    watcher.expect_nothing_else()


def test_strange_names_do_not_end_it(tmp_path: Path, start: Start) -> None:
    watcher = start()
    make(tmp_path, "-a\nb.md")
    watcher.expect("-a\nb.md")
    try:
        make(tmp_path, os.fsdecode(b"\xff.md"), os.fsdecode(b"\xfe/a.md"))
    except OSError:
        pytest.skip("this file system takes Unicode only")
    watcher.expect_nothing_else()
    make(tmp_path, os.fsdecode(b"\xff.md"), "c.md", text="again\n")
    watcher.expect("c.md")


def test_without_events_it_looks_from_time_to_time(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.md")
    monkeypatch.setattr(watching, "_signal", lambda *_: None)
    watcher = start(rescan_s=0.1)
    make(tmp_path, "a.md", text="no event for this\n")
    watcher.expect("a.md")


def test_where_the_system_has_no_watches_left_it_looks_from_time_to_time(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> Iterator[object]:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", refuse)
    monkeypatch.setattr(watching, "POLL_S", 0.05)
    watcher = start()
    make(tmp_path, "a.md")
    watcher.expect("a.md")


def test_a_root_that_is_gone_ends_it_and_loses_no_file(tmp_path: Path, start: Start) -> None:
    root = tmp_path / "root"
    make(root, "a.md", "x/b.md")
    watcher = start(root, rescan_s=1.0)
    root.rename(tmp_path / "elsewhere")
    assert watcher.told_to_the_end() == []
    assert isinstance(watcher.ended, MissingSource)


def test_a_root_that_never_was_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingSource):
        next(watch(tmp_path / "nowhere", stop=threading.Event()))


def test_it_stops_at_once_when_asked_before(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    assert list(watch(tmp_path, stop=stop)) == []


def test_without_the_package_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(MissingExtra, match=r'pip install "headnote-md\[search\]"'):
        watch(tmp_path, stop=threading.Event())

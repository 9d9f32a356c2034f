"""One writer, many readers, and a death at any moment. Every store passes these."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from store_samples import entry, paths, put, search_paths

from headnote.errors import LockedIndex
from headnote.store.interface import Store

if TYPE_CHECKING:  # pytest loads it as a plugin, and wants to be the first
    from store_fixtures import OpenStore

pytest_plugins = ("store_fixtures",)


def test_a_reader_keeps_its_view_while_others_write(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    put(store, entry("a.md", "alpha"))
    with other.reading() as reader:
        assert reader.document_paths() == ["a.md"]
        with store.writing() as writer:
            writer.put([entry("b.md", "beta")])
            assert writer.document_paths() == ["a.md", "b.md"]
            assert paths(other) == ["a.md"], "what is not committed is not seen"
        assert reader.document_paths() == ["a.md"], "one view, one generation"
        assert reader.generation() == 1
        assert other.generation() == 2
    assert paths(other) == ["a.md", "b.md"]
    assert search_paths(other, "beta") == ["b.md"]


def test_a_second_writer_waits(open_store: OpenStore) -> None:
    first, second = open_store(), open_store()
    done = threading.Event()

    def write_later() -> None:
        with second.writing(wait=30) as writer:
            assert done.is_set()
            writer.put([entry("b.md", "beta")])

    with first.writing() as writer:
        thread = threading.Thread(target=write_later)
        thread.start()
        writer.put([entry("a.md", "alpha")])
        time.sleep(0.2)
        done.set()
    thread.join()
    assert paths(first) == ["a.md", "b.md"]
    assert first.generation() == 2


def test_a_second_writer_is_told_who_is_at_work(open_store: OpenStore) -> None:
    first, second = open_store(), open_store()
    with (
        first.writing(),
        pytest.raises(LockedIndex, match=rf"process {os.getpid()} on .* since 20"),
        second.writing(0.1),
    ):
        pass
    with second.writing(0.1) as writer:
        writer.put([entry("a.md", "alpha")])


def test_what_is_committed_on_the_way_is_seen_and_stays(open_store: OpenStore) -> None:
    store, other = open_store(), open_store()
    with contextlib.suppress(RuntimeError), store.writing() as writer:
        writer.put([entry("a.md", "alpha")])
        assert paths(other) == []
        writer.commit()
        assert (writer.generation(), other.generation()) == (1, 1)
        assert search_paths(other, "alpha") == ["a.md"]
        writer.put([entry("b.md", "beta")])
        writer.set_manifest({"key": "value"})
        assert paths(other) == ["a.md"], "the rest is not"
        raise RuntimeError
    assert paths(store) == ["a.md"]
    with store.reading() as reader:
        assert reader.manifest() == {}
    assert store.generation() == 1
    assert store.check() == []


def test_nobody_writes_between_two_commits(open_store: OpenStore) -> None:
    first, second = open_store(), open_store()
    with first.writing() as writer:
        for turn in range(3):
            writer.put([entry(f"{turn}.md", f"text {turn}")])
            writer.commit()
            with pytest.raises(LockedIndex, match=rf"process {os.getpid()} on .* since 20"), second.writing(0.1):
                pass
    put(second, entry("b.md", "beta"))
    assert paths(first) == ["0.md", "1.md", "2.md", "b.md"]


def test_a_commit_without_a_change_raises_no_generation(store: Store) -> None:
    put(store, entry("a.md", "alpha"))
    with store.writing() as writer:
        writer.commit()
        writer.commit()
    assert store.generation() == 1


def test_the_same_store_is_written_by_one_thread_at_a_time(store: Store) -> None:
    def write(number: int) -> None:
        for turn in range(5):
            put(store, entry(f"{number}-{turn}.md", f"text {number} {turn}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(paths(store)) == 20
    assert store.generation() == 20
    assert store.check() == []


def test_readers_never_fail_while_a_writer_is_at_work(open_store: OpenStore) -> None:
    """Every update replaces all pages by those of its own number: a reader must never see two numbers."""
    store, other = open_store(), open_store()
    stop = threading.Event()
    seen: list[set[str]] = []

    def read() -> None:
        while not stop.is_set():
            with other.reading() as reader:
                hits = reader.keyword(["turn"], 50)
                seen.append({chunk.text for chunk in reader.chunks([hit.chunk for hit in hits])})

    readers = [threading.Thread(target=read) for _ in range(4)]
    for thread in readers:
        thread.start()
    for turn in range(20):
        put(store, *(entry(f"{number}.md", f"turn {turn}") for number in range(8)))
    stop.set()
    for thread in readers:
        thread.join()
    assert max(map(len, seen)) == 1
    assert len(seen) > 4
    assert search_paths(other, "turn 19")


WORKER = """
import sys
sys.path.insert(0, {tests!r})
from store_samples import entry
from pathlib import Path
from headnote.store.opening import open_store
import numpy
store = open_store(Path({root!r}), {target!r})
number = store.generation()
while True:
    with store.writing() as writer:
        writer.put(entry(f"{{page}}.md", f"# Turn {{number}}\\n\\n" + f"word {{page}} {{number}}\\n\\n" * 40)
            for page in range(number % 5, 30))
        writer.remove([f"{{number % 7}}.md"])
        pending = writer.pending("m", 10)
        writer.add_vectors("m", [text.hash for text in pending], numpy.ones((len(pending), 16)))
        writer.sweep()
        writer.set_manifest({{"turn": str(number)}})
    number += 1
    print(number, flush=True)
"""


def killed_writers(root: Path, target: str, rounds: int) -> Iterator[int]:
    """Starts a writer, kills it at some moment, and says which generation it had reported last."""
    random = Random(7)
    code = WORKER.format(tests=str(Path(__file__).parent), root=str(root), target=target)
    for _ in range(rounds):
        worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert worker.stdout is not None
        reported = worker.stdout.readline()
        assert reported, "the writer did not start"
        time.sleep(random.uniform(0, 0.4))
        worker.send_signal(signal.SIGKILL)
        rest = worker.stdout.read().split()
        worker.wait()
        worker.stdout.close()
        yield int(rest[-1] if rest else reported)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_writer_loses_nothing_that_was_committed(
    open_store: OpenStore, store_target: str, tmp_path: Path
) -> None:
    open_store().close()
    for reported in killed_writers(tmp_path, store_target, 10):
        store = open_store()
        assert store.generation() in (reported, reported + 1)
        with store.reading() as reader:
            assert reader.manifest() == {"turn": str(store.generation() - 1)}
        assert store.check() == []
        with store.writing(wait=0) as writer:
            writer.set_manifest(writer.manifest())
        store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("what", ["read", "close", "leave_reading", "leave_writing"])
def test_a_forked_child_leaves_the_connections_of_its_parent_alone(
    what: str, tmp_path: Path, store_target: str
) -> None:
    program = Path(__file__).with_name("forked_child.py")
    result = subprocess.run([sys.executable, program, tmp_path, store_target, what], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr

"""A death at any moment: nothing that was committed is lost, and the next update goes on as if nothing had been."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from queue import Empty
from random import Random

import pytest
from index_states import fresh_state, opened, state, write
from index_workers import PATIENCE, WorkerPool, page, shuffle_files

import headnote
from headnote.store.quantized import names_of

ROUNDS = {"build": 8, "update": 8, "vectors": 8, "watch": 8}
PAGES = 20
"""Enough to be read by several processes."""
MOMENT = 0.5
"""Seconds to wait for an answer before the next change."""

pytest_plugins = ("store_fixtures",)

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool()
    yield pool
    pool.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    random = Random(5)
    folder = tmp_path / "root"
    write(folder, {f"page{number}.md": page(random) for number in range(PAGES)})
    return folder


class Deaths:
    """Rounds of one kind of work on one folder."""

    def __init__(self, pool: WorkerPool, root: Path, mode: str) -> None:
        self.pool = pool
        self.root = root
        self.mode = mode
        self.random = Random(mode)

    def round(self) -> tuple[int, list[str]]:
        """Kill a worker at work; returns the last generation it knew to be committed, and all its output."""
        worker = self.pool.start(self.mode, self.root)
        output = list(self._changes_followed() if self.mode == "watch" else self._work_heard())
        time.sleep(self.random.uniform(0, 0.03))  # not to wait for anything: any moment is as good as another
        output += self.pool.kill(worker)
        committed = [int(line.split()[1]) for line in output if line.startswith("committed")]
        return (committed[-1] if committed else 0), output

    def _work_heard(self) -> Iterator[str]:
        for _ in range(self.random.randint(0, 2 * PAGES)):
            yield self.pool.hear()

    def _changes_followed(self) -> Iterator[str]:
        """Make changes until some are reported. A change without effect is not reported, so there may be more."""
        left = self.random.randint(0, 3)
        end = time.monotonic() + PATIENCE
        while left and time.monotonic() < end:
            shuffle_files(self.root, self.random)
            with suppress(Empty):
                yield self.pool.hear(MOMENT)
                left -= 1
        shuffle_files(self.root, self.random)


def survivor(root: Path, committed: int) -> None:
    """What is there after a death can be opened and says nothing wrong; what comes next completes it."""
    store = opened(root)
    assert store.generation() >= committed, "what was committed is there"
    assert store.check() == []
    store.close()
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1, wait=0)  # nobody holds the lock any more
        assert index.check() == []
        assert index.status().pending == 0
        assert index.update(workers=1).plan.is_empty


@pytest.mark.parametrize("mode", ["build", "update"])
def test_a_kill_loses_nothing_in_a_database(
    mode: str, postgres_database: str, monkeypatch: pytest.MonkeyPatch, root: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("HEADNOTE_STORE", postgres_database)
    pool = WorkerPool()  # now, since it hands on what the environment says
    deaths = Deaths(pool, root, mode)
    for _ in range(4):
        committed, _ = deaths.round()
        survivor(root, committed)
    assert state(root, "hashing:16") == fresh_state(root, tmp_path / "fresh")
    pool.close()


@pytest.mark.parametrize("mode", ["build", "update", "watch"])
def test_a_kill_loses_nothing_that_was_committed(mode: str, pool: WorkerPool, root: Path, tmp_path: Path) -> None:
    deaths = Deaths(pool, root, mode)
    for _ in range(ROUNDS[mode]):
        committed, _ = deaths.round()
        survivor(root, committed)
        assert state(root, "hashing:16") == fresh_state(root, tmp_path / "fresh")


BUILD = """
import headnote
with headnote.Index.open({root!r}, embedder="none") as index:
    while True:
        index.update(rebuild=True, workers=2, on_progress=lambda progress: print(progress.done, flush=True))
"""


def test_a_kill_leaves_no_workers_behind(root: Path) -> None:
    """They end by themselves when the one who started them is gone."""
    command = [sys.executable, "-c", BUILD.format(root=str(root))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while not (children := children_of(process.pid)):
            assert process.stdout.readline(), "it did not start"
        process.kill()
        process.wait()
        end = time.monotonic() + PATIENCE
        while any(map(is_running, children)) and time.monotonic() < end:
            time.sleep(0.01)
        left = list(filter(is_running, children))
        for child in left:
            os.kill(child, signal.SIGKILL)
    assert left == []


def children_of(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task")
    if not (tasks / str(process) / "children").exists():
        pytest.skip("this system does not tell whose child a process is")
    return [int(child) for task in tasks.iterdir() for child in _children_told_by(task)]


def _children_told_by(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []  # a thread that ended since the tasks were listed


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_kill_loses_no_vectors_that_were_committed(pool: WorkerPool, root: Path, tmp_path: Path) -> None:
    """Each batch is reported after it is committed, so all that were reported are there."""
    with headnote.Index.open(root, embedder="none") as index:
        index.update(workers=1)
    deaths = Deaths(pool, root, "vectors")
    for _ in range(ROUNDS["vectors"]):
        committed, output = deaths.round()
        store = opened(root)
        with store.reading() as reader:
            model = reader.manifest()["model"]
            chunks = [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]
            names = {name for chunk in chunks for name in names_of(chunk.title, chunk.row.heading_path)}
            missing = len({chunk.row.hash for chunk in chunks}) + len(names)
            pending = reader.pending_count(model)
            # What was said before the last commit is about another model.
            last = takewhile(lambda line: not line.startswith("committed"), reversed(output))
            done = [int(line.split()[1]) for line in last if line.startswith("embed")]
            assert pending <= missing - max(done, default=0)
        store.close()
        survivor(root, committed)
    assert state(root, "hashing:16") == fresh_state(root, tmp_path / "fresh")

"""Processes that work on an index until they are killed. Not a test: the tests run this file.

One process loads everything once and forks a worker for each line it reads, so that a worker begins at once. A line is
`mode root`, and the answer is the number of the worker; whatever else is printed comes from the worker.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from queue import Queue
from random import Random

PATIENCE = 60.0
"""Seconds until a test gives up: far more than is ever needed."""


class WorkerPool:
    """Starts workers and collects their output."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._lines: Queue[str] = Queue()
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))

    def start(self, mode: str, root: Path) -> int:
        """The number of the new worker."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{mode} {root}\n")
        self._process.stdin.flush()
        word, number = self.hear().split()
        assert word == "started", word
        return int(number)

    def hear(self, patience: float = PATIENCE) -> str:
        """The next line, or `queue.Empty`."""
        return self._lines.get(timeout=patience)

    def kill(self, worker: int) -> list[str]:
        """Kill a worker without a warning; returns the rest of its output."""
        os.kill(worker, signal.SIGKILL)
        output = []
        while (line := self.hear()) != f"ended {worker}":
            output.append(line)
        return output

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())  # one write, so that lines never mix


def main() -> None:
    import numpy  # noqa: F401  loaded before the fork
    from watchfiles import watch  # noqa: F401

    import headnote.store.sqlite.store  # noqa: F401

    for line in sys.stdin:
        mode, root = line.split()
        worker = os.fork()
        if worker == 0:
            os.setsid()
            say("started", os.getpid())
            WORK[mode](Path(root))
            os._exit(0)
        os.waitpid(worker, 0)
        with suppress(ProcessLookupError):
            os.killpg(worker, signal.SIGKILL)  # and every process it had started
        say("ended", worker)


# -- what workers do


def build(root: Path) -> None:
    """From nothing, over and over, on two cores."""
    import headnote

    with headnote.Index.open(root, embedder="hashing:16") as index:
        while True:
            index.update(rebuild=True, workers=2, on_progress=lambda progress: say(progress.stage, progress.done))
            say("committed", index.generation)


def both(root: Path) -> None:
    """The same with two models."""
    import headnote
    from headnote.embedding.embedder import HashingEmbedder
    from headnote.embedding.registry import Models

    random = Random(os.getpid())
    with headnote.Index.open(root, embedder=Models(HashingEmbedder(8), HashingEmbedder(16))) as index:
        while True:
            shuffle_files(root, random)
            index.update(workers=2, on_progress=lambda progress: say(progress.stage, progress.done))


def read(root: Path) -> None:
    """For the first time, with a commit after each document."""
    import headnote
    from headnote.index import applying

    applying.FEW, applying.FIRST, applying.MAX_SECONDS = 0, 0.0, 0.0
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(vectors=False, workers=2, on_progress=lambda _: say("stored", index.status().documents))
        while True:
            say("stored", index.status().documents)


def update(root: Path) -> None:
    """Files are changed, come and go, and the index follows."""
    import headnote

    random = Random(os.getpid())
    with headnote.Index.open(root, embedder="hashing:16") as index:
        index.update(workers=1)
        say("committed", index.generation)
        while True:
            for _ in range(4):
                shuffle_files(root, random)
            index.update(workers=1, on_progress=lambda progress: say(progress.stage, progress.done))
            say("committed", index.generation)


def shuffle_files(root: Path, random: Random) -> None:
    files = sorted(root.glob("*.md"))
    chosen = random.choice(files)
    what = random.choice(("edit", "edit", "rename", "delete", "add"))
    if what == "rename":
        chosen.rename(root / f"renamed{random.randrange(50)}.md")
    elif what == "delete" and len(files) > 10:
        chosen.unlink()
    elif what == "add":
        (root / f"added{random.randrange(50)}.md").write_text(page(random), encoding="utf-8")
    else:
        chosen.write_text(page(random), encoding="utf-8")


def vectors(root: Path) -> None:
    """Documents are there; vectors follow in small batches, again and again for another model."""
    import headnote
    from headnote.index import deep_vectors as vectors

    vectors.TEXT_BATCH = 4
    for dimensions in range(20, 2000):
        with headnote.Index.open(root, embedder=f"hashing:{dimensions}") as index:
            index.update(workers=1, on_progress=lambda progress: say(progress.stage, progress.done))
            say("committed", index.generation)


def watched(root: Path) -> None:
    """Follows a folder that others change."""
    import headnote

    with headnote.Index.open(root, embedder="hashing:16") as index:
        for _ in index.watch(threading.Event(), debounce_ms=10, workers=1):
            say("committed", index.generation)


WORK = {"read": read, "build": build, "both": both, "update": update, "vectors": vectors, "watch": watched}


def page(random: Random) -> str:
    words = "alpha beta gamma delta epsilon zeta [[added1]] [x](renamed2.md#one)".split()
    return "\n\n".join(f"# Part {n}\n\n" + " ".join(random.choice(words) for _ in range(40)) for n in range(2))


if __name__ == "__main__":
    main()

"""Two processes write and eight read: no error, and nothing stale once a commit is known.

    python tests/index/test_index_crowd.py [SECONDS]

runs the same for a minute and says how much was done.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

pytest_plugins = ("store_fixtures",)


SECONDS = 6.0
A_MINUTE = 60.0
PATIENCE = 120.0
"""Seconds until something is wrong: far more than is ever needed."""
WRITERS, READERS = 2, 8
PAGES = 6
"""Of each writer, besides one that is new in every turn."""
KEPT = 20
"""Turns after which a page is deleted: long after every process that listed it has read it."""
MODEL = "hashing:16"


class Crowd:
    """What the processes have in common."""

    def __init__(self, root: Path, seconds: float) -> None:
        context = multiprocessing.get_context("fork")
        self.root = root
        self.end = time.monotonic() + seconds
        self.committed: list[Synchronized[int]] = [context.Value("q", 0) for _ in range(WRITERS)]
        """The last turn of each writer that is known to be in the index."""
        self.begun = [context.Event() for _ in range(WRITERS)]
        self.reads = context.Value("q", 0)
        self.errors = context.Queue()
        self._context = context

    def run(self) -> dict[str, Any]:
        work = [(_write, number) for number in range(WRITERS)] + [(_read, number) for number in range(READERS)]
        processes = [self._context.Process(target=self._one, args=one) for one in work]
        for process in processes:
            process.start()
        errors = []
        for process in processes:
            process.join()
            if process.exitcode != 0:
                errors.append(f"ended with {process.exitcode}")
        while not self.errors.empty():
            errors.append(self.errors.get())
        return {"turns": [turn.value for turn in self.committed], "reads": self.reads.value, "errors": errors}

    def _one(self, work: Callable[[Crowd, int], None], number: int) -> None:
        try:
            work(self, number)
        except BaseException as error:  # noqa: BLE001  reported to the parent
            self.errors.put(f"{work.__name__} {number}: {type(error).__name__}: {error}")


def _write(crowd: Crowd, number: int) -> None:
    """Each turn rewrites all pages of this writer, adds one and deletes an old one."""
    import headnote

    folder = crowd.root / f"w{number}"
    folder.mkdir()
    turn = 0
    with headnote.Index.open(crowd.root, embedder=MODEL) as index:
        while time.monotonic() < crowd.end or turn < 2:
            turn += 1
            for page in range(PAGES):
                _replace(folder / f"page{page}.md", f"# Page {page}\n\nwriter{number} turn {turn}\n\n[[turn{turn}]]\n")
            _replace(folder / f"turn{turn}.md", f"# Turn\n\nwriter{number} turn {turn}\n")
            (folder / f"turn{turn - KEPT}.md").unlink(missing_ok=True)
            index.update(workers=1, wait=PATIENCE)
            crowd.committed[number].value = turn
            crowd.begun[number].set()


def _replace(file: Path, text: str) -> None:
    aside = file.with_suffix(".new")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, file)  # noqa: PTH105


def _read(crowd: Crowd, number: int) -> None:
    """What was known to be committed before the question must be in the answer, or something newer."""
    import headnote

    writer = number % WRITERS
    with headnote.Index.open(crowd.root, embedder=MODEL) as index:
        assert crowd.begun[writer].wait(PATIENCE)
        while time.monotonic() < crowd.end:
            _check(index, writer, crowd.committed[writer].value)
            with crowd.reads.get_lock():
                crowd.reads.value += 1


def _check(index: Any, writer: int, least: int) -> None:
    paths = {path for path in index.documents() if path.startswith(f"w{writer}/")}
    expected = {f"w{writer}/page{page}.md" for page in range(PAGES)}
    assert expected <= paths, f"lost: {sorted(expected - paths)}"
    for path in expected:
        turn = int(index.read(path).text.split("turn ")[1].split()[0])
        assert turn >= least, f"{path} is of turn {turn}, and {least} was committed"
    turns = [int(path.split("/turn")[1][:-3]) for path in paths - expected]
    assert turns, f"no page of turn {least} or later"
    assert max(turns) >= least, f"turns {turns}, and {least} was committed"
    hits = index.search(f"writer{writer}", limit=2 * (PAGES + KEPT), mode="keyword", per_document=1)
    searched = {hit.path for hit in hits}
    assert expected <= searched, f"not found: {sorted(expected - searched)}"


def run(seconds: float) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        import headnote

        root = Path(folder)
        with headnote.Index.open(root, embedder=MODEL):
            pass
        result = Crowd(root, seconds).run()
        with headnote.Index.open(root, embedder=MODEL) as index:
            index.update(workers=1)
            result["complaints"] = index.check()
            result["documents"] = len(index.documents())
    return result


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_two_write_and_eight_read() -> None:
    crowded({})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_two_write_and_eight_read_in_a_database(postgres_database: str) -> None:
    crowded({"HEADNOTE_STORE": postgres_database})


def crowded(environment: dict[str, str]) -> None:
    # In a process of its own, which has no threads to fork in the middle of.
    command = [sys.executable, __file__, str(SECONDS)]
    process = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert process.returncode == 0, process.stdout + process.stderr
    result = json.loads(process.stdout)
    assert result["errors"] == result["complaints"] == []
    assert result["documents"] == sum(PAGES + min(turn, KEPT) for turn in result["turns"])
    assert min(result["turns"]) >= 2


if __name__ == "__main__":
    outcome = run(float(sys.argv[1]) if len(sys.argv) > 1 else A_MINUTE)
    sys.stdout.write(json.dumps(outcome, indent=2) + "\n")
    sys.exit(1 if outcome["errors"] or outcome["complaints"] else 0)

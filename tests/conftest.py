"""Fixtures and hooks for all tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from marks import NEEDS, needs_of

if TYPE_CHECKING:
    from artefacts import Packages

REPOSITORY = Path(__file__).resolve().parents[1]

# A suite that a script starts with `&` would hand on that Ctrl-C is ignored, and tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Everybody draws the same examples, so that a failure can be repeated; `--hypothesis-profile=random` draws others.
ANYWHERE: dict[str, Any] = {
    "max_examples": 40,
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("same", derandomize=True, **ANYWHERE)
settings.register_profile("random", **ANYWHERE)
settings.load_profile("same")


def refuse_fork_beside_threads(event: str, _: tuple[object, ...]) -> None:
    """A forked child inherits the locks of threads it does not have, and may wait for them forever.

    Python 3.12 and later warn, but the warning cannot become an error: os.fork() drops exceptions of its own warning.
    """
    if event in {"os.fork", "os.forkpty"} and threading.active_count() > 1:
        raise RuntimeError("fork beside threads: start the process with spawn or subprocess, or fork in a subprocess")


sys.addaudithook(refuse_fork_beside_threads)


running: list[pytest.Item] = []
"""The test that runs now."""


def is_quick() -> bool:
    """Whether the test that runs now is one of the README's command."""
    return bool(running) and not any(running[-1].get_closest_marker(need) for need in NEEDS)


def refuse_unmarked_processes(event: str, _: tuple[object, ...]) -> None:
    """Keeps the marks true: whoever starts a process is told so, and is none of the quick tests."""
    if event in {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"} and is_quick():
        raise RuntimeError("a test that starts a process must say so: ask for the fixture processes")


sys.addaudithook(refuse_unmarked_processes)


def cores(count: Callable[[], int | None] = os.cpu_count) -> int | None:
    """Quick tests have one core, so that the library starts no workers either."""
    return 1 if is_quick() else count()


os.cpu_count = cores


@pytest.fixture
def processes() -> None:
    """For tests that start processes through the library, which their own code does not tell."""


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in NEEDS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for need in needs_of(item):
            item.add_marker(need)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    running.append(item)
    try:
        return (yield)
    finally:
        running.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """What all tests share ends with the last one, whatever that needs: a server is stopped by a process."""
    if nextitem is None:
        running.remove(item)
    try:
        return (yield)
    finally:
        if nextitem is None:
            running.append(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped for which reason, the most frequent reason first."""
    reasons = Counter(skip_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        terminalreporter.section("skipped tests by reason")
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        terminalreporter.write_line(f"{count} skipped: {reason}")


def skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    message = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return message.removeprefix("Skipped: ")


@pytest.fixture(autouse=True, scope="session")
def user_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of the user for this run: tests neither read nor change the one of whoever runs them."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADNOTE_CONFIG_FOLDER", str(folder / "headnote"))
        # Tests that drop all our variables find the same one.
        patch.setenv("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", str(folder))
        yield folder / "headnote"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the working copy."""
    return REPOSITORY


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """The wheels and the sdist, built."""
    from artefacts import build_packages

    return build_packages(of_all_workers(tmp_path_factory, "packages"))


def of_all_workers(tmp_path_factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that all workers of one run share: the first of them fills it, the others wait and find it done."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    place.mkdir(exist_ok=True)
    return place


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the documentation, built."""
    for package in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(package, reason="the extra docs is not installed: the site cannot be built")
    # Late: the summary of skips is tested in a folder that has this file alone.
    from headnote.store.sharing import writer_lock

    place = of_all_workers(tmp_path_factory, "site")
    with writer_lock(place / "lock", wait=600):
        if not (place / "done").exists():
            build_site(place / "pages")
            (place / "done").touch()
    return place / "pages"


def build_site(folder: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    # The theme advertises its successor on standard error.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert (built.returncode, built.stdout + built.stderr) == (0, "")


def shared_folder() -> Path:
    if is_quick():
        raise RuntimeError("a test that reads the large corpora must say so: ask for the fixture shared")
    folder = Path(os.environ.get("HEADNOTE_SHARED", REPOSITORY.parent / "shared"))
    if not folder.is_dir():
        pytest.skip("no shared test data beside the working copy (set HEADNOTE_SHARED)")
    return folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of corpora, oracles and conformance suites beside the working copy."""
    return shared_folder()


@pytest.fixture(scope="session")
def own_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus `own`, which is always there."""
    from own_corpus import write_own_corpus

    folder = tmp_path_factory.mktemp("own_corpus")
    write_own_corpus(REPOSITORY, folder)
    return folder


@pytest.fixture(scope="session")
def corpus_folder(own_corpus: Path) -> Callable[[str], Path]:
    """Name of a corpus → its folder."""
    return lambda corpus: own_corpus if corpus == "own" else shared_folder() / "corpora" / corpus


@pytest.fixture(scope="session")
def corpus_files(corpus_folder: Callable[[str], Path]) -> Callable[[str], list[Path]]:
    """Name of a corpus → its Markdown files, sorted."""
    # Late: the summary of skips is tested in a folder that has this file alone.
    from corpora import files_below

    return lambda corpus: files_below(corpus_folder(corpus))


GUIDE = """\
---
title: Guide
tags: [a]
---

# Guide

Intro with a [link](other.md#there).

## Code

```python
one = 1
two = 2
three = 3
four = 4
```
"""


@pytest.fixture
def guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("guide.md").write_text(GUIDE, encoding="utf-8")
    return Path("guide.md")


@pytest.fixture
def handbook(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(repository)
    return Path("examples/handbook")

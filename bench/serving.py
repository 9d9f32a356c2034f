"""A real `headnote serve` and a browser to visit it with, for all that measure or show the page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the second without what only a window needs."""
NO_BROWSER = f"no browser: none of {', '.join(BROWSERS)} is on the path, and HEADNOTE_CHROMIUM names none"


class Server(NamedTuple):
    """One that is ready."""

    address: str
    process: int


@contextmanager
def served(root: Path, *options: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of a server for the folder, at a port that is free; `options` are those of the command."""
    with started(root, *options, environment=environment) as server:
        yield server.address


@contextmanager
def started(root: Path, *options: str, environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server for the folder, as `served` has it, and its process."""
    command = [sys.executable, "-m", "headnote", "serve", str(root), "--port", "0", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise SystemExit(f"{' '.join(command)} ended with {process.wait()} before it was ready")
            yield Server(json.loads(line)["address"], process.pid)
        finally:
            process.terminate()
            process.wait(timeout=20)


def fetch(address: str) -> Any:
    """The JSON at an address."""
    with urlopen(address, timeout=60) as response:
        return json.load(response)


def until_fresh(address: str) -> Any:
    """The state of the index once every file is read and nothing is left to embed."""
    while True:
        status = fetch(f"{address}api/status")
        if status["generation"] and not status["busy"] and not status["pending"] and not status["files_read"]:
            return status
        time.sleep(0.5)


def find_browser() -> str | None:
    """The path of a Chromium on this machine, if there is one."""
    named = os.environ.get("HEADNOTE_CHROMIUM")
    return next(filter(None, map(shutil.which, [named] if named else BROWSERS)), None)

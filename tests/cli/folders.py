"""A folder to index, and the command as other people run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "headnote"]
FAST = "hashing:64"
"""An embedder that needs no model."""

GUIDE = """\
---
title: Guide
tags: [start]
status: draft
---

# Guide

Mount the gauge. See [care](notes/care.md#cleaning).
"""

CARE = """\
# Care

Text.

## Cleaning

Brush the sensor, then [mount](../guide.md) it, or [not](gone.md).
"""

PAGES = {
    "alone.md": "# Alone\n\nNobody knows this page about lighthouses.\n",
    "guide.md": GUIDE,
    "notes/care.md": CARE,
}


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, timeout=120)


# Root may write everywhere, so it becomes someone who may not. What is loaded late has to be loaded before.
_AS_SOMEONE_ELSE = """
import os, sys, tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from headnote.cli.main import main

with tempfile.TemporaryDirectory() as scratch, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
    Path(scratch, "a.md").write_text("# A")
    for command in (["index", "--dry-run"], ["index"], ["search", "a"], ["status"], ["doctor"], ["links", "--root"]):
        main([*command, scratch])
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""


def run_as_someone_else(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command as a user who may not write everywhere."""
    command = [sys.executable, "-c", _AS_SOMEONE_ELSE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def set_modes(root: Path, folders: int, files: int) -> None:
    for path in [root, *root.rglob("*")]:
        path.chmod(folders if path.is_dir() else files)

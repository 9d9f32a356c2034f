"""Folders whose permissions hold: root may write everywhere, so a child process gives up being root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

DROP_ROOT = "os.setgid(65534); os.setuid(65534)\n" if hasattr(os, "getuid") and os.getuid() == 0 else ""
"""Code for the child; it needs `import os` before it."""


def set_modes(root: Path, folders: int, files: int) -> None:
    for path in [root, *root.rglob("*")]:
        path.chmod(folders if path.is_dir() else files)


@contextmanager
def reachable_folder() -> Iterator[Path]:
    """A folder that other users can reach, which the folders of pytest are not."""
    if not hasattr(os, "getuid"):
        pytest.skip("this system knows other permissions")
    with TemporaryDirectory() as folder:
        yield Path(folder)
        set_modes(Path(folder), 0o755, 0o644)

"""Fixtures of the tests that index a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from folders import FAST, PAGES, set_modes


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No settings from outside but an embedder that needs no model."""
    for name in list(os.environ):
        if name.startswith(("HEADNOTE_", "MDVDB_")) or name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HEADNOTE_EMBEDDER", FAST)
    monkeypatch.setenv("TERM", "xterm-256color")
    return monkeypatch


@pytest.fixture
def docs(quiet: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Three pages in `docs`, seen from the folder above."""
    quiet.chdir(tmp_path)
    for name, text in PAGES.items():
        file = Path("docs") / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Path("docs")


@pytest.fixture
def closed(quiet: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that others can reach and nobody may write; pytest's own are out of reach for others."""
    if not hasattr(os, "getuid"):
        pytest.skip("this system knows other permissions")
    quiet.delenv("COLUMNS", raising=False)
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a.md").write_text("# A\n\nAlpha.\n", encoding="utf-8")
        set_modes(root, 0o555, 0o444)
        yield root
        set_modes(root, 0o755, 0o644)

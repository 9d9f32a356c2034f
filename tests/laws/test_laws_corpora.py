"""Laws 1, 2, 4, 5 and 6 over every file of the corpora, at four sizes: no violation, not one."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora import CORPORA, pages
from headnote.chunking.chunker import chunk
from headnote.chunking.presets import make_settings
from laws import faults

SHOWN = 20


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("max_tokens", [64, 128, 512, 1024])
@pytest.mark.parametrize("preset", ["default", "blocks"])
def test_no_file_breaks_a_law(shared: Path, preset: str, max_tokens: int, corpus: str) -> None:
    wrong: list[str] = []
    checked = 0
    for page in pages(shared, corpus):
        settings = make_settings(preset, max_tokens=max_tokens, mdx=page.mdx)
        chunks = chunk(page.text, path=page.path, preset=preset, max_tokens=max_tokens, mdx=page.mdx)
        wrong += [f"{page.path}: {fault}" for fault in faults(page.text, chunks, settings)]
        checked += 1
    assert checked, f"no documents in {corpus}"
    assert not wrong, f"{len(wrong)} violations, such as\n" + "\n".join(wrong[:SHOWN])

"""Laws 1, 2, 4, 5 and 6 over every file of the corpora; laws 3 and 9 over our own with every preset.

Each file of our own corpus is chunked at all sizes by both presets. Each file of a large one has two of the sizes, in
turn, so that its hundreds of files see all of them; the other preset reads two corpora of different kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from corpora import CORPORA, pages

from headnote.chunking.chunker import chunk
from headnote.chunking.presets import make_settings, presets
from laws import faults

PRESETS = ("default", "blocks")
SIZES = (64, 128, 512, 1024)
VARIED = ("react.dev", "kubernetes-ja")
"""MDX with much code, and a script without blanks."""
SHOWN = 20


def cuts_of(corpus: str, number: int) -> list[tuple[str, int]]:
    """Preset and size for the file of this number."""
    if corpus == "own":
        return list(product(PRESETS, SIZES))
    sizes = (SIZES[number % 4], SIZES[(number + 2) % 4])
    return list(product(PRESETS if corpus in VARIED else ["default"], sizes))


@pytest.mark.parametrize("corpus", CORPORA)
def test_no_file_breaks_a_law(corpus_folder: Callable[[str], Path], corpus: str) -> None:
    wrong: list[str] = []
    checked = 0
    for number, page in enumerate(pages(corpus_folder(corpus), corpus)):
        # All sizes of a page in a row: what the laws know about it is worked out once.
        for preset, max_tokens in cuts_of(corpus, number):
            settings = make_settings(preset, max_tokens=max_tokens, mdx=page.mdx)
            chunks = chunk(page.text, path=page.path, preset=preset, max_tokens=max_tokens, mdx=page.mdx)
            found = faults(page.text, chunks, settings)
            wrong += [f"{page.path}, {preset} at {max_tokens}: {fault}" for fault in found]
        checked += 1
    assert checked, f"no documents in {corpus}"
    assert not wrong, f"{len(wrong)} violations, such as\n" + "\n".join(wrong[:SHOWN])


@pytest.mark.parametrize("preset", presets())
def test_every_preset_reads_every_file_the_same_way_twice(corpus_folder: Callable[[str], Path], preset: str) -> None:
    for page in pages(corpus_folder("own"), "own"):
        first, second = (chunk(page.text, path=page.path, preset=preset, mdx=page.mdx) for _ in range(2))
        assert [each.to_dict() for each in first] == [each.to_dict() for each in second], page.path
        assert len({each.id for each in first}) == len(first), page.path

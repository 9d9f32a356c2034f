"""The lines that are shown of a hit are where they are said to be, with every preset."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from headnote import Index, presets
from headnote.search.query import Expand
from headnote.search.snippets import SnippetLine, best_lines, clipped, excerpt, lines_of, marked_terms

CORPUS = Path(__file__).parents[1] / "corpus"
QUERIES = ["gauge", "how do I install it", "table of the settings", "code example", "warning", "name"]


@pytest.mark.parametrize("preset", sorted(presets()))
@pytest.mark.parametrize("expand", ["none", "neighbours"])
def test_a_shown_line_stands_where_it_is_said_to(tmp_path: Path, preset: str, expand: Expand) -> None:
    folder = shutil.copytree(CORPUS, tmp_path / "corpus")
    shown: list[tuple[str, SnippetLine]] = []
    with Index.open(folder, preset=preset, embedder="hashing:64") as index:
        index.update()
        for query in QUERIES:
            for hit in index.search(query, min_score=0, expand=expand):
                terms = marked_terms(query, hit.why.terms, hit.text)
                lines = lines_of(hit)
                shown += ((hit.path, clipped(line, terms)) for line in best_lines(lines, terms))
                shown += ((hit.path, line) for line in excerpt(lines, terms).lines[:1])
                assert all(hit.start_line <= line.number <= hit.end_line for line in lines)
    assert len(shown) > 100
    for path, line in shown:
        source = (folder / path).read_text(encoding="utf-8").lower().split("\n")[line.line - 1]
        first = [word for word in line.text.lower().split()[:3] if word.isascii() and word.isalpha() and len(word) > 3]
        assert all(word in source for word in first), (path, line, source)

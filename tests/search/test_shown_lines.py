"""The lines that are shown of a hit are where they are said to be, with every preset."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from headnote import ChunkOptions, Index, presets
from headnote import chunk as chunk_text
from headnote.markdown.document import is_mdx
from headnote.model import Hit
from headnote.search.query import Expand
from headnote.search.readable import readable_lines
from headnote.search.snippets import LINE_WIDTH, ExcerptLine, best_lines, clipped, excerpt, lines_of, marked_terms

CORPUS = Path(__file__).parents[1] / "corpus"
QUERIES = ["gauge", "how do I install it", "table of the settings", "code example", "warning", "name"]


@pytest.mark.parametrize("preset", sorted(presets()))
@pytest.mark.parametrize("expand", ["none", "neighbours"])
def test_a_shown_line_stands_where_it_is_said_to(tmp_path: Path, preset: str, expand: Expand) -> None:
    folder = shutil.copytree(CORPUS, tmp_path / "corpus")
    shown: list[tuple[str, ExcerptLine]] = []
    with Index.open(folder, preset=preset, embedder="hashing:64") as index:
        index.update()
        for query in QUERIES:
            for hit in index.search(query, min_score=0, expand=expand):
                shown += ((hit.path, line) for line in shown_of(hit, query))
                assert all(hit.start_line <= line.number <= hit.end_line for line in lines_of(hit))
    assert len(shown) > 100
    compared = 0
    for path, line in shown:
        # A sentence may begin at the end of a line.
        source = " ".join((folder / path).read_text(encoding="utf-8").lower().split("\n")[line.line - 1 :][:2])
        first = [word for word in line.text.lower().split()[:3] if word.isascii() and word.isalpha() and len(word) > 3]
        assert all(word in source for word in first), (path, line, source)
        compared += bool(first)
    assert compared > 90


@pytest.mark.parametrize("overlap", [0, 20])
@pytest.mark.parametrize("mark", ["", "\f", "\u2028"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_overlap_shift_no_line(tmp_path: Path, end: str, mark: str, overlap: int) -> None:
    lines = [f"About{mark} a gauge, {number}." if number % 3 else "" for number in range(101, 161)]
    (tmp_path / "page.md").write_text("".join(line + end for line in lines), encoding="utf-8", newline="")
    settings: ChunkOptions = {"strategy": "fixed", "max_tokens": 60, "overlap_tokens": overlap}
    shown: list[ExcerptLine] = []
    leads = 0
    with Index.open(tmp_path, embedder="hashing:64", **settings) as index:
        index.update()
        for query in ("gauge", "gauge 131", "about 159"):
            for hit in index.search(query, limit=20, min_score=0, per_document=0):
                leads += bool(hit.lead)
                shown += shown_of(hit, query)
    assert bool(leads) == bool(overlap), "hits begin with what they repeat"
    # A window may begin after the number of its first line.
    said = [(line.line, int(number[0]) - 100) for line in shown if (number := re.search(r"\d{3}", line.text))]
    assert len(said) > 20
    assert [line for line, _ in said] == [number for _, number in said]


SAYS_NOTHING = re.compile(
    r"""[\s!-/:-@\[-`{-~]*+ | \s*+(?:```|~~~).* | (?:-\ )?[\w\ ]{1,40}::(?:\s.*)? | (?:-\ )?\w++(?:\ \w++)?:
        | \s*+%%\W.* | \s*+<!--.* | \s*+(?:\{\{[^{}]*+\}\}|\{%[^%]*+%\})\s*+""",
    re.VERBOSE,
)


@pytest.mark.parametrize("corpus", ["foam", "uv-docs", "react.dev", "astro-en", "rust-book", "kubernetes-en"])
def test_every_best_line_says_something_and_no_sentence_is_cut(shared: Path, corpus: str) -> None:
    files = sorted((shared / "corpora" / corpus).rglob("*.md*"))
    compared = 0
    for file in files[:: max(1, len(files) // 60)]:
        text = file.read_text(encoding="utf-8")
        for chunk in chunk_text(text, mdx=is_mdx(file.name)):
            lines = readable_lines(chunk.text, is_mdx(file.name))
            terms = marked_terms(" ".join(chunk.text.split()[:60:7]), literal=True)
            for best in best_lines(lines, terms):
                assert best.is_field or not SAYS_NOTHING.fullmatch(best.text), (file, best)
                shown = clipped(best, terms).text
                assert shown == best.text.expandtabs(4).strip() or len(best.text) > LINE_WIDTH, (file, shown)
                compared += 1
    assert compared > 100


def shown_of(hit: Hit, query: str) -> list[ExcerptLine]:
    """What a terminal shows of a hit, and the first line that a page shows."""
    terms = marked_terms(query, hit.why.terms, hit.text)
    lines = lines_of(hit)
    return [*(clipped(line, terms) for line in best_lines(lines, terms)), *excerpt(lines, terms).lines[:1]]

"""The words of a whole document that a query finds."""

from __future__ import annotations

import pytest

from headnote import Index
from headnote.search.snippets import excerpt, lines_of, marked_terms

FILES = {
    "gauge.md": """\
---
title: An instrument
tags: [calibration]
---

# Calibrating the gauge

A *calibrated* gauge lasts.

```sh
calibrate --gauge
```

| calibration | [a link](calibration.md) |
|---|---|
| again | `gauge` |
""",
    "calibration.md": "# Later\n\nCalibration is due.\n\n## Short\n\nThe word calib stands here.\n",
    "database.md": "# 数据库\n\n数据库管理系统。データベース。\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("marking")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    opened = Index.open(folder, embedder="hashing:64")
    opened.update()
    return opened


def found(index: Index, path: str, query: str) -> list[tuple[int, str]]:
    return [(word.line, word.text) for word in index.found_words(path, query)]


def test_stems_are_found_in_text_code_and_tables_and_not_in_frontmatter_or_addresses(index: Index) -> None:
    assert found(index, "gauge.md", "calibrate") == [
        (6, "Calibrating"),
        (8, "calibrated"),
        (11, "calibrate"),
        (14, "calibration"),
    ]
    assert [line for line, _ in found(index, "gauge.md", "gauges")] == [6, 8, 11, 16]


def test_an_unfinished_word_is_every_word_it_begins(index: Index) -> None:
    words = {word for _, word in found(index, "gauge.md", "calibra")}
    assert words == {"Calibrating", "calibrated", "calibrate", "calibration"}


def test_a_misspelt_word_is_the_one_it_was_taken_for(index: Index) -> None:
    assert (3, "Calibration") in found(index, "calibration.md", "calibartion ")


def test_words_without_blanks_are_whole(index: Index) -> None:
    assert found(index, "database.md", "数据库") == [(1, "数据库"), (3, "数据库")]
    assert found(index, "database.md", "データベース") == [(3, "データベース")]


@pytest.mark.parametrize("query", ["calibrate", "calib", "calibartion", "数据库", "gauge lasts", "the"])
def test_what_is_marked_in_a_hit_is_found_in_its_document(index: Index, query: str) -> None:
    for hit in index.search(query, min_score=0.0):
        snippet = excerpt(lines_of(hit), marked_terms(query, hit.why.terms, hit.text))
        in_hit = {line.text[start:end] for line in snippet.lines for start, end in line.marks}
        assert in_hit <= {word for _, word in found(index, hit.path, query)}


def test_nothing_is_found_by_nothing(index: Index) -> None:
    assert found(index, "gauge.md", "xyzzyplugh") == []
    assert found(index, "gauge.md", "") == []

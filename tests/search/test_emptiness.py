"""A search without hits says why, and what to try."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headnote import Index
from headnote.search.query import Mode

PAGES = {
    "guide.md": "---\ntags: [network, area/tides]\nstatus: draft\n---\n# Guide\n\nMount the gauge at the pier.\n",
    "notes/care.md": "# Care\n\nBrush the sensor. #maintenance\n",
}


@pytest.fixture(name="index")
def made_index(tmp_path: Path) -> Iterator[Index]:
    for name, text in PAGES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        os.utime(tmp_path / name, (1_000_000_000, 1_000_000_000))
    with Index.open(tmp_path, embedder="hashing:64") as opened:
        opened.update()
        yield opened


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tags": "netwrok"}, "no document has the tag 'netwrok'; the nearest are network"),
        ({"tags": "#Maintenence"}, "no document has the tag '#Maintenence'; the nearest are maintenance"),
        ({"tags": "tides"}, "no document has the tag 'tides'; the nearest are area/tides"),
        ({"tags": ["network", "zzz"]}, "no document has the tag 'zzz'"),
        ({"path": "nowhere/**"}, "no document matches path 'nowhere/**'"),
        ({"path": ["a.md", "b/"]}, "no document matches path 'a.md' or 'b/'"),
        ({"where": {"status": "done"}}, "no document has status=done in its frontmatter"),
        ({"since": 2_000_000_000.0}, "no document has changed since 2033-05-18 "),
        (
            {"path": "notes", "tags": "network", "where": {"status": "draft"}},
            "no passage passes all filters together: path 'notes', tag 'network', status=draft",
        ),
    ],
)
def test_a_filter_that_excludes_everything_is_named(index: Index, options: dict[str, Any], reason: str) -> None:
    assert index.search("gauge", **options) == []
    assert index.why_empty("gauge", **options).startswith(reason)
    answer = index.ask("gauge", model="", **options)
    assert answer.note.startswith(reason)
    assert not answer.sources


@pytest.mark.parametrize(
    ("query", "words"),
    [("1984-05-03", "'1984-05-03'"), ("Zeppelin_LZ_7", "'Zeppelin_LZ_7'"), ("user_idx", "'user_idx'")],
)
def test_unknown_words_are_named_as_they_were_typed(index: Index, query: str, words: str) -> None:
    assert f"no document has {words};" in index.why_empty(query)


def test_a_long_query_is_named_by_its_beginning(index: Index) -> None:
    reason = index.why_empty("zeppelin airship " * 100)
    assert reason.startswith("nothing relevant for 'zeppelin airship zeppelin")
    assert len(reason) < 300
    assert len(index.why_empty("zeppelin" * 300)) < 300


def test_an_empty_query_is_no_irrelevant_one(index: Index) -> None:
    assert index.why_empty(" ") == "the query is empty: say what to look for"


def test_nothing_relevant_offers_what_to_try(index: Index) -> None:
    assert index.why_empty("zeppelin airship") == (
        "nothing relevant for 'zeppelin airship': no document has 'zeppelin' or 'airship'; try fewer or other words; "
        "a minimum score of 0 shows the nearest passages anyway"
    )
    assert index.why_empty("guage", min_score=9.0) == (
        "nothing relevant for 'guage': try 'gauge'; lower the minimum score"
    )


@pytest.mark.parametrize("embedder", ["hashing:64", "none"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
@pytest.mark.parametrize("min_score", [None, 0.0, 9.0])
@pytest.mark.parametrize("query", ["zeppelin airship", "gauge", "zeppelin", "…"])
@pytest.mark.usefixtures("index")
def test_another_score_is_offered_only_where_it_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: str, mode: Mode, min_score: float | None, query: str
) -> None:
    monkeypatch.setattr("headnote.search.engine.RELEVANT", 9.0)
    with Index.open(tmp_path, embedder=embedder) as opened:
        opened.update()
        if opened.search(query, mode=mode, min_score=min_score):
            return
        why = opened.why_empty(query, mode=mode, min_score=min_score)
        if "minimum score" in why:
            assert min_score != 0.0
            assert opened.search(query, mode=mode, min_score=0.0), why
        fixed = opened.why_empty(query, mode=mode, min_score=min_score, can_set_score=False)
        assert "minimum score" not in fixed


def test_a_question_has_no_minimum_score(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.search.engine.RELEVANT", 9.0)
    answer = index.ask("zeppelin airship", model="")
    assert answer.note.startswith("nothing relevant")
    assert "minimum score" not in answer.note


@pytest.mark.usefixtures("index")
def test_a_search_by_meaning_without_vectors_says_so(tmp_path: Path) -> None:
    with Index.open(tmp_path, embedder="none") as words_only:
        words_only.update()
        assert words_only.search("gauge", mode="semantic") == []
        assert words_only.why_empty("gauge", mode="semantic").startswith("the index has no vectors")
        assert words_only.why_empty("zeppelin").startswith("nothing relevant")
    with Index.open(tmp_path, embedder="instant") as instant:
        instant.update()
        assert instant.search("海岸", mode="semantic") == []
        reason = instant.why_empty("海岸", mode="semantic")
        assert reason == "the model instant cannot read '海岸', so it cannot search by meaning; search by words"


def test_a_folder_without_documents_says_what_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / ".headnoteignore").write_text("draft*\n")
    (tmp_path / "draft.md").write_text("# Draft\n")
    (tmp_path / "deep").mkdir()
    for name in ("a.pdf", "deep/b.PDF", "c.docx", "LICENSE", ".hidden.md"):
        (tmp_path / name).write_text("x")
    with Index.open(tmp_path, embedder="none") as index:
        index.update()
        expected = (
            f"no Markdown in {tmp_path}: looked for .markdown, .md, .mdx, .txt; "
            "ignore files or settings exclude draft.md; other files there: 2 .pdf, 1 .docx"
        )
        assert index.why_no_documents() == expected
        assert index.why_empty("draft") == expected
        assert index.ask("draft", model="").note == expected
        (tmp_path / "new.md").write_text("# New\n")
        assert index.why_no_documents() == ""
        assert index.why_empty("draft") == "the index has no documents yet"


ANIMALS_AND_MORE = {
    "car.md": "# Vehicle upkeep\n\nHow to keep an automobile running.\n",
    "lion.md": "# Lions\n\nLions live in the savanna and sleep a lot.\n",
    "bread.md": "# Bread\n\nKnead the dough and let it rest overnight.\n",
    "tax.md": "# Taxes\n\nFile the form in May, with all receipts.\n",
    "gol.md": "# گل\n\nگل در باغ ما می‌روید و بوی خوبی دارد.\n",
}


@pytest.fixture(name="mixed")
def made_mixed_index(tmp_path: Path) -> Iterator[Index]:
    for name, text in ANIMALS_AND_MORE.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Index.open(tmp_path, embedder="instant") as opened:
        opened.update()
        yield opened


@pytest.mark.parametrize("query", ["qwertyuiopzxcv", "xyzzyq plugh", "asdfgh jklqw", "زخشطق ضظغث", "щцфхъ", "囧槑靐"])
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_nonsense_finds_nothing(mixed: Index, query: str, mode: Mode) -> None:
    assert mixed.search(query, mode=mode) == []
    assert mixed.search_page(query, mode=mode).total == 0


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_one_unknown_word_does_not_empty_an_answer(mixed: Index, mode: Mode) -> None:
    assert mixed.search("lions xyzzyq", mode=mode)[0].path == "lion.md"


def test_what_only_meaning_finds_counts_if_it_stands_out(mixed: Index) -> None:
    assert {hit.path for hit in mixed.search("maintaining a car", min_score=0.05)} >= {"car.md"}
    assert mixed.search("maintaining a car")[0].path == "car.md"
    page = mixed.search_page("maintaining a car")
    assert page.hits[0].path == "car.md"

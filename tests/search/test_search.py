"""The whole search on a small folder of our own, with the real model."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headnote import Hit, Index, SettingsError
from headnote.search.query import Mode

pytest.importorskip("headnote_minilm", reason="needs the model: pip install ./models/minilm")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("search") / "handbook"
    shutil.copytree(repository / "examples" / "handbook", root, ignore=shutil.ignore_patterns(".headnote"))
    (root / "code.md").write_text(
        "# Commands\n\n## Apply\n\nRun `kubectl apply -f gauge.yaml --server-side`. The field `user_id` is set.\n\n"
        "## Names\n\nThe class `a.b.GaugeReader` reads it. #maintenance\n\n"
        "## Русский\n\nПриборы измеряют уровень воды в гавани.\n\n## العربية\n\nيقيس الجهاز مستوى الماء في الميناء.\n",
        encoding="utf-8",
    )
    (root / "buoys.md").write_text(
        "---\ntitle: Storing buoys in winter\n---\nBefore the first frost, take them out, rinse and dry them.\n\n"
        "## Racks\n\nTwo to a rack, chains hung up beside them.\n",
        encoding="utf-8",
    )
    with Index.open(root, embedder="minilm") as opened:
        opened.update()
        yield opened


def places(hits: list[Hit]) -> list[tuple[str, str]]:
    return [(hit.path, hit.breadcrumb) for hit in hits]


GOLDEN = [
    ("which water level is zero", "calibration.md"),
    ("the level jumps after rain", "troubleshooting.md"),
    ("mount the gauge on a quay wall", "installing.md"),
    ("who may see the readings before they are published", "publishing.md"),
    ("React component that draws a gauge", "gauge-widget.mdx"),
    ("検潮器の設置", "quick-guide.ja.md"),
    ("kubectl apply -f", "code.md"),
    ("user_id", "code.md"),
    ("a.b.GaugeReader", "code.md"),
    ("--server-side", "code.md"),
    ("#maintenance", "code.md"),
    ("уровень воды", "code.md"),
    ("مستوى الماء", "code.md"),
]


@pytest.mark.parametrize(("query", "path"), GOLDEN)
def test_the_right_document_comes_first(index: Index, query: str, path: str) -> None:
    hits = index.search(query, limit=3)
    assert hits
    assert path == hits[0].path, places(hits)


@pytest.mark.parametrize("query", ["where the buoys are kept in the cold season", "racks for the buoys"])
def test_a_title_that_only_the_frontmatter_says_is_found_by_its_meaning(index: Index, query: str) -> None:
    hits = index.search(query, limit=3, mode="semantic")
    assert hits
    assert hits[0].path == "buoys.md", places(hits)


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "keyword"])
def test_every_mode_answers_best_first(index: Index, mode: Any) -> None:
    hits = index.search("calibrate the gauge", mode=mode)
    scores = [hit.score for hit in hits]
    assert hits
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1.2 for score in scores)


def test_a_hit_says_why(index: Index) -> None:
    best = index.search("calibrate the gauge", limit=1)[0]
    assert best.why.matched
    assert best.why.keyword_rank is not None
    assert best.why.semantic_rank is not None
    assert 0 < best.why.similarity <= 1
    by_words = index.search("calibrate the gauge", limit=1, mode="keyword")[0].why
    assert by_words.semantic_rank is None


def test_a_hit_is_where_it_says(index: Index) -> None:
    for hit in index.search("gauge", limit=20):
        passage = index.read(hit.path, hit.start_line, hit.end_line)
        assert hit.text.strip().splitlines()[-1] in passage.text


@pytest.mark.parametrize(
    "query", ["flurbish granzel wompitude", "best recipe for sourdough bread", "penalty kicks in handball", "zzzz"]
)
def test_what_has_nothing_to_do_with_it_finds_nothing(index: Index, query: str) -> None:
    assert index.search(query) == []
    assert index.search(query, min_score=0.0), "the nearest, if somebody insists"


def test_one_unknown_word_does_not_empty_the_result(index: Index) -> None:
    assert places(index.search("calibrate gauge wompitude"))[0][0] in {"calibration.md", "index.md"}


def test_filters_narrow_what_may_be_found(index: Index) -> None:
    assert {hit.path for hit in index.search("gauge", path="*.mdx", min_score=0.0)} == {"gauge-widget.mdx"}
    tagged = index.search("gauge", tags="calibration", min_score=0.0)
    assert tagged
    assert all("calibration" in hit.path for hit in tagged)
    assert index.search("gauge", path="nowhere/**") == []


def test_caps_and_budgets(index: Index) -> None:
    single = index.search("gauge", limit=20, per_document=1)
    assert len({hit.path for hit in single}) == len(single)
    budget = index.search("gauge", limit=20, budget=300)
    assert sum(hit.tokens for hit in budget) <= 300 or len(budget) == 1


def test_new_files_get_a_bounded_bonus(index: Index) -> None:
    plain = {hit.key: hit.score for hit in index.search("gauge", limit=50)}
    for hit in index.search("gauge", limit=50, recency_days=30):
        assert 1.0 <= hit.why.recency <= 1.2
        if hit.key in plain:
            assert hit.score == pytest.approx(plain[hit.key] * hit.why.recency)


def test_without_vectors_words_still_find(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nThe datum is the zero of all readings.\n")
    with Index.open(tmp_path) as opened:
        opened.update(vectors=False)
        assert places(opened.search("datum of readings")) == [("a.md", "A")]


def test_equal_texts_are_shown_once(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# Datum\n\nThe datum is the zero of all readings.\n")
    with Index.open(tmp_path, embedder="hashing:64") as opened:
        opened.update()
        assert len(opened.search("datum readings")) == 1


@pytest.mark.parametrize(
    "bad", [{"limit": 0}, {"mode": "fuzzy"}, {"budget": -1}, {"per_document": -2}, {"min_score": -0.1}], ids=str
)
def test_bad_questions_are_refused_with_a_remedy(index: Index, bad: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        index.search("gauge", **bad)
    assert caught.value.remedy


MODES: tuple[Mode, ...] = ("hybrid", "keyword")
NASTY = st.text() | st.sampled_from(
    ['"', "'", '"unclosed', "a AND", "NEAR(a b)", "a*", "^a", "{x} : y", "-a", "col:val", "%", "\\", "\0", "\ud800", ""]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(query=NASTY)
def test_any_text_is_safe(index: Index, query: str) -> None:
    for mode in MODES:
        assert all(hit.text for hit in index.search(query, mode=mode))


def test_a_pasted_page_is_a_query_too(index: Index) -> None:
    assert index.search("calibrate the gauge and read the datum " * 250, limit=3)

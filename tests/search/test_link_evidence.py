"""What hits lend to what they link to."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headnote
from headnote.search.links import BACK, SHARE, Lent, link_boosts

pytest_plugins = ("store_fixtures",)

SCORES = st.dictionaries(st.integers(0, 9), st.floats(0, 1), min_size=1)


def test_a_hit_lends_a_part_of_its_score() -> None:
    assert link_boosts({1: 0.8, 2: 0.4}, [(1, 2), (1, 9)]) == {2: Lent(SHARE * 0.8, 1), 9: Lent(SHARE * 0.8, 1)}


def test_a_hit_lends_less_to_what_links_to_it() -> None:
    assert link_boosts({1: 0.8}, [], [(1, 2)]) == {2: Lent(SHARE * BACK * 0.8, 1, is_back=True)}
    assert link_boosts({1: 0.8}, [(1, 2)], [(1, 2)]) == {2: Lent(SHARE * 0.8, 1)}


def test_only_the_best_that_links_there_counts() -> None:
    assert link_boosts({1: 0.8, 2: 0.5}, [(2, 3), (1, 3), (2, 3)]) == {3: Lent(SHARE * 0.8, 1)}


@given(scores=SCORES, targets=st.lists(st.integers(0, 12), max_size=20))
def test_what_is_lent_is_bounded_and_nobody_overtakes_its_source(scores: dict[int, float], targets: list[int]) -> None:
    links = [(source, target) for source in scores for target in targets if source != target]
    for target, lent in link_boosts(scores, links[::2], links[1::2]).items():
        assert 0 < lent.score <= SHARE
        assert scores.get(target, 0.0) + lent.score <= scores[lent.source] + 1e-12


def test_a_linked_document_joins_the_pool_and_says_from_where(tmp_path: Path) -> None:
    (tmp_path / "hub.md").write_text("# Gauges\n\nCalibrate gauges yearly, as [the other page](other.md#deep) says.\n")
    (tmp_path / "other.md").write_text("# Other\n\nNothing.\n\n" + "Filler text here. " * 60 + "\n\n# Deep\n\nZebra.\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=80) as index:
        index.update()
        hits = index.search("calibrate gauges", mode="hybrid")
        assert [hit.path for hit in hits] == ["hub.md", "other.md"]
        assert "Zebra" in hits[1].text, "the section that the link names"
        assert hits[1].why.linked_from == "hub.md:1"
        assert hits[1].score <= SHARE
        assert [hit.path for hit in index.search("calibrate gauges", mode="keyword")] == ["hub.md"]
        assert [hit.path for hit in index.search("calibrate gauges", path="hub.md")] == ["hub.md"]


@pytest.mark.usefixtures("everywhere")
def test_what_links_to_a_good_hit_joins_the_pool_and_says_so(tmp_path: Path) -> None:
    manual = "---\ntitle: Manual\n---\n# Gauges\n\nCalibrate gauges yearly.\n\n# More\n\n" + "Filler text. " * 60
    (tmp_path / "manual.md").write_text(manual)
    (tmp_path / "a.md").write_text("# Notes\n\nZebra, see [gauges](manual.md).\n")
    (tmp_path / "b.md").write_text("# Other notes\n\nQuagga, see [more](manual.md#more).\n")
    with headnote.Index.open(tmp_path, embedder="none", max_tokens=80, min_tokens=0, boundaries="heading") as index:
        index.update()
        hits = index.search("calibrate gauges", mode="hybrid")
        assert [(hit.path, hit.why.links_to) for hit in hits[:2]] == [("manual.md", ""), ("a.md", "manual.md:4")]
        assert "b.md" not in {hit.path for hit in hits}, "it names another section"
        assert hits[1].why.linked_from == ""
        assert 0 < hits[1].why.link_score <= SHARE * BACK

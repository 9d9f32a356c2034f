"""Several phrasings of a question, and a made-up answer, find what answers all of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headnote import Index, SettingsError
from headnote.search.query import MODES, Mode

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
QUESTION = "how often is the tide gauge checked"
WORDS = st.lists(
    st.sampled_from("tide gauge radio bolts calibrate battery harbour how often zzyzx".split()), min_size=1
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("phrasings") / "handbook"
    shutil.copytree(HANDBOOK, folder, ignore=shutil.ignore_patterns(".headnote"))
    with Index.open(folder) as opened:
        opened.update()
        yield opened


def found(index: Index, query: str, **options: Any) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in index.search(query, **options)]


@given(query=WORDS.map(" ".join), other=WORDS.map(" ".join), mode=st.sampled_from(MODES))
def test_the_same_phrasing_twice_changes_nothing(index: Index, query: str, other: str, mode: Mode) -> None:
    assert found(index, query, mode=mode, queries=[query, f" {query} ", ""]) == found(index, query, mode=mode)
    assert found(index, query, mode=mode, queries=[other, other]) == found(index, query, mode=mode, queries=other)


def test_what_one_phrasing_finds_and_the_other_does_not_is_found(index: Index) -> None:
    query, other = "spare battery", "checking the torque of bolts"
    [first, *_], [second, *_] = index.search(query), index.search(other)
    together = index.search(query, queries=[other])
    assert {first.id, second.id} <= {hit.id for hit in together}
    assert together[0].why.share_reason == "2 phrasings"
    assert {hit.why.matched for hit in together[:2]} & {second.why.matched}


def test_other_phrasings_have_no_operators(index: Index) -> None:
    assert index.search(QUESTION, queries=['path:nowhere "no such words" -tide'])
    assert not index.search(f"{QUESTION} path:nowhere", queries=["tide gauge"])


def test_pages_are_those_of_the_search(index: Index) -> None:
    options: dict[str, Any] = {"queries": ["calibrating sensors"], "passage": "The gauge is calibrated every spring."}
    page = index.search_page(QUESTION, 5, **options)
    assert [hit.id for hit in page.hits] == [hit.id for hit in index.search(QUESTION, 5, **options)]


def test_a_passage_counts_by_meaning_only(index: Index) -> None:
    passage = "Every gauge is calibrated twice a year against the reference staff."
    assert found(index, QUESTION, mode="keyword", passage=passage) == found(index, QUESTION, mode="keyword")
    with_passage = index.search(QUESTION, passage=passage)
    assert all("reference" not in hit.why.matched for hit in with_passage)
    assert found(index, QUESTION, passage=passage) != found(index, QUESTION)


def test_there_are_at_most_six(index: Index) -> None:
    assert index.search(QUESTION, queries=[f"gauge {number}" for number in range(5)])
    with pytest.raises(SettingsError, match="more than 6 phrasings"):
        index.search(QUESTION, queries=[f"gauge {number}" for number in range(6)])
    with pytest.raises(SettingsError, match="10,001 characters"):
        index.search(QUESTION, passage="x" * 10_001)

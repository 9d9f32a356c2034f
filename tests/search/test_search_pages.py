"""Pages of hits: an honest total, pages that fit together, and facets that keep their promise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from headnote import Facet, Hit, Index, SearchPage, SettingsError, Why
from headnote.search.hits import READ_BATCH, Reasons, hit_of
from headnote.search.query import MODES
from headnote.search.ranking import MIN_SIMILARITY
from headnote.store.rows import StoredChunk

pytest_plugins = ("store_fixtures",)

WORDS = ("gauge", "harbour", "tide", "battery", "mast", "winter", "report", "chain")
FOLDERS = ("", "guides/", "guides/setup/", "logs/2024/", "logs/2025/", "odd [1]/", "odd *?/")
TAGS = ((), ("water",), ("water/deep",), ("todo", "water"))
LAWS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def write_notes(root: Path, count: int = 120) -> None:
    """Notes with words, folders, tags and fields in every combination; one in seven copies another."""
    for number in range(count):
        folder = root / FOLDERS[number % len(FOLDERS)]
        folder.mkdir(parents=True, exist_ok=True)
        tags = ", ".join(TAGS[number // 2 % len(TAGS)])
        first, second = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
        own = "copied" if number % 7 == 0 else f"number {number} of {count}"
        (folder / f"note-{number}.md").write_text(
            f"---\ntags: [{tags}]\nstatus: {'Draft' if number % 3 else 'done'}\nweight: {number}\n---\n"
            f"# About the {first}\n\nThe {first} beside the {second}, {own}.\n\n"
            f"## Its {second}\n\nWhat the {second} needs. {'#later' if number % 5 == 0 else ''}\n",
            encoding="utf-8",
        )


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("pages")
    write_notes(root)
    with Index.open(root, embedder="hashing:64", max_tokens=60, min_tokens=10) as opened:
        opened.update()
        yield opened


@pytest.fixture
def index_anywhere(store_target: str, tmp_path: Path) -> Iterator[Index]:
    """The same in each store."""
    write_notes(tmp_path, 48)
    with Index.open(
        tmp_path, embedder="hashing:64", max_tokens=60, min_tokens=10, store=store_target or "sqlite"
    ) as opened:
        opened.update()
        yield opened


queries = st.one_of(
    st.lists(st.sampled_from((*WORDS, "gaug", "harbuor", "xyzzy", "copied")), min_size=1, max_size=3).map(" ".join),
    st.text(max_size=12),
    st.text('¼½²①٣Ä:Û"-()~tagpath *', max_size=10),
)
choices = {
    "fusion": st.sampled_from(("weighted", "rrf")),
    "per_document": st.sampled_from((0, 1)),
    "budget": st.sampled_from((0, 200)),
    "expand": st.sampled_from(("none", "neighbours", "section")),
}
"""What is shown of that which is found."""
options = st.fixed_dictionaries(
    {"mode": st.sampled_from(MODES)},
    optional={
        **choices,
        "min_score": st.sampled_from((0.0, 0.2, 0.5)),
        "path": st.sampled_from(("/guides/", "logs", "*-1*.md", "/odd \\[1]/")),
        "tags": st.sampled_from((["water"], ["water", "todo"], ["later"])),
        "where": st.sampled_from(({"status": "draft"}, {"status": "done"})),
        "recency_days": st.sampled_from((0.0, 30.0)),
    },
)


def places(hits: tuple[Hit, ...] | list[Hit]) -> list[tuple[str, int]]:
    return [(hit.path, hit.start) for hit in hits]


def narrowed(chosen: dict[str, Any], facet: Facet) -> dict[str, Any]:
    """The options of a search that a facet narrows: tags and fields join those that are given."""
    more = facet.options
    if "tags" in more:
        more["tags"] = [*chosen.get("tags", []), *more["tags"]]
    if "where" in more:
        more["where"] = {**chosen.get("where", {}), **more["where"]}
    return {**chosen, **more}


@LAWS
@given(query=queries, chosen=options, limit=st.integers(1, 30), offset=st.integers(0, 40))
@example(query="", chosen={"mode": "hybrid", "budget": 200}, limit=1, offset=9)
def test_pages_make_up_one_list_and_show_no_more_than_is_found(
    index: Index, query: str, chosen: dict[str, Any], limit: int, offset: int
) -> None:
    whole = index.search_page(query, 1000, **chosen)
    page = index.search_page(query, limit, offset=offset, **chosen)
    assert places(page.hits) == places(whole.hits[offset : offset + limit])
    assert page.total == whole.total >= len(whole.hits)
    assert (page.facets, page.offset) == (whole.facets, offset)


@LAWS
@given(query=queries, chosen=options)
def test_a_facet_says_what_its_filter_finds(index: Index, query: str, chosen: dict[str, Any]) -> None:
    page = index.search_page(query, 5, **chosen)
    for facet in page.facets:
        assert 0 < facet.total < page.total
        assert index.search_page(query, 1, facets=False, **narrowed(chosen, facet)).total == facet.total, facet


@LAWS
@given(
    query=queries,
    chosen=st.fixed_dictionaries({"mode": st.sampled_from(MODES)}, optional=choices),
    limit=st.sampled_from((1, 10, 100)),
)
@example(query="¼:ÛÔ:Ä", chosen={"mode": "hybrid"}, limit=100)
@example(query="¼:ÛÔ:Ä", chosen={"mode": "hybrid", "per_document": 1}, limit=100)
@example(query="harbuor", chosen={"mode": "hybrid"}, limit=1)
def test_the_first_hits_are_those_of_a_search(index: Index, query: str, chosen: dict[str, Any], limit: int) -> None:
    # Literally: a query of operators alone lists documents, and ranks none.
    page = index.search_page(query, limit, literal=True, **chosen)
    hits = index.search(query, limit, literal=True, **chosen)
    # A search may show more than what is found, such as what its hits link to.
    all_found = set(places(index.search_page(query, 1000, literal=True, **chosen).hits))
    found = [place for place in places(hits) if place in all_found]
    assert places(page.hits)[: len(found)] == found
    assert bool(page.total) == bool(found)
    by_words_or_meaning = [hit for hit in hits if hit.why.keyword_rank or hit.why.similarity >= MIN_SIMILARITY]
    assert set(places(by_words_or_meaning)) <= set(found)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@LAWS
@given(query=queries)
def test_by_words_everything_with_a_word_is_found(index: Index, query: str) -> None:
    page = index.search_page(query, 1000, "keyword", min_score=0, literal=True)
    assert all(hit.why.keyword_rank for hit in page.hits)
    assert len({hit.key for hit in page.hits}) == len(page.hits)


def test_by_meaning_a_list_ends_where_nothing_is_relevant(index: Index) -> None:
    page = index.search_page("gauge beside the harbour", 1000, "semantic")
    assert page.hits
    assert all(hit.why.similarity >= MIN_SIMILARITY for hit in page.hits)
    assert page.total < index.search_page("gauge beside the harbour", 1, "semantic", min_score=0).total


def test_copies_are_found_and_not_shown(index: Index) -> None:
    page = index.search_page("needs", 1000, "keyword")
    assert len(page.hits) < page.total


def test_folders_lead_down_one_by_one(index: Index) -> None:
    page = index.search_page("tide", 1)
    folders = [facet for facet in page.facets if facet.kind == "folder"]
    assert {facet.value for facet in folders} == {"guides/", "logs/", "odd [1]/", "odd *?/"}
    below = index.search_page("tide", 1, **next(facet.options for facet in folders if facet.value == "logs/"))
    assert {facet.value for facet in below.facets if facet.kind == "folder"} == {"logs/2024/", "logs/2025/"}


def test_fields_group_and_numbers_do_not(index: Index) -> None:
    facets = index.search_page("tide", 1).facets
    assert {(facet.name, facet.value) for facet in facets if facet.kind == "field"} == {
        ("status", "draft"),
        ("status", "done"),
    }
    assert {"water", "water/deep", "todo", "later"} <= {facet.value for facet in facets if facet.kind == "tag"}


def test_both_stores_find_the_same(index_anywhere: Index) -> None:
    index = index_anywhere
    for mode in MODES:
        for chosen in ({}, {"tags": ["water"]}, {"path": "/guides/"}):
            page = index.search_page("harbour tide", 1000, mode, **chosen)
            assert page.total >= len(page.hits) > 0
            parts = [index.search_page("harbour tide", 7, mode, offset=at, **chosen) for at in range(0, 140, 7)]
            assert [place for part in parts for place in places(part.hits)] == places(page.hits)
            for facet in page.facets:
                assert index.search_page("harbour tide", 1, mode, **narrowed(chosen, facet)).total == facet.total


def test_hits_beyond_the_depth_of_a_search_follow(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headnote.search.engine.DEPTH", 10)
    page = index.search_page("harbour", 1000, "keyword")
    assert len(page.hits) > 20
    assert [hit.score for hit in page.hits] == sorted((hit.score for hit in page.hits), reverse=True)
    assert all(hit.why.keyword_rank for hit in page.hits)


@pytest.fixture(scope="module")
def long_documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Three documents of many passages with the same word; every tenth is short."""
    root = tmp_path_factory.mktemp("long")
    for name in "abc":
        sections = (
            f"## Part {number}\n\nTide {name}{number}{' and its number' * (number % 10)}.\n\n" for number in range(300)
        )
        (root / f"{name}.md").write_text("".join(sections), encoding="utf-8")
    with Index.open(root, embedder="none", preset="refdocs", merge=False, max_tokens=60, min_tokens=0) as opened:
        opened.update()
        assert len(opened.search_page("tide", 2000, "keyword").hits) == 900
        yield opened


@pytest.fixture
def made_hits(monkeypatch: pytest.MonkeyPatch) -> list[Hit]:
    """The hits that are made from stored chunks, shown or not."""
    made: list[Hit] = []

    def counted(chunk: StoredChunk, score: float, why: Why) -> Hit:
        made.append(hit_of(chunk, score, why))
        return made[-1]

    monkeypatch.setattr("headnote.search.hits.hit_of", counted)
    return made


def test_documents_that_are_full_are_read_no_further(long_documents: Index, made_hits: list[Hit]) -> None:
    page = long_documents.search_page("tide", 20, "keyword", per_document=1)
    assert sorted(hit.path for hit in page.hits) == ["a.md", "b.md", "c.md"]
    assert page.total == 900
    assert len(made_hits) <= READ_BATCH * 2


def test_a_budget_that_is_full_ends_the_reading(
    long_documents: Index, made_hits: list[Hit], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: dict[str, Any] = {"mode": "keyword", "budget": 300}
    whole = long_documents.search_page("tide", 1000, **chosen)
    assert sum(hit.tokens for hit in whole.hits) <= 300
    made_hits.clear()
    monkeypatch.setattr("headnote.search.selection.MAX_MISFITS", 40)
    page = long_documents.search_page("tide", 1000, **chosen)
    assert page.hits == whole.hits[: len(page.hits)]
    assert len(made_hits) < 200


def test_every_passage_is_explained_once(long_documents: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    explained: list[int] = []

    def counted(reasons: Reasons, chunk: int, path: str) -> Why:
        explained.append(chunk)
        return explain(reasons, chunk, path)

    explain = Reasons.of
    monkeypatch.setattr(Reasons, "of", counted)
    hits = long_documents.search_page("tide", 1000, "keyword").hits
    assert len(explained) == len(set(explained)) == len(hits) == 900
    assert sorted(hit.why.keyword_rank or 0 for hit in hits) == list(range(1, 901))


def test_nothing_relevant_is_an_empty_page(index: Index) -> None:
    assert index.search_page("xyzzy quux") == SearchPage((), 0)
    assert index.search_page("tide", tags="nowhere") == SearchPage((), 0)


def test_an_offset_is_a_number_from_zero(index: Index) -> None:
    with pytest.raises(SettingsError, match="offset -1 is too small"):
        index.search_page("tide", offset=-1)

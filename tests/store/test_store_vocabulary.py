"""The vocabulary and shares of terms. Every store passes these, so all give the same answers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_samples import entry, put

from headnote.store.interface import Reader, Store
from headnote.store.keyword_fields import terms_of

pytest_plugins = ("store_fixtures",)

PAGES = {
    "en.md": "# Templates\n\nA template of templates, --dry-run and templating. Configure the configuration.\n",
    "more.md": "# Categories\n\nA cat in a category, C++ and user_id.\n\n## Template\n\nAnother template.\n",
    "ja.md": "# 設定\n\n東京でサービスを設定する方法。猫\n",
    "ru.md": "# Кластеры\n\nНастройка кластеров и приём данных\n",
    "odd.md": "# Odd\n\n\U0010fffd \uffff \ufffe tem\u0000plate \U0001f600\n",
}


@pytest.fixture
def pages(store: Store) -> Store:
    put(store, *(entry(path, text) for path, text in PAGES.items()))
    return store


def counted(reader: Reader) -> Counter[str]:
    """Every term → number of chunks, counted by hand."""
    return Counter(
        term for path in reader.document_paths() for chunk in reader.chunks_of(path) for term in terms_of(chunk)
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(st.one_of(st.sampled_from(["", "t", "tem", "templat", "c", "ca", "--", "設", "кл", "z"]), st.text(max_size=2)))
def test_the_vocabulary_has_every_term_that_begins_so(pages: Store, beginning: str) -> None:
    with pages.reading() as reader:
        expected = {term: count for term, count in counted(reader).items() if term.startswith(beginning)}
        assert reader.vocabulary(beginning).counts == expected
        assert reader.term_frequencies(expected) == expected


def test_the_vocabulary_follows_updates(pages: Store) -> None:
    with pages.reading() as older:
        before = dict(older.vocabulary("cat").counts)
        assert set(before) == {"cat", "categori"}
        put(pages, entry("new.md", "# Catalogue\n\nA cat.\n"))
        with pages.writing() as writer:
            writer.remove(["more.md"])
            assert set(writer.vocabulary("cat").counts) == {"catalogu", "cat"}
        with pages.reading() as newer:
            assert newer.vocabulary("cat").counts == {"catalogu": 1, "cat": 1}
        assert older.vocabulary("cat").counts == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.floats(0.01, 1.0), st.floats(0.01, 1.0))
def test_a_term_counts_its_share(pages: Store, one: float, other: float) -> None:
    with pages.reading() as reader:
        alone = {term: {hit.chunk: hit.score for hit in reader.keyword([term], 10)} for term in ("templat", "configur")}
        hits = reader.keyword(["templat", "configur"], 10, shares={"templat": one, "configur": other})
        assert {hit.chunk: pytest.approx(hit.score, abs=1e-8) for hit in hits} == {
            chunk: one * alone["templat"].get(chunk, 0.0) + other * alone["configur"].get(chunk, 0.0)
            for chunk in alone["templat"] | alone["configur"]
        }
        assert reader.keyword(["templat"], 10, shares={"cat": 0.5}) == reader.keyword(["templat"], 10)

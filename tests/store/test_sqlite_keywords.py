"""Cached scores of terms add up to what the keyword index says itself, and are dropped when they are old."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import entry, put, search_paths

from headnote.store.filters import Filter, InPath
from headnote.store.rows import DEFAULT_WEIGHTS, Weights
from headnote.store.sqlite.sql import quoted
from headnote.store.sqlite.store import FOLDER, SqliteStore
from headnote.store.sqlite.writer import SqliteReader

WORDS = ["melon", "pear", "plum", "fig", "the"]


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """Chunks that have the words more or less often, in text or heading; some were replaced, some removed."""
    store = SqliteStore.open(tmp_path_factory.mktemp("orchard"))
    pages = []
    for number in range(60):
        words = [word for at, word in enumerate(WORDS) for _ in range(number % (at + 2))]
        pages.append(entry(f"{number}.md", f"# {WORDS[number % 4]} {number}\n\n{' '.join(words)} the\n"))
    put(store, *pages)
    put(store, *pages[::3])
    with store.writing() as writer:
        writer.remove([f"{number}.md" for number in range(10, 20)])
    yield store
    store.close()


def scored_at_once(reader: SqliteReader, terms: list[str], weights: Weights, path: str) -> dict[int, float]:
    """Chunk → what the keyword index says when it is asked for all terms together; best first."""
    rows = reader.db.execute(
        """SELECT keyword.rowid, -bm25(keyword, ?, ?, ?, ?, ?) AS score FROM keyword
        JOIN chunks c ON c.id = keyword.rowid JOIN documents d ON d.id = c.document
        WHERE keyword MATCH ? AND d.path GLOB ? ORDER BY score DESC, keyword.rowid""",
        (*weights, " OR ".join(map(quoted, terms)), path),
    )
    return dict(rows)


@settings(deadline=None)
@given(
    terms=st.lists(st.sampled_from([*WORDS, "never"]), min_size=1, max_size=6, unique=True),
    limit=st.integers(1, 70),
    weights=st.sampled_from([DEFAULT_WEIGHTS, Weights(0, 1, 0, 0, 0), Weights(0, 0, 1, 0, 0)]),
    path=st.sampled_from(["*", "2*", "nothing"]),
)
def test_sums_are_what_the_index_says_itself(
    orchard: SqliteStore, terms: list[str], limit: int, weights: Weights, path: str
) -> None:
    with orchard.reading() as reader:
        hits = reader.keyword(terms, limit, weights, Filter() if path == "*" else Filter(InPath((path,))))
        expected = scored_at_once(reader, terms, weights, path)
    assert len(hits) == min(limit, len(expected))
    assert all(hit.score == pytest.approx(expected[hit.chunk]) for hit in hits)
    assert [hit.score for hit in hits] == pytest.approx(list(expected.values())[:limit])


def test_a_term_is_asked_for_once(orchard: SqliteStore) -> None:
    with orchard.reading() as reader:
        reader.keyword(["melon", "pear"], 5)
        seen: list[str] = []
        reader.db.trace_v2(1, lambda event: seen.append(str(event["sql"])))
        try:
            reader.keyword(["pear", "melon"], 5)
            assert [sql for sql in seen if "MATCH" in sql] == []
            reader.keyword(["pear", "quince"], 5)
            assert len([sql for sql in seen if "MATCH" in sql]) == 1
        finally:
            reader.db.trace_v2(0, None)


def test_an_update_is_seen_and_an_older_view_stays_as_it_was(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    put(store, entry("a.md", "melon"))
    with store.reading() as older:
        before = older.keyword(["melon"], 5)
        put(store, entry("b.md", "melon and pear"))
        assert search_paths(store, "melon") == ["a.md", "b.md"]
        assert older.keyword(["melon"], 5) == before
        assert search_paths(store, "pear") == ["b.md"]
        assert older.keyword(["pear"], 5) == []
    assert search_paths(store, "pear") == ["b.md"], "values of the older view are not cached for newer ones"
    store.close()


def test_a_writer_sees_its_own_changes(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with store.writing() as writer:
        assert writer.keyword(["melon"], 5) == []
        writer.put([entry("a.md", "melon")])
        assert len(writer.keyword(["melon"], 5)) == 1
    store.close()


def test_another_file_of_the_same_name_and_generation_is_another_index(tmp_path: Path) -> None:
    """Someone deleted and rebuilt the index while a server ran."""
    store = SqliteStore.open(tmp_path / "here")
    put(store, entry("a.md", "melon"))
    assert (search_paths(store, "melon"), search_paths(store, "pear")) == (["a.md"], [])
    other = SqliteStore.open(tmp_path / "there")
    put(other, entry("b.md", "pear"))
    assert other.generation() == store.generation()
    other.close()
    shutil.rmtree(tmp_path / "here" / FOLDER)
    shutil.move(tmp_path / "there" / FOLDER, tmp_path / "here" / FOLDER)
    assert (search_paths(store, "melon"), search_paths(store, "pear")) == ([], ["b.md"])
    store.close()

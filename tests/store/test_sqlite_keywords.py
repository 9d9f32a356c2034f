"""The scores of terms are cached, and dropped when they are old."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_samples import entry, put, search_paths

from headnote.store.sqlite.keywords import READ_PER_QUESTION
from headnote.store.sqlite.store import FOLDER, SqliteStore

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


def test_a_search_of_many_chunks_reads_a_term_at_once_and_one_of_few_does_not(tmp_path: Path) -> None:
    """Each search asks of hundreds of chunks whether they have a mark that no query has."""
    store = SqliteStore.open(tmp_path)
    count = READ_PER_QUESTION + 1
    put(store, *(entry(f"{number:02}.md", "melon" if number else "pear") for number in range(count + 1)))
    with store.reading() as reader:
        pear, *melons = (chunk.id for number in range(count + 1) for chunk in reader.chunks_of(f"{number:02}.md"))
        seen: list[str] = []
        reader.db.trace_v2(1, lambda event: seen.append(str(event["sql"])))
        try:
            assert reader.terms_in([pear], ["melon", "quince"]) == {pear: set()}
            assert reader.terms_in(melons[:1], ["melon", "quince"]) == {melons[0]: {"melon"}}
            assert [sql for sql in seen if "bm25" in sql] == []
            seen.clear()
            for _ in range(2):
                found = reader.terms_in([pear, *melons], ["melon", "quince"])
                assert found == {pear: set()} | {chunk: {"melon"} for chunk in melons}
            assert len([sql for sql in seen if "MATCH" in sql]) == 1
        finally:
            reader.db.trace_v2(0, None)
    store.close()


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

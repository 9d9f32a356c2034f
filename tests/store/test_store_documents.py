"""What is put comes back; what is removed is gone. Every store passes these."""

from __future__ import annotations

import datetime
import hashlib
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_samples import entry, paths, put, search_paths

import headnote
from headnote.chunking.records import comments_left_out
from headnote.index.entries import chunk_row
from headnote.model.chunk import BREADCRUMB, OVERLAP
from headnote.sources.repository import ListedFile
from headnote.store.codec import columns_of
from headnote.store.filters import All, DatedAt, FieldIs, Filter, HasTag, InPath
from headnote.store.interface import Store
from headnote.store.rows import Columns, DocumentEntry, Extents, NonText

pytest_plugins = ("store_fixtures",)


def test_files_without_text_are_remembered(store: Store) -> None:
    files = [NonText("a.md", 5, 2**62, "binary, not text"), NonText("\ud800.md", 0, -1, "\0")]
    with store.writing() as writer:
        writer.set_non_texts(files)
    generation = store.generation()
    with store.writing() as writer:
        assert writer.non_texts() == {file.path: file for file in files}
        writer.set_non_texts(files)
    assert store.generation() == generation
    with store.writing() as writer:
        writer.set_non_texts(files[1:])
    with store.reading() as reader:
        assert list(reader.non_texts().values()) == files[1:]
    with store.writing() as writer:
        writer.clear()
        assert writer.non_texts() == {}


def test_summaries_have_what_a_list_shows(store: Store) -> None:
    text = "---\ntags: [Pumps, log/Daily]\n---\n\n# A\n\nA #valve and #pumps.\n"
    put(store, entry("b.md", text, mtime_ns=2**62), entry("\ud800.md", "text"))
    with store.reading() as reader:
        first, second = reader.summaries()
        assert (first.path, first.chunks, first.size) == ("b.md", len(reader.chunks_of("b.md")), len(text))
    assert (first.mtime_ns, first.tags) == (2**62, ("log/daily", "pumps", "valve"))
    assert (second.path, second.tags, second.links) == ("\ud800.md", (), 0)


def test_headings_are_listed_by_document(store: Store) -> None:
    one = entry("b.md", "# A\n\nText.\n")
    [chunk] = one.chunks
    several = [chunk._replace(headings=("A", "B")), chunk._replace(number=1, headings=())]
    put(store, one._replace(chunks=[chunk._replace(headings=("A",))]), entry("c.md", "text"))
    put(store, entry("d.md", "# A\n\nText.\n")._replace(chunks=several))
    with store.reading() as reader:
        assert reader.headings() == {"b.md": [("A", 1, True)], "d.md": [("A", 1, False), ("B", 1, False)]}


SMALL = {"mdvdb": {"max_tokens": 60}, "ragdocs": {"max_tokens": 300}, "blocks": {"max_tokens": 120}}
"""Sizes at which a short page is cut, with overlap, fences reopened and table headers repeated."""

PICTURE = f"# A\n\nBefore ![x](data:image/png;base64,{'QUJD' * 40}) after.\n\n## B\n\nMore text here.\n"
HIDDEN_PICTURE = f"# data:image/png;base*64*,{'QUJD' * 40}\n\nText.\n"


def without(comments: Extents, shown: str, source: str) -> str:
    """A text of a chunk as the index shows it: comments that do not count are gone, their line ends stay."""
    for start, end in comments:
        shown = shown.replace(source[start:end], re.sub(r"[^\r\n]", "", source[start:end]))
    return shown


def same_chunks(store: Store, path: str, text: str, preset: str, **more: Any) -> None:
    chunks = headnote.chunk(text, path=path, preset=preset, **more)
    with store.reading() as reader:
        stored = reader.chunks_of(path)
        assert reader.chunks([chunk.id for chunk in reversed(stored)]) == stored[::-1]
    assert [chunk.row for chunk in stored] == list(map(chunk_row, chunks))
    for one, chunk in zip(stored, chunks, strict=True):
        assert (one.path, one.chunk_id, one.key) == (chunk.path, chunk.id, chunk.key)
        assert one.text == without(comments_left_out(chunks), chunk.text, text)
        assert one.embed_text == chunk.embed_text
        assert hashlib.blake2b(one.embed_text.encode(), digest_size=16).hexdigest() == one.row.hash
        assert (one.row.tags, one.row.overlap, one.row.heading_path) == (chunk.tags, chunk.overlap, chunk.heading_path)


@pytest.mark.parametrize("preset", headnote.presets())
@pytest.mark.parametrize("small", [False, True])
def test_real_documents_come_back(store: Store, handbook: Path, preset: str, small: bool) -> None:
    more = SMALL.get(preset, {"max_tokens": 200}) if small else {}
    texts = {str(file): file.read_text(encoding="utf-8") for file in sorted(handbook.glob("*.md*"))}
    assert texts
    put(store, *(entry(path, text, preset, **more) for path, text in texts.items()))
    for path, text in texts.items():
        same_chunks(store, path, text, preset, **more)
        with store.reading() as reader:
            assert reader.document(path) == entry(path, text, preset, **more).document
            assert reader.links_from(path) == list(entry(path, text, preset, **more).links)
    assert store.check() == []


@pytest.mark.parametrize("preset", headnote.presets())
@pytest.mark.parametrize("text", [PICTURE, HIDDEN_PICTURE, "", "plain", "\ufeff# B\r\n\r\ntext\r", "a\0b"])
@pytest.mark.parametrize("breadcrumb", [False, True])
def test_odd_documents_come_back(store: Store, preset: str, text: str, breadcrumb: bool) -> None:
    put(store, entry("odd.md", text, preset, breadcrumb=breadcrumb))
    same_chunks(store, "odd.md", text, preset, breadcrumb=breadcrumb)
    assert store.check() == []


def test_an_overlap_that_the_breadcrumb_has_too_comes_back(store: Store) -> None:
    text = f"# Install\n\nInstall\n\n{'word ' * 30}\n\nInstall\n\n{'other ' * 30}\n"
    small = {"max_tokens": 40, "target_tokens": 40, "min_tokens": 0, "overlap_tokens": 4}
    one = entry("a.md", text, "default", **small)
    assert {row.front for row in one.chunks} >= {(BREADCRUMB, OVERLAP, "\n\n")}
    put(store, one)
    same_chunks(store, "a.md", text, "default", **small)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF), max_size=60),
    st.text(st.characters(min_codepoint=1, max_codepoint=0x10FFFF), min_size=1, max_size=12),
)
def test_any_text_and_any_path_come_back(store: Store, text: str, path: str) -> None:
    one = entry(path, f"# {text}\n\n{text}\n\n[{text}]({text})\n")
    with store.writing() as writer:
        writer.clear()
        writer.put([one])
    with store.reading() as reader:
        assert reader.document(path) == one.document
        assert [chunk.row for chunk in reader.chunks_of(path)] == one.chunks
        assert reader.links_from(path) == one.links
        assert list(reader.files()) == [path]
    assert store.check() == []


def test_metadata_keep_their_types(store: Store) -> None:
    text = "---\ntitle: T\ndate: 2026-01-02\nat: 2026-01-02T03:04:05Z\nn: [1, 2.5, null, true]\n---\n\ntext\n"
    put(store, entry("a.md", text))
    with store.reading() as reader:
        document = reader.document("a.md")
    assert document is not None
    assert document.metadata["date"] == datetime.date(2026, 1, 2)
    assert document.metadata["n"] == [1, 2.5, None, True]
    assert document.title == "T"


def test_a_document_is_replaced_as_a_whole(store: Store) -> None:
    put(store, entry("a.md", "# Old\n\nancient words\n"), entry("b.md", "# Other\n\nwords\n"))
    put(store, entry("a.md", "# New\n\nmodern words\n", mtime_ns=2))
    assert search_paths(store, "ancient") == []
    assert search_paths(store, "modern") == ["a.md"]
    with store.reading() as reader:
        assert [chunk.row.heading_path for chunk in reader.chunks_of("a.md")] == [("New",)]
        assert reader.counts().chunks == 2
    assert store.check() == []


def test_the_last_of_one_path_counts(store: Store) -> None:
    put(store, entry("a.md", "one"), entry("a.md", "two"))
    assert search_paths(store, "one two") == ["a.md"]
    with store.reading() as reader:
        assert [chunk.text for chunk in reader.chunks_of("a.md")] == ["two"]


def test_a_removed_document_is_gone(store: Store) -> None:
    put(store, entry("a.md", "alpha"), entry("b.md", "beta"))
    with store.writing() as writer:
        writer.remove(["a.md", "never.md"])
    assert paths(store) == ["b.md"]
    assert search_paths(store, "alpha") == []
    with store.reading() as reader:
        assert reader.document("a.md") is None
        assert reader.chunks_of("a.md") == []
    assert store.check() == []


def test_a_renamed_document_keeps_its_chunks(store: Store) -> None:
    put(store, entry("a.md", "# A\n\nalpha"), entry("b.md", "beta"))
    with store.reading() as reader:
        before = reader.chunks_of("a.md")
    with store.writing() as writer:
        writer.rename("a.md", "folder/c.md")
        writer.rename("folder/c.md", "folder/c.md")
    with store.reading() as reader:
        after = reader.chunks_of("folder/c.md")
        assert [chunk.row for chunk in after] == [chunk.row for chunk in before]
        assert [chunk.id for chunk in after] == [chunk.id for chunk in before]
        assert after[0].key.startswith("folder/c.md#")
        assert after[0].chunk_id == "folder/c.md#0"
    assert search_paths(store, "alpha") == ["folder/c.md"]
    assert store.check() == []


def test_a_rename_replaces_what_had_the_name(store: Store) -> None:
    put(store, entry("a.md", "alpha"), entry("b.md", "beta"))
    with store.writing() as writer:
        writer.rename("a.md", "b.md")
    assert paths(store) == ["b.md"]
    assert search_paths(store, "alpha beta") == ["b.md"]
    assert search_paths(store, "beta") == []


def test_a_touched_file_is_known_by_its_new_time(store: Store) -> None:
    one = entry("a.md", "alpha")
    put(store, one)
    with store.writing() as writer:
        writer.touch("a.md", 77, 88)
    with store.reading() as reader:
        assert reader.files() == {"a.md": ListedFile("a.md", 77, 88, one.document.hash)}


def test_the_generation_counts_updates_that_change_something(store: Store) -> None:
    assert store.generation() == 0
    put(store, entry("a.md", "alpha"))
    assert store.generation() == 1
    with store.writing() as writer:
        writer.remove(["never.md"])
        writer.set_manifest({})
        writer.sweep()
    assert store.generation() == 1
    with store.writing() as writer:
        writer.touch("a.md", 1, 2)
    assert store.generation() == 2
    with store.reading() as reader:
        assert reader.generation() == 2


def test_the_manifest_is_replaced(store: Store) -> None:
    with store.writing() as writer:
        writer.set_manifest({"model": "a", "gone": "x"})
    with store.writing() as writer:
        writer.set_manifest({"model": "b", "ünï\0\udc80": ""})
    with store.reading() as reader:
        assert reader.manifest() == {"model": "b", "ünï\0\udc80": ""}


def test_clear_leaves_nothing_to_find(store: Store) -> None:
    put(store, entry("a.md", "alpha [x](y.md)"))
    with store.writing() as writer:
        writer.clear()
    assert paths(store) == []
    assert search_paths(store, "alpha") == []
    assert store.check() == []
    put(store, entry("a.md", "alpha"))
    assert search_paths(store, "alpha") == ["a.md"]
    assert store.check() == []


def test_chunks_that_do_not_exist_are_left_out(store: Store) -> None:
    put(store, entry("a.md", "alpha"))
    with store.reading() as reader:
        (chunk,) = reader.chunks_of("a.md")
        assert [one.id for one in reader.chunks([chunk.id + 7, chunk.id, chunk.id])] == [chunk.id, chunk.id]
        assert reader.chunks([]) == []


def test_counts_say_how_much_there_is(store: Store) -> None:
    put(store, entry("a.md", "# A\n\nalpha [x](y.md)"), entry("b.md", "beta"))
    with store.reading() as reader:
        counts = reader.counts()
    assert (counts.documents, counts.chunks, counts.links, counts.generation) == (2, 2, 1, 1)
    assert counts.bytes_on_disk > 0
    assert counts.updated_ns is not None


def test_terms_may_be_worked_out_elsewhere(store: Store) -> None:
    one = entry("a.md", "# Alpha\n\nbeta\n")
    put(store, columns_of(one))
    assert search_paths(store, "beta") == ["a.md"]
    assert store.check() == []


def test_an_entry_as_columns_is_stored_as_the_entry_itself(store: Store) -> None:
    """As columns it comes from another process."""
    text = "---\ntags: [pumps]\nn: 1\n---\n\n# A\n\nA #valve, [\udcff](b.md#one) and [[\uffff]].\n\n# B\n\nMore.\n"
    whole = entry("\ud800.md", text, max_tokens=20)
    assert len(whole.chunks) > 1
    assert len(whole.links) == 2
    columns = pickle.loads(pickle.dumps(columns_of(whole)))
    stored = [_everything(store, one) for one in (whole, columns)]
    assert stored[0] == stored[1]
    assert store.check() == []


def _everything(store: Store, one: DocumentEntry | Columns) -> list[Any]:
    with store.writing() as writer:
        writer.clear()
        writer.put([one])
    with store.reading() as reader:
        chunks = [chunk.row for chunk in reader.chunks_of("\ud800.md")]
        found = [search_paths(store, query) for query in ("valve", "more", "nothing")]
        seen = [reader.document("\ud800.md"), reader.links_from("\ud800.md"), reader.tags(), reader.field_names()]
        return [chunks, found, *seen]


def test_a_failed_step_leaves_the_rest_of_the_update(store: Store) -> None:
    bad = entry("b.md", "beta")
    with store.writing() as writer:
        writer.put([entry("a.md", "alpha")])
        with pytest.raises(ValueError, match="non-hexadecimal"):
            writer.put([DocumentEntry(bad.document, [bad.chunks[0]._replace(hash="no hash")])])
        writer.put([entry("c.md", "gamma")])
    assert paths(store) == ["a.md", "c.md"]
    assert store.check() == []


def test_a_failed_update_changes_nothing(store: Store) -> None:
    put(store, entry("a.md", "alpha"))

    def fail() -> None:
        with store.writing() as writer:
            writer.put([entry("b.md", "beta")])
            writer.remove(["a.md"])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert paths(store) == ["a.md"]
    assert store.generation() == 1
    assert store.check() == []


def test_the_doctor_sees_two_chunks_with_one_id(store: Store) -> None:
    two = entry("a.md", "# A\n\nalpha\n\n# B\n\nbeta\n", min_tokens=0)
    first, second = two.chunks
    put(store, two)
    assert store.check() == []
    put(store, two._replace(chunks=[first, second._replace(id_tail=first.id_tail)]))
    assert store.check() == ["a.md: several chunks have the id #0"]
    put(store, two._replace(chunks=[first, second._replace(key_tail=first.key_tail)]))
    assert store.check() == [f"a.md: several chunks have the id {first.key_tail}"]


def test_tags_of_documents_and_chunks_and_whether_anything_passes(store: Store) -> None:
    put(
        store,
        entry("a.md", "---\ntags: [Area/Net, tide]\nstatus: draft\n---\n# A\n\nText #inline.\n"),
        entry("b/c.md", "---\ntags: tide\n---\n# C\n\nText.\n", mtime_ns=5),
    )
    with store.reading() as reader:
        assert reader.tags() == {"tide": 2, "area/net": 1, "inline": 1}
        assert next(iter(reader.tags())) == "tide"
        for passing in (None, InPath(("b",)), All((HasTag("area"), HasTag("TIDE"))), DatedAt(">=", 5)):
            assert reader.has_any(Filter(passing))
        for empty in (InPath(("z",)), HasTag("net"), FieldIs("status", "=", ("done",), is_text=True)):
            assert not reader.has_any(Filter(empty))
        assert not reader.has_any(Filter(All((InPath(("b",)), HasTag("area")))))

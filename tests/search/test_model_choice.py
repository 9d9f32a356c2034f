"""One search, one model: the deep one if its vectors are complete for what is searched, else the instant one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from index_states import Vectors, opened, put_file, write

import headnote
from headnote.embedding.embedder import HashingEmbedder
from headnote.embedding.registry import Models
from headnote.index.text_vectors import embed_in_parts, whole
from headnote.search.ranking import model_for
from headnote.store.filters import Filter, InPath
from headnote.store.quantized import names_of

pytest_plugins = ("store_fixtures",)

INSTANT, DEEP = HashingEmbedder(32), HashingEmbedder(64)
BOTH = Models(INSTANT, DEEP)
PAGES = {
    f"{folder}/page{number}.md": f"# Pump {number}\n\nThe pump {number} of {folder} leaks.\n\n## Valve\n\nTurn it."
    for folder in ("north", "south")
    for number in range(3)
}


class Blind(HashingEmbedder):
    """Reads nothing."""

    def __init__(self) -> None:
        super().__init__(16)
        self.name = "blind"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.zeros((len(texts), self.dimensions), np.float32)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "root", PAGES)
    return tmp_path / "root"


@pytest.fixture
def index(root: Path) -> Iterator[headnote.Index]:
    with headnote.Index.open(root, embedder=BOTH) as index:
        index.update(workers=1, vectors=False)
        yield index


def answered_by(index: headnote.Index, **options: Any) -> set[str]:
    hits = index.search("the pump leaks", min_score=0.0, **options)
    assert hits
    return {hit.why.model for hit in hits}


@pytest.mark.usefixtures("everywhere")
def test_the_instant_model_answers_until_the_deep_one_is_complete(index: headnote.Index) -> None:
    assert answered_by(index) == {INSTANT.name}
    status = index.status()
    assert (status.answering, status.model) == (INSTANT.name, DEEP.name)
    assert [(model.role, model.pending > 0) for model in status.models] == [("instant", False), ("deep", True)]
    index.update(workers=1)
    assert answered_by(index) == {DEEP.name}
    assert (index.status().answering, index.status().pending) == (DEEP.name, 0)


@pytest.mark.usefixtures("everywhere")
def test_with_a_filter_only_what_passes_counts(index: headnote.Index, root: Path) -> None:
    index.update(workers=1)
    put_file(root / "south/page1.md", b"# Pump 1\n\nIt leaks no more.", 900)
    index.update(workers=1, vectors=False)
    assert answered_by(index) == {INSTANT.name}
    assert answered_by(index, path="north") == {DEEP.name}
    assert answered_by(index, path="south") == {INSTANT.name}
    index.update(workers=1)
    assert answered_by(index, path="south") == {DEEP.name}


@pytest.mark.usefixtures("everywhere")
def test_a_name_without_a_vector_counts_too(index: headnote.Index, root: Path) -> None:
    write(root, {"north/plain.md": "no heading"})
    index.update(workers=1)
    (root / "north/plain.md").rename(root / "north/other.md")
    index.update(workers=1, vectors=False)
    assert answered_by(index, path="south") == {DEEP.name}
    assert answered_by(index, path="north") == {INSTANT.name}


@pytest.mark.usefixtures("everywhere")
@pytest.mark.parametrize("seed", range(6))
def test_never_a_mixture(index: headnote.Index, root: Path, seed: int) -> None:
    """Whatever part of the deep vectors there is."""
    random = Random(seed)
    with closing(opened(root)) as store:
        with store.writing() as writer:
            chunks = [chunk for path in writer.document_paths() for chunk in writer.chunks_of(path)]
            texts = {chunk.row.hash: chunk.embed_text for chunk in chunks}
            names = {name for chunk in chunks for name in names_of(chunk.title, chunk.row.heading_path)}
            some = [digest for digest in texts if random.random() < 0.8]
            some_names = [name for name in sorted(names) if random.random() < 0.9]
            parts = embed_in_parts(DEEP, [texts[digest] for digest in some])
            writer.add_vectors(DEEP.name, some, whole(parts), parts)
            writer.add_names(DEEP.name, some_names, DEEP.embed(some_names))
        for path in (None, "north", "south", "page1.md", "north/page2.md"):
            only = Filter(InPath((path,))) if path else Filter()
            prefix = path or ""
            passing = [chunk for chunk in chunks if prefix in chunk.path]
            complete = all(
                chunk.row.hash in some and set(names_of(chunk.title, chunk.row.heading_path)) <= set(some_names)
                for chunk in passing
            )
            with store.reading() as reader:
                assert reader.has_all_vectors(DEEP.name, only) == complete
                chosen = model_for(reader, BOTH, only)
            assert chosen is (DEEP if complete else INSTANT)
            assert answered_by(index, path=path) == {chosen.name}


def test_a_query_that_the_model_cannot_read_is_searched_by_words(root: Path) -> None:
    with headnote.Index.open(root, embedder=Models(Blind())) as index:
        index.update(workers=1)
        assert index.check() == [], "texts that it cannot read have vectors, too: zeros"
        assert index.status().pending == 0
        hits = index.search("pump leaks")
        assert {hit.why.semantic_rank for hit in hits} == {None}
        assert index.search("pump leaks", mode="semantic") == []


def test_instant_vectors_of_another_time_are_not_used(root: Path) -> None:
    """The index says which model has all its vectors; leftovers of another one may lack some."""
    with headnote.Index.open(root, embedder=BOTH) as index:
        index.update(workers=1)
    with headnote.Index.open(root, embedder=Models()) as index:
        write(root, {"new.md": "# New\n\nThe pump leaks here."})
        index.update(workers=1, vectors=False)
    with headnote.Index.open(root, embedder=BOTH, read_only=True) as index:
        assert answered_by(index) == {""}


@pytest.mark.usefixtures("everywhere")
def test_a_deep_model_that_stands_alone_answers_with_what_it_has(root: Path) -> None:
    with headnote.Index.open(root, embedder=DEEP) as index:
        index.update(workers=1)
        put_file(root / "south/page1.md", b"# Pump 1\n\nIt leaks no more.", 900)
        index.update(workers=1, vectors=False)
        assert answered_by(index, path="north") == {DEEP.name}
        assert DEEP.name in answered_by(index)

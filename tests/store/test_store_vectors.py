"""Vectors by model and hash. Every store passes these."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from store_samples import entry, put, stored_vectors

from headnote.store.filters import Filter, HasTag, InPath
from headnote.store.integrity import Damaged
from headnote.store.interface import Store, Writer
from headnote.store.quantized import names_of

pytest_plugins = ("store_fixtures",)

DIMS = 8


def vector_of(text: str) -> NDArray[np.float32]:
    """Another one for every text, and the same one every time, exact in half precision."""
    return (np.frombuffer(text.encode().ljust(DIMS, b"\0")[-DIMS:], np.uint8) / np.float32(256)).astype(np.float32)


def embed_pending(writer: Writer, model: str = "m") -> int:
    done = 0
    while pending := writer.pending(model, 3):
        writer.add_vectors(model, [text.hash for text in pending], np.stack([vector_of(text.text) for text in pending]))
        done += len(pending)
    if names := writer.pending_names(model):
        writer.add_names(model, names, np.stack([vector_of(name) for name in names]))
    return done


def consistent(store: Store, model: str = "m") -> int:
    """Every chunk has the vector of its text, and finds itself by it; how many vectors there are."""
    with store.reading() as reader:
        vectors = stored_vectors(reader, model)
        for chunk in [chunk for path in reader.document_paths() for chunk in reader.chunks_of(path)]:
            vector = vector_of(chunk.embed_text)
            assert np.array_equal(vectors[chunk.row.hash], vector)
            assert chunk.id in {identity for identity, _ in reader.nearest(model, vector, len(vectors))}
        assert reader.pending_count(model) == 0
    assert store.check() == []
    return len(vectors)


def pages(first: int, last: int) -> list[str]:
    return [f"text {number}" for number in range(first, last)]


def test_texts_without_vector_are_pending_once(store: Store) -> None:
    put(store, entry("a.md", "same"), entry("b.md", "same"), entry("c.md", "other"))
    with store.reading() as reader:
        assert [text.text for text in reader.pending("m", 10)] == ["same", "other"]
        assert reader.pending("m", 0) == []
        assert reader.models() == {}
    with store.writing() as writer:
        assert embed_pending(writer) == 2
    assert consistent(store) == 2
    with store.reading() as reader:
        assert reader.models() == {"m": DIMS}


def test_more_vectors_than_fit_one_block(store: Store) -> None:
    texts = pages(0, 2500)
    put(store, *(entry(f"{number}.md", text) for number, text in enumerate(texts)))
    with store.writing() as writer:
        pending = writer.pending("m", 5000)
        matrix = np.stack([vector_of(text.text) for text in pending])
        writer.add_vectors("m", [text.hash for text in pending], matrix)
    with store.reading() as reader:
        vectors = stored_vectors(reader, "m")
        assert np.array_equal(np.stack([vectors[text.hash] for text in pending]), matrix)
        query = np.ones(DIMS, np.float32)
        assert len(reader.nearest("m", query, 5000)) == 2500
        assert len(reader.nearest("m", query, 5000, Filter(InPath(("2*.md",))))) == 1 + 10 + 100 + 500


def test_unchanged_chunks_keep_their_vector(store: Store) -> None:
    put(store, *(entry(text, text) for text in pages(0, 5)))
    with store.writing() as writer:
        embed_pending(writer)
    with store.writing() as writer:
        writer.put([entry("text 1", "changed"), entry("text 2", "text 2", mtime_ns=9)])
        writer.rename("text 3", "elsewhere")
        assert [text.text for text in writer.pending("m", 9)] == ["changed"]
        embed_pending(writer)
        assert writer.sweep() == 1
    consistent(store)


def test_free_slots_are_used_again(store: Store) -> None:
    put(store, *(entry(text, text) for text in pages(0, 20)))
    with store.writing() as writer:
        embed_pending(writer)
    for round_ in range(1, 4):
        with store.writing() as writer:
            gone = writer.document_paths()[::2]
            writer.remove(gone)
            assert writer.sweep() == len(gone)
        assert consistent(store) == 20 - len(gone)
        put(store, *(entry(text, text) for text in pages(20 * round_, 20 * round_ + len(gone))))
        with store.writing() as writer:
            embed_pending(writer)
        assert consistent(store) == 20


def test_a_model_without_chunks_is_empty(store: Store) -> None:
    put(store, entry("a.md", "alpha"))
    with store.writing() as writer:
        embed_pending(writer)
        writer.remove(["a.md"])
        assert writer.sweep() == 1
    with store.reading() as reader:
        assert reader.models() == {"m": DIMS}
        assert reader.nearest("m", np.ones(DIMS, np.float32), 9) == []
    put(store, entry("b.md", "beta"))
    with store.writing() as writer:
        embed_pending(writer)
    assert consistent(store) == 1


def test_vectors_outlive_a_rebuild(store: Store) -> None:
    put(store, entry("a.md", "alpha"), entry("b.md", "beta"))
    with store.writing() as writer:
        embed_pending(writer)
    with store.writing() as writer:
        writer.clear()
        writer.put([entry("a.md", "alpha"), entry("c.md", "gamma")])
        assert [text.text for text in writer.pending("m", 9)] == ["gamma"]
        embed_pending(writer)
        assert writer.sweep() == 1
    consistent(store)


def test_two_models_live_side_by_side_until_one_is_swept(store: Store) -> None:
    put(store, *(entry(text, text) for text in pages(0, 5)))
    with store.writing() as writer:
        embed_pending(writer, "old")
    with store.writing() as writer:
        assert len(writer.pending("new", 9)) == 5
        assert embed_pending(writer, "new") == 5
    consistent(store, "old")
    consistent(store, "new")
    with store.writing() as writer:
        assert writer.sweep(["new"]) == 5
    with store.reading() as reader:
        assert reader.models() == {"new": DIMS}
        assert stored_vectors(reader, "old") == {}
    consistent(store, "new")


def test_a_vector_may_be_replaced(store: Store) -> None:
    put(store, entry("a.md", "alpha"))
    with store.writing() as writer:
        ((digest, text),) = writer.pending("m", 1)
        writer.add_vectors("m", [digest], np.ones((1, DIMS)))
        writer.add_vectors("m", [digest, digest], np.stack([np.zeros(DIMS), vector_of(text)]))
        embed_pending(writer)
    consistent(store)


def test_new_vectors_are_found_at_once(store: Store) -> None:
    put(store, entry("a.md", "alpha"))
    with store.writing() as writer:
        embed_pending(writer)
    query = np.ones(DIMS, np.float32)
    with store.reading() as older:
        assert len(older.nearest("m", query, 9)) == 1
        put(store, entry("b.md", "beta"))
        with store.writing() as writer:
            assert len(writer.nearest("m", query, 9)) == 1
            embed_pending(writer)
            assert len(writer.nearest("m", query, 9)) == 2, "a writer sees its own changes"
        with store.reading() as newer:
            assert len(newer.nearest("m", query, 9)) == 2
        assert len(older.nearest("m", query, 9)) == 1, "as the index was"


@pytest.mark.parametrize("shape", [(2, DIMS), (1, DIMS + 1), (DIMS,)])
def test_vectors_that_do_not_fit_are_refused(store: Store, shape: tuple[int, ...]) -> None:
    put(store, entry("a.md", "alpha"))
    with store.writing() as writer:
        embed_pending(writer)
        with pytest.raises((ValueError, Damaged), match=r"shape|length"):
            writer.add_vectors("m", ["00" * 16], np.zeros(shape))
        writer.add_vectors("m", [], np.zeros((0, DIMS)))
    consistent(store)


def long(pairs: list[tuple[float, float]]) -> NDArray[np.floating]:
    """As many numbers as models have: the arithmetic of very short vectors is nobody's concern."""
    return np.hstack([np.array(pairs), np.zeros((len(pairs), 62))])


def test_the_nearest_come_first(store: Store) -> None:
    texts = ["north", "north", "north-east", "east", "south"]
    put(store, *(entry(f"{number}.md", text) for number, text in enumerate(texts)))
    directions = {"north": (0, 1), "north-east": (0.5, 0.5), "east": (1, 0), "south": (0, -1)}
    with store.writing() as writer:
        pending = writer.pending("m", 9)
        matrix = long([directions[text.text] for text in pending])
        writer.add_vectors("m", [text.hash for text in pending], matrix)
    query = long([(0.25, 1)])[0].astype(np.float32)
    with store.reading() as reader:

        def nearest(depth: int, only: Filter = Filter()) -> list[tuple[str, float]]:  # noqa: B008  immutable
            hits = reader.nearest("m", query, depth, only)
            chunks = reader.chunks([chunk for chunk, _ in hits])
            return [(chunk.path, similarity) for chunk, (_, similarity) in zip(chunks, hits, strict=True)]

        assert nearest(9) == [("0.md", 1.0), ("1.md", 1.0), ("2.md", 0.625), ("3.md", 0.25)], "none that points away"
        assert nearest(1) == [("0.md", 1.0), ("1.md", 1.0)], "equal texts share a place"
        assert nearest(9, Filter(InPath(("1.md", "3.md", "4.md")))) == [("1.md", 1.0), ("3.md", 0.25)]
        assert nearest(1, Filter(InPath(("3.md",)))) == [("3.md", 0.25)]
        assert nearest(9, Filter(HasTag("none"))) == []
        assert nearest(0) == []
        assert reader.nearest("other", query, 9) == []
    put(store, entry("0.md", "south"))
    with store.reading() as reader:
        assert [path for path, _ in nearest(1)] == ["1.md"], "as the index is now"


def test_parts_come_in_the_order_of_the_chunks(store: Store) -> None:
    put(store, entry("a.md", "alpha"), entry("b.md", "beta"), entry("c.md", "gamma"))
    with store.writing() as writer:
        pending = writer.pending("m", 2)
        parts = [np.eye(3, DIMS, dtype=np.float32), np.eye(1, DIMS, dtype=np.float32)]
        writer.add_vectors("m", [text.hash for text in pending], np.ones((2, DIMS)), parts)
    with store.reading() as reader:
        ids = [reader.chunks_of(path)[0].id for path in ("c.md", "b.md", "a.md")]
        part_set = reader.parts("m", ids)
        assert (part_set.chunks, part_set.counts) == (ids[1:], [1, 3]), "one has no vector yet"
        assert np.allclose(part_set.floats()[1], np.concatenate([parts[1], parts[0]]), atol=0.01)
        assert reader.parts("other", ids).chunks == []
    assert store.check() == []


TITLED = "---\ntitle: Harbour\n---\n"


def test_names_have_vectors_of_their_own(store: Store) -> None:
    put(store, entry("a.md", f"{TITLED}preamble\n\n# One\n\ntext\n\n## Two\n\nmore\n", max_tokens=12, min_tokens=0))
    with store.writing() as writer:
        assert writer.pending_names("m") == ["Harbour", "Harbour > One", "Harbour > One > Two"]
        writer.add_names("m", ["Harbour"], np.stack([vector_of("Harbour")]))
        assert writer.pending_names("m") == ["Harbour > One", "Harbour > One > Two"]
        assert len(writer.pending_names("other")) == 3
        embed_pending(writer)
        assert writer.pending_names("m") == []
    count = consistent(store)
    with store.reading() as reader:
        chunks = reader.chunks_of("a.md")
        part_set = reader.parts("m", [chunk.id for chunk in chunks])
        chunk_names = [names_of("Harbour", chunk.row.heading_path) for chunk in chunks]
        assert chunk_names[0] == ("Harbour", "Harbour")
        assert chunk_names[-1] == ("Harbour", "Harbour > One > Two")
        expected = [[vector_of(name) for name in names] for names in chunk_names]
        assert np.allclose(part_set.floats()[0], expected, atol=0.01)
        assert count == len(chunks), "no text is found by the vector of a name"


def test_a_new_title_waits_for_its_vector_and_the_old_one_goes(store: Store) -> None:
    text = "# One\n\ntext\n"
    put(store, entry("a.md", TITLED + text))
    with store.writing() as writer:
        embed_pending(writer)
        writer.put([entry("a.md", TITLED.replace("Harbour", "Quay") + text)])
        assert writer.pending("m", 9) == [], "the text is the same"
        assert writer.pending_count("m") == 2
        chunk = writer.chunks_of("a.md")[0].id
        assert not writer.parts("m", [chunk]).floats()[0].any()
        assert writer.sweep() == 0, "names are not counted"
        embed_pending(writer)
        assert np.allclose(writer.parts("m", [chunk]).floats()[0][0, 0], vector_of("Quay"), atol=0.01)
        writer.put([entry("a.md", TITLED + text)])
        assert writer.pending_names("m") == ["Harbour", "Harbour > One"], "swept when nothing had them"


def test_names_of_any_length_find_their_vectors(store: Store) -> None:
    put(store, entry("a.md", f"---\ntitle: {'T' * 5000}\n---\npreamble\n\n# {'h' * 9000}\n\ntext\n", max_tokens=9000))
    with store.writing() as writer:
        embed_pending(writer)
        assert writer.pending_names("m") == []
        ids = [chunk.id for chunk in writer.chunks_of("a.md")]
        assert writer.parts("m", ids).floats()[0].any(axis=2).all()
    consistent(store)


def test_vectors_of_names_that_do_not_fit_are_refused(store: Store) -> None:
    put(store, entry("a.md", "alpha"))
    with store.writing() as writer:
        with pytest.raises(ValueError, match="2 names"):
            writer.add_names("m", ["a", "b"], np.ones((1, DIMS)))
        embed_pending(writer)
        with pytest.raises(Damaged, match="length"):
            writer.add_names("m", ["a"], np.ones((1, DIMS + 1)))
